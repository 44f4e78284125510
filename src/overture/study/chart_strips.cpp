#include <algorithm>

#include <fmt/format.h>

#include "overture/study/chart.h"
#include "overture/study/chart_parts.h"

namespace overture::study {
namespace {

using namespace chart_parts;

constexpr double kStripLeft = 120;  // the names of the rows
constexpr double kStripRow = 56;

struct StripLayout {
  explicit StripLayout(const StripChart& chart)
      : bottom(kTop + kStripRow * static_cast<double>(std::max<std::size_t>(1, chart.rows.size()))),
        lane(0.8 * kStripRow / static_cast<double>(std::max<std::size_t>(1, chart.series.size()))) {}

  double top_of(std::size_t row, std::size_t series) const {
    return kTop + kStripRow * (static_cast<double>(row) + 0.1) + lane * static_cast<double>(series);
  }

  double bottom;
  double lane;
};

std::string draw_strips(const StripChart& chart, const StripLayout& layout, const Axis& x) {
  std::string out;
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const StripSeries& series = chart.series[s];
    out += fmt::format("<g aria-label=\"{}\" stroke=\"{}\" stroke-opacity=\"0.75\">\n", escaped(series.name),
                       series.colour);
    for (std::size_t row = 0; row < series.values.size() && row < chart.rows.size(); ++row) {
      const double top = layout.top_of(row, s);
      for (const double value : series.values[row])
        out += fmt::format("<path d=\"M{:.1f} {:.1f}v{:.1f}\"/>\n", x.at(value), top, layout.lane - 3);
      if (series.values[row].empty()) continue;
      const double last = *std::ranges::max_element(series.values[row]);
      out += fmt::format(
          "<path d=\"M{:.1f} {:.1f}v{:.1f}\" stroke-width=\"3\"><title>{}, {}, the last: "
          "{:g}</title></path>\n",
          x.at(last), top, layout.lane - 3, escaped(chart.rows[row]), escaped(series.name), last);
    }
    out += "</g>\n";
  }
  return out;
}

std::string strip_frame(const StripChart& chart, const StripLayout& layout, const Axis& x) {
  const double right = kWidth - kRight;
  std::string out;
  for (const double tick : x.ticks()) {
    out += fmt::format("<path d=\"M{:.1f} {}V{}\" stroke=\"#ddd\"/>\n", x.at(tick), kTop, layout.bottom);
    out += text(x.at(tick), layout.bottom + 16, fmt::format("{:g}", tick));
  }
  for (std::size_t row = 0; row < chart.rows.size(); ++row) {
    const double top = kTop + kStripRow * static_cast<double>(row);
    out += fmt::format("<path d=\"M{} {:.1f}H{}\" stroke=\"#ddd\"/>\n", kStripLeft, top, right);
    out += text(kStripLeft - 8, top + kStripRow / 2 + 4, chart.rows[row], "end");
  }
  return out + text((kStripLeft + right) / 2, layout.bottom + 40, chart.x);
}

}  // namespace

std::string to_svg(const StripChart& chart) {
  const StripLayout layout(chart);
  Axis x(false, kStripLeft, kWidth - kRight);
  x.include(0);
  for (const StripSeries& series : chart.series) {
    for (const auto& row : series.values) {
      for (const double value : row) x.include(value);
    }
  }
  x.settle();
  std::string out = head(chart.title, kWidth, layout.bottom + kBottom) + strip_frame(chart, layout, x) +
                    draw_strips(chart, layout, x);
  double y = kTop + 10;
  for (const StripSeries& series : chart.series) {
    out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"16\" height=\"10\" fill=\"{}\"/>\n",
                       kWidth - kRight + 14, y - 6, series.colour);
    out += text(kWidth - kRight + 38, y + 4, series.name, "start");
    y += 18;
  }
  return out + "</svg>\n";
}

}  // namespace overture::study
