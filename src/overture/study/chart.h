// Small charts as SVG: lines and marks on linear or logarithmic axes, and stacked bars. For reports; no
// dependency, no script.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace overture::study {

struct Series {
  std::string name;  // empty: not in the legend
  std::string colour;
  std::vector<std::pair<double, double>> points;
  bool line = true;                   // else marks only
  bool marks = true;                  // filled with a line, hollow without
  bool dashed = false;                // the line
  std::vector<std::string> labels{};  // written beside the marks; as many as points, or none
};

struct Chart {
  std::string title;
  std::string x;
  std::string y;
  bool log_x = false;
  bool log_y = false;
  std::vector<Series> series;
};

// Points that a logarithmic axis cannot show are left out.
std::string to_svg(const Chart& chart);

struct Bar {
  std::string name;
  double share = 0;  // 0 to 1, from the bottom; the rest is on top of it
  double mark = -1;  // a line across the bar, if not negative
};
struct BarChart {
  std::string title;
  std::string lower;  // what the share is
  std::string upper;  // what the rest is
  std::string mark;
  std::vector<Bar> bars;
};
std::string to_svg(const BarChart& chart);

// Numbers of several series for each of many groups (layers, systems), on top of each other or side by side.
// The drawing grows with the groups: none is left out.
struct ColumnSeries {
  std::string name;
  std::string colour;
  std::vector<double> values;     // one for each group; NaN: none
  std::vector<double> published;  // likewise, or empty; a line across the column, when not stacked
};
struct ColumnChart {
  std::string title;
  std::string x;
  std::string y;
  bool stacked = false;
  bool log_y = false;  // not when stacked
  std::vector<std::string> groups;
  std::vector<ColumnSeries> series;
};
std::string to_svg(const ColumnChart& chart);

// When things ended, kind by kind: a row for each kind, a line of ticks in it for each series.
struct StripSeries {
  std::string name;
  std::string colour;
  std::vector<std::vector<double>> values;  // by row
};
struct StripChart {
  std::string title;
  std::string x;
  std::vector<std::string> rows;  // from the top
  std::vector<StripSeries> series;
};
std::string to_svg(const StripChart& chart);

// How far each of several changes moves a number, alone: a bar from the least to the most, with a mark for
// every value that was tried, and a line where the number is without any change.
struct TornadoBar {
  std::string name;
  std::vector<std::pair<double, std::string>> values;  // the number, and what was tried
};
struct TornadoChart {
  std::string title;
  double centre = 1;
  std::vector<TornadoBar> bars;
};
// The widest bar on top.
std::string to_svg(const TornadoChart& chart);

// The same colour for the same number, easy to tell apart.
std::string colour(std::size_t number);

}  // namespace overture::study
