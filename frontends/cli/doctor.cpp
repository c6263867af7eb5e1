// qirkat doctor: what this machine has and what each backend can do on it.
#include <hdf5.h>
#include <sched.h>
#include <tbb/version.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/support.h"
#include "models/onednn/onednn_evaluator.h"
#ifdef QIRKAT_WITH_TORCH
#include "models/torch/torch_evaluator.h"
#endif

namespace qirkat::cli {
namespace {

using Json = nlohmann::ordered_json;

#ifdef __clang__
constexpr const char* kCompiler = __VERSION__;
#else
constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

// The value of the first "name : value" or "name=value" line of a system file, without quotes;
// empty if there is none.
std::string SystemValue(const char* path, std::string_view name, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t end = line.find(separator);
    if (end == std::string::npos || Trim(std::string_view(line).substr(0, end)) != name) continue;
    const std::string value(Trim(std::string_view(line).substr(end + 1)));
    return value.starts_with('"') ? value.substr(1, value.size() - 2) : value;
  }
  return "";
}

// The first line that a command prints; empty if there is no such command.
std::string CommandLine(const std::string& command) {
  std::string line;
  std::FILE* pipe = popen(StrCat("( ", command, " ) 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return line;
  for (int c = std::fgetc(pipe); c != EOF && c != '\n'; c = std::fgetc(pipe)) {
    line += static_cast<char>(c);
  }
  pclose(pipe);
  return line;
}

// "16384 kB" of /proc/meminfo, in bytes.
std::uint64_t MemoryBytes(std::string_view name) {
  const std::string value = SystemValue("/proc/meminfo", name, ':');
  return ParseNumber<std::uint64_t>(value.substr(0, value.find(' '))).value_or(0) * 1024;
}

Json CpuFacts() {
  // The kernel's names; what it lists, programs may use.
  struct Feature {
    const char* name;
    const char* flag;
  };
  constexpr std::array<Feature, 8> kFeatures = {{{"AVX2", "avx2"},
                                                 {"AVX-512", "avx512f"},
                                                 {"AVX-VNNI", "avx_vnni"},
                                                 {"AVX-512 VNNI", "avx512_vnni"},
                                                 {"AVX-512 BF16", "avx512_bf16"},
                                                 {"AMX", "amx_tile"},
                                                 {"AMX BF16", "amx_bf16"},
                                                 {"AMX INT8", "amx_int8"}}};
  const std::string flags = ' ' + SystemValue("/proc/cpuinfo", "flags", ':') + ' ';
  Json features = Json::object();
  for (const Feature& feature : kFeatures) {
    features[feature.name] = flags.find(StrCat(' ', feature.flag, ' ')) != std::string::npos;
  }
  cpu_set_t allowed;
  const int usable = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
  return {{"name", SystemValue("/proc/cpuinfo", "model name", ':')},
          {"cores", std::thread::hardware_concurrency()},
          {"cores_usable", usable},
          {"features", std::move(features)}};
}

Json LibraryFacts() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  Json libraries = {{"HDF5", StrCat(major, '.', minor, '.', release)},
                    {"TBB", TBB_runtime_version()},
                    {"oneDNN", OnednnVersion()}};
#ifdef QIRKAT_WITH_TORCH
  libraries["LibTorch"] = TorchVersion();
#else
  libraries["LibTorch"] = "not built in (-DQIRKAT_WITH_TORCH=OFF)";
#endif
  return libraries;
}

// What `auto` tries on this CPU, in its order, and why.
Json OnednnFacts() {
  const OnednnCpu cpu = FindOnednnCpu();
  return {{"name", "onednn"},
          {"device", "cpu"},
          {"available", true},
          {"precision", Join(cpu.precisions, ",")},
          {"cpu", cpu.name},
          {"why", StrCat("this CPU computes with ", cpu.name,
                         cpu.max_int8_weight < 127 ? " (int8 weights up to 63: no VNNI)" : "",
                         "; a net takes the first that is close enough to fp32 on its positions")}};
}

#ifdef QIRKAT_WITH_TORCH
Json TorchFacts(const std::string& device) {
  Json facts = {{"name", "torch"}, {"device", device}};
  try {
    const TorchOptions chosen = ResolveTorchOptions({.device = device, .precision = "auto"});
    facts["available"] = true;
    facts["device"] = chosen.device;
    facts["precision"] = chosen.precision;
    const bool bf16 = chosen.precision == "bf16";
    if (chosen.device != "cpu") {
      facts["why"] = bf16 ? "this GPU multiplies bf16" : "this GPU multiplies fp16, not bf16";
    } else {
      facts["why"] = bf16 ? "this CPU multiplies bf16 (AVX512_BF16)"
                          : "this CPU has no AVX512_BF16; bf16 would be emulated and slower";
    }
  } catch (const UserError& error) {
    facts["available"] = false;
    facts["why"] = error.what();
  }
  return facts;
}
#endif

Json BackendFacts() {
  Json backends = Json::array();
  for (const char* name : {"uniform", "hash", "rollout"}) {
    backends.push_back({{"name", name},
                        {"device", "cpu"},
                        {"available", true},
                        {"precision", "fp32"},
                        {"why", "needs no network"}});
  }
  backends.push_back(OnednnFacts());
#ifdef QIRKAT_WITH_TORCH
  backends.push_back(TorchFacts("cpu"));
  backends.push_back(TorchFacts("cuda"));
#else
  backends.push_back({{"name", "torch"},
                      {"device", "cpu"},
                      {"available", false},
                      {"why", "not built in (-DQIRKAT_WITH_TORCH=OFF)"}});
#endif
  return backends;
}

Json Facts() {
  const std::filesystem::space_info disk = std::filesystem::space(".");
  Json compilers = Json::object();
  for (const char* name : {"g++", "clang++"}) {
    compilers[name] = CommandLine(StrCat(name, " -dumpfullversion || ", name, " -dumpversion"));
  }
  return {
      {"program", {{"version", QIRKAT_VERSION}, {"build", QIRKAT_BUILD}, {"compiler", kCompiler}}},
      {"system", SystemValue("/etc/os-release", "PRETTY_NAME", '=')},
      {"cpu", CpuFacts()},
      {"memory", {{"bytes", MemoryBytes("MemTotal")}, {"free_bytes", MemoryBytes("MemAvailable")}}},
      {"disk",
       {{"path", std::filesystem::current_path().string()},
        {"bytes", disk.capacity},
        {"free_bytes", disk.available}}},
      {"compilers", std::move(compilers)},
      {"libraries", LibraryFacts()},
      {"backends", BackendFacts()}};
}

std::string RoomText(const Json& room) {
  return StrCat(ShortBytes(room["free_bytes"].get<double>()), " free of ",
                ShortBytes(room["bytes"].get<double>()));
}

// "name 1.2, other 3.4"; what is empty is "none".
std::string VersionsText(const Json& versions) {
  std::vector<std::string> parts;
  for (const auto& [name, version] : versions.items()) {
    const auto text = version.get<std::string>();
    parts.push_back(StrCat(name, ' ', text.empty() ? "none" : text));
  }
  return Join(parts, ", ");
}

void PrintText(const Json& facts) {
  std::vector<std::string> features, missing;
  for (const auto& [name, there] : facts["cpu"]["features"].items()) {
    (there.get<bool>() ? features : missing).push_back(name);
  }
  const auto text = [](const Json& value) { return value.get<std::string>(); };
  std::cout << "program    " << text(facts["program"]["version"]) << ' '
            << text(facts["program"]["build"]) << ", compiled by "
            << text(facts["program"]["compiler"]) << "\nsystem     " << text(facts["system"])
            << "\nCPU        " << text(facts["cpu"]["name"]) << ", " << facts["cpu"]["cores"]
            << " cores (" << facts["cpu"]["cores_usable"] << " usable here)\n           has "
            << Join(features, ", ") << "\n           lacks "
            << (missing.empty() ? "nothing looked for" : Join(missing, ", ")) << "\nmemory     "
            << RoomText(facts["memory"]) << "\ndisk       " << RoomText(facts["disk"]) << " at "
            << text(facts["disk"]["path"]) << "\ncompilers  " << VersionsText(facts["compilers"])
            << "\nlibraries  " << VersionsText(facts["libraries"]) << "\n\n";
  TextTable table({"evaluator", "device", "there", "auto precision", "why"});
  for (const Json& backend : facts["backends"]) {
    table.AddRow({text(backend["name"]), text(backend["device"]),
                  backend["available"].get<bool>() ? "yes" : "no", backend.value("precision", "-"),
                  text(backend["why"])});
  }
  table.Print(std::cout);
}

}  // namespace

void AddDoctor(CLI::App& app, Session&) {
  auto json = std::make_shared<bool>(false);
  AddJson(app, *json);
  app.callback([json] {
    if (*json) {
      PrintJson(Facts());
    } else {
      PrintText(Facts());
    }
  });
}

}  // namespace qirkat::cli
