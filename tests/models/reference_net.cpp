#include "tests/models/reference_net.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "envs/core/error.h"
#include "envs/core/random.h"
#include "envs/core/text.h"

namespace qirkat {
namespace {

using Map = std::vector<std::vector<double>>;  // [channels][squares]
using Vector = std::vector<double>;

class Reference {
 public:
  explicit Reference(const Model& model) : model_(model) {}

  const NamedTensor& Get(const std::string& name) const {
    for (const NamedTensor& tensor : model_.weights) {
      if (tensor.name == name) return tensor;
    }
    throw InternalError("no tensor " + name);
  }
  bool Has(const std::string& name) const {
    return std::ranges::any_of(model_.weights,
                               [&](const NamedTensor& tensor) { return tensor.name == name; });
  }

  // Square kernel, zero padding, then the norm of this name if there is one.
  Map Conv(const std::string& name, const std::string& norm, const Map& in) const {
    const NamedTensor& weight = Get(name + ".weight");
    const int columns = model_.spec.columns, rows = model_.spec.rows;
    const auto outputs = weight.shape[0], inputs = weight.shape[1], kernel = weight.shape[2];
    Map out(outputs, Vector(columns * rows, 0.0));
    for (int o = 0; o < outputs; ++o) {
      for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
          double sum = norm.empty() ? Get(name + ".bias").values[o] : 0.0;
          for (int i = 0; i < inputs; ++i) {
            for (int dy = 0; dy < kernel; ++dy) {
              for (int dx = 0; dx < kernel; ++dx) {
                const auto y = row + dy - kernel / 2, x = column + dx - kernel / 2;
                if (y < 0 || y >= rows || x < 0 || x >= columns) continue;
                sum += weight.values[((o * inputs + i) * kernel + dy) * kernel + dx] *
                       in[i][y * columns + x];
              }
            }
          }
          out[o][row * columns + column] = norm.empty() ? sum : Norm(norm, o, sum);
        }
      }
    }
    return out;
  }

  Vector Linear(const std::string& name, const Vector& in) const {
    const NamedTensor& weight = Get(name + ".weight");
    Vector out;
    for (int o = 0; o < weight.shape[0]; ++o) {
      double sum = Get(name + ".bias").values[o];
      for (std::size_t i = 0; i < in.size(); ++i) sum += weight.values[o * in.size() + i] * in[i];
      out.push_back(sum);
    }
    return out;
  }

 private:
  double Norm(const std::string& name, int channel, double x) const {
    const double mean = Get(name + ".running_mean").values[channel];
    const double variance = Get(name + ".running_var").values[channel];
    return (x - mean) / std::sqrt(variance + 1e-5) * Get(name + ".weight").values[channel] +
           Get(name + ".bias").values[channel];
  }

  const Model& model_;
};

double Relu(double x) { return std::max(x, 0.0); }

Map Relu(Map map) {
  for (Vector& channel : map) {
    for (double& x : channel) x = Relu(x);
  }
  return map;
}

void AddBias(Map& map, const Vector& bias) {
  for (std::size_t c = 0; c < map.size(); ++c) {
    for (double& x : map[c]) x += bias[c];
  }
}

// Mean of every channel, then maximum of every channel.
Vector Pool(const Map& map) {
  Vector pooled;
  for (const Vector& channel : map) {
    double sum = 0;
    for (const double x : channel) sum += x;
    pooled.push_back(sum / static_cast<double>(channel.size()));
  }
  for (const Vector& channel : map) pooled.push_back(*std::ranges::max_element(channel));
  return pooled;
}

Map Part(const Map& map, std::size_t first, std::size_t size) {
  return {map.begin() + static_cast<std::ptrdiff_t>(first),
          map.begin() + static_cast<std::ptrdiff_t>(first + size)};
}

Map Block(const Reference& net, const std::string& name, const Map& x) {
  Map y = net.Conv(name + ".conv1", name + ".norm1", x);
  if (net.Has(name + ".pool.weight")) {
    const std::size_t pooled = y.size() / 4, plain = y.size() - pooled;
    const Vector bias = net.Linear(name + ".pool", Pool(Relu(Part(y, plain, pooled))));
    y = Part(y, 0, plain);
    AddBias(y, bias);
  }
  Map z = net.Conv(name + ".conv2", name + ".norm2", Relu(y));
  for (std::size_t c = 0; c < z.size(); ++c) {
    for (std::size_t s = 0; s < z[c].size(); ++s) z[c][s] += x[c][s];
  }
  return Relu(z);
}

}  // namespace

ReferenceOutput ReferenceForward(const Model& model, std::span<const std::uint8_t> planes,
                                 std::span<const float> scalars) {
  const Reference net(model);
  const NetSpec& spec = model.spec;
  Map in(spec.planes(), Vector(spec.squares()));
  for (int p = 0; p < spec.planes(); ++p) {
    for (int s = 0; s < spec.squares(); ++s) {
      const int bit = p * spec.squares() + s;
      in[p][s] = (planes[bit / 8] >> (bit % 8)) & 1;
    }
  }
  Map x = net.Conv("stem", "stem_norm", in);
  if (!scalars.empty()) AddBias(x, net.Linear("scalars_in", {scalars.begin(), scalars.end()}));
  x = Relu(x);
  for (int b = 0; b < spec.net.blocks; ++b) x = Block(net, StrCat("block", b), x);

  const Map heads = net.Conv("heads", "heads_norm", x);
  const std::size_t size = heads.size() / 3;
  const Vector pooled = Pool(Relu(Part(heads, size, size)));
  Map policy = Part(heads, 0, size);
  AddBias(policy, net.Linear("policy_pool", pooled));
  ReferenceOutput output;
  for (const Vector& plane : net.Conv("policy", "", Relu(policy))) {
    output.policy_logits.insert(output.policy_logits.end(), plane.begin(), plane.end());
  }
  if (spec.policy_extras > 0) {
    const Vector extras = net.Linear("extras", pooled);
    output.policy_logits.insert(output.policy_logits.end(), extras.begin(), extras.end());
  }
  Vector hidden = net.Linear("value_hidden", Pool(Relu(Part(heads, 2 * size, size))));
  for (double& h : hidden) h = Relu(h);
  output.wdl = net.Linear("wdl", hidden);
  double sum = 0;
  for (double& p : output.wdl) sum += p = std::exp(p);
  for (double& p : output.wdl) p /= sum;
  output.score = net.Linear("score", hidden)[0] * spec.squares();
  output.moves_left = std::log(1 + std::exp(net.Linear("moves_left", hidden)[0])) * 32;
  return output;
}

std::vector<NamedTensor> ReferenceTensors(const NetSpec& spec) {
  std::vector<NamedTensor> parameters, buffers;
  const auto conv = [&](const std::string& name, std::int64_t in, std::int64_t out,
                        std::int64_t kernel) {
    parameters.push_back({name + ".weight", {out, in, kernel, kernel}, {}});
  };
  const auto norm = [&](const std::string& name, std::int64_t size) {
    parameters.push_back({name + ".weight", {size}, {}});
    parameters.push_back({name + ".bias", {size}, {}});
    buffers.push_back({name + ".running_mean", {size}, {}});
    buffers.push_back({name + ".running_var", {size}, {}});
  };
  const auto linear = [&](const std::string& name, std::int64_t in, std::int64_t out) {
    parameters.push_back({name + ".weight", {out, in}, {}});
    parameters.push_back({name + ".bias", {out}, {}});
  };
  const auto [blocks, channels, pooled_every, head, hidden] = spec.net;
  conv("stem", spec.planes(), channels, 3);
  norm("stem_norm", channels);
  if (spec.scalars() > 0) linear("scalars_in", spec.scalars(), channels);
  for (int b = 0; b < blocks; ++b) {
    const std::string block = StrCat("block", b);
    const bool pools = pooled_every > 0 && (b + 1) % pooled_every == 0;
    const std::int64_t pooled = pools ? channels / 4 : 0;
    conv(block + ".conv1", channels, channels, 3);
    norm(block + ".norm1", channels);
    conv(block + ".conv2", channels - pooled, channels, 3);
    norm(block + ".norm2", channels);
    if (pools) linear(block + ".pool", 2 * pooled, channels - pooled);
  }
  conv("heads", channels, 3 * head, 1);
  norm("heads_norm", 3 * head);
  linear("policy_pool", 2 * head, head);
  conv("policy", head, spec.policy_planes, 1);
  parameters.push_back({"policy.bias", {spec.policy_planes}, {}});
  if (spec.policy_extras > 0) linear("extras", 2 * head, spec.policy_extras);
  linear("value_hidden", 2 * head, hidden);
  linear("wdl", hidden, 3);
  linear("score", hidden, 1);
  linear("moves_left", hidden, 1);
  parameters.insert(parameters.end(), buffers.begin(), buffers.end());
  return parameters;
}

Model RandomModel(const NetSpec& spec, std::uint64_t seed) {
  RandomStream random(seed, 0, 0, StreamPurpose::kTest);
  Model model{.spec = spec, .weights = ReferenceTensors(spec)};
  for (NamedTensor& tensor : model.weights) {
    std::int64_t count = 1, fan_in = 1;
    for (const std::int64_t size : tensor.shape) count *= size;
    if (tensor.shape.size() > 1) fan_in = count / tensor.shape[0];
    const bool positive = tensor.name.ends_with("running_var");
    for (std::int64_t i = 0; i < count; ++i) {
      const double normal = random.Normal() / std::sqrt(static_cast<double>(fan_in));
      tensor.values.push_back(static_cast<float>(positive ? 0.5 + random.Uniform() : 1.2 * normal));
    }
  }
  return model;
}

}  // namespace qirkat
