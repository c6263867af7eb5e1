#include "frontends/pictures/svg_chart.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <tuple>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "frontends/pictures/svg.h"

namespace qirkat {
namespace {

// Pixels.
constexpr double kWidth = 720, kHeight = 300;  // of a row
constexpr double kLeft = 66, kRight = 24, kTop = 58, kBottom = 52;
constexpr std::size_t kMostMarkers = 40;  // a line of more points shows no points

constexpr std::array<std::string_view, 4> kColors = {"#1f6fb4", "#d1601f", "#2f8f5b", "#7a4fa3"};
constexpr std::string_view kStyle =
    ".title { font-size: 15px; font-weight: bold; fill: #222 }\n"
    ".grid { stroke: #ddd }\n.axis { stroke: #888; fill: none }\n"
    ".line { fill: none; stroke-width: 2; stroke-linejoin: round }\n"
    ".band { fill-opacity: 0.18; stroke-opacity: 0.3 }\n";

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void Add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

class ChartPicture {
 public:
  ChartPicture(const Chart& chart, double left, double top, double width)
      : chart_(chart), left_(left), top_(top), width_(width) {
    for (const ChartSeries& series : chart.series) {
      for (const ChartPoint& point : series.points) {
        x_.Add(point.x);
        y_.Add(point.y);
      }
      for (const ChartBounds& bounds : series.band) {
        x_.Add(bounds.x);
        y_.Add(bounds.low);
        y_.Add(bounds.high);
      }
    }
    QIRKAT_CHECK(x_.low <= x_.high, chart.title);
    if (x_.low == x_.high) x_.high += 1;
    if (y_.low == y_.high) y_.high += 1;
    if (chart.y_range) std::tie(y_.low, y_.high) = *chart.y_range;
    y_step_ = ChartStep(y_.low, y_.high);
    y_ = {y_step_ * std::floor(y_.low / y_step_), y_step_ * std::ceil(y_.high / y_step_)};
  }

  std::string Draw() {
    body_ += SvgText(X(x_.low), top_ + 24, "title", chart_.title);
    AddAxes();
    double legend_x = X(x_.low);
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      const std::string_view color = kColors[i % kColors.size()];
      AddSeries(chart_.series[i], color);
      const std::string& name = chart_.series[i].name;
      if (!name.empty()) legend_x = AddLegend(name, color, legend_x);
    }
    return std::move(body_);
  }

 private:
  double X(double x) const {
    return left_ + kLeft + (x - x_.low) / (x_.high - x_.low) * (width_ - kLeft - kRight);
  }
  double Y(double y) const {
    return top_ + kHeight - kBottom -
           (y - y_.low) / (y_.high - y_.low) * (kHeight - kTop - kBottom);
  }
  std::string Place(double x, double y) const { return Pixels(X(x)) + ',' + Pixels(Y(y)) + ' '; }

  void AddLine(std::string_view look, double x1, double y1, double x2, double y2) {
    body_ += StrCat("<line class=\"", look, "\" x1=\"", Pixels(x1), "\" y1=\"", Pixels(y1),
                    "\" x2=\"", Pixels(x2), "\" y2=\"", Pixels(y2), "\"/>\n");
  }

  void AddAxes() {
    const double left = X(x_.low), right = X(x_.high), bottom = Y(y_.low), top = Y(y_.high);
    for (const auto& [value, text] : ChartTicks(y_.low, y_.high, y_step_)) {
      AddLine("grid", left, Y(value), right, Y(value));
      body_ += SvgText(left - 8, Y(value) + 4, "end", text);
    }
    for (const auto& [value, text] : ChartTicks(x_.low, x_.high, ChartStep(x_.low, x_.high, 1))) {
      AddLine("axis", X(value), bottom, X(value), bottom + 5);
      body_ += SvgText(X(value), bottom + 19, "middle", text);
    }
    AddLine("axis", left, bottom, right, bottom);
    AddLine("axis", left, bottom, left, top);
    body_ += SvgText((left + right) / 2, bottom + 38, "middle", chart_.x_label);
    body_ += StrCat("<text class=\"middle\" transform=\"translate(", Pixels(left_ + 18), ' ',
                    Pixels((bottom + top) / 2), ") rotate(-90)\">", XmlText(chart_.y_label),
                    "</text>\n");
  }

  void AddSeries(const ChartSeries& series, std::string_view color) {
    if (!series.band.empty()) {
      std::string outline;
      for (const ChartBounds& bounds : series.band) outline += Place(bounds.x, bounds.high);
      for (auto bounds = series.band.rbegin(); bounds != series.band.rend(); ++bounds) {
        outline += Place(bounds->x, bounds->low);
      }
      body_ += StrCat("<polygon class=\"band\" fill=\"", color, "\" stroke=\"", color,
                      "\" points=\"", Trim(outline), "\"/>\n");
    }
    std::string places;
    for (const ChartPoint& point : series.points) places += Place(point.x, point.y);
    body_ +=
        StrCat("<polyline class=\"line\" stroke=\"", color, "\" points=\"", Trim(places), "\"/>\n");
    if (series.points.size() > kMostMarkers) return;
    for (const ChartPoint& point : series.points) {
      body_ += StrCat("<circle class=\"marker\" fill=\"", color, "\" cx=\"", Pixels(X(point.x)),
                      "\" cy=\"", Pixels(Y(point.y)), "\" r=\"3\"/>\n");
    }
  }

  // Returns where the next entry begins.
  double AddLegend(const std::string& name, std::string_view color, double x) {
    const double y = top_ + 44;
    body_ += StrCat("<rect class=\"legend\" fill=\"", color, "\" x=\"", Pixels(x), "\" y=\"",
                    Pixels(y - 8), "\" width=\"18\" height=\"6\"/>\n");
    body_ += SvgText(x + 25, y, "legend", name);
    // Letters of 13 pixels are about 7 wide.
    return x + 25 + 7 * static_cast<double>(name.size()) + 24;
  }

  const Chart& chart_;
  const double left_, top_, width_;
  Range x_, y_;
  double y_step_ = 0;
  std::string body_;
};

}  // namespace

double ChartStep(double low, double high, double smallest) {
  QIRKAT_CHECK(low < high, low, high);
  const double rough = std::max((high - low) / 5, smallest);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * 0.99) return factor * power;
  }
  return 10 * power;
}

std::vector<std::pair<double, std::string>> ChartTicks(double low, double high, double step) {
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  std::vector<std::pair<double, std::string>> ticks;
  // + 0.0: no "-0".
  for (double k = std::ceil(low / step - 1e-9) + 0.0; k * step <= high + 1e-9 * step; ++k) {
    std::array<char, 340> buffer;  // the longest double, without an exponent
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), k * step,
                                            std::chars_format::fixed, decimals);
    QIRKAT_CHECK(error == std::errc(), k * step);
    ticks.emplace_back(k * step, std::string(buffer.data(), end));
  }
  return ticks;
}

std::string ChartsSvg(const std::vector<std::vector<Chart>>& rows) {
  std::string body;
  std::vector<std::string> titles;
  double top = 0;
  for (const std::vector<Chart>& row : rows) {
    const double width = kWidth / static_cast<double>(row.size());
    double left = 0;
    for (const Chart& chart : row) {
      body += ChartPicture(chart, left, top, width).Draw();
      titles.push_back(chart.title);
      left += width;
    }
    top += kHeight;
  }
  return SvgDocument(kWidth, top, Join(titles, "; "), kStyle, body);
}

}  // namespace qirkat
