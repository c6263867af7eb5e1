// Line charts as an SVG picture.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qirkat {

struct ChartPoint {
  double x = 0, y = 0;
};
// The bounds of a value at x.
struct ChartBounds {
  double x = 0, low = 0, high = 0;
};

struct ChartSeries {
  std::string name = {};                // in the legend; "" for no entry
  std::vector<ChartPoint> points = {};  // by rising x
  std::vector<ChartBounds> band = {};   // by rising x; may be empty
};

struct Chart {
  std::string title = {}, x_label = {}, y_label = {};     // labels name the unit
  std::vector<ChartSeries> series = {};                   // at least one point among them
  std::optional<std::pair<double, double>> y_range = {};  // by default that of the data; rounded
};

// Rows of charts; those of a row share its width. x counts something (generations, steps): its
// ticks are whole.
std::string ChartsSvg(const std::vector<std::vector<Chart>>& rows);

// How far apart the ticks of an axis stand: 1, 2 or 5 times a power of ten, `smallest` at least, so
// that about five fit. high > low.
double ChartStep(double low, double high, double smallest = 0);
// The multiples of `step` from `low` to `high`, with their texts.
std::vector<std::pair<double, std::string>> ChartTicks(double low, double high, double step);

}  // namespace qirkat
