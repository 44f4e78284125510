#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "overture/study/chart.h"
#include "overture/study/chart_parts.h"

namespace overture::study {
namespace {

using namespace chart_parts;

constexpr double kColumn = 13;     // the narrowest, or
constexpr double kSlimColumn = 8;  // of those side by side in many groups
constexpr std::size_t kManyGroups = 30;
constexpr double kGap = 6;  // between groups
constexpr double kLetter = 6.2;

bool any_published(const ColumnChart& chart) {
  return std::ranges::any_of(chart.series, [](const ColumnSeries& s) { return !s.published.empty(); });
}

// Where everything is, from the number of groups and the lengths of their names.
struct ColumnLayout {
  explicit ColumnLayout(const ColumnChart& chart) {
    const auto count = static_cast<double>(std::max<std::size_t>(1, chart.groups.size()));
    const double side =
        chart.stacked ? 1.0 : static_cast<double>(std::max<std::size_t>(1, chart.series.size()));
    const double least = side > 1 && chart.groups.size() > kManyGroups ? kSlimColumn : kColumn;
    step = std::max(side * least + kGap, (kWidth - kRight - kLeft) / count);
    column = std::min((step - kGap) / side, 46.0);
    right = kLeft + step * count;
    std::size_t longest = 0;
    for (const std::string& group : chart.groups) longest = std::max(longest, group.size());
    slanted = static_cast<double>(longest) * kLetter > step;
    bottom = kHeight - kBottom;
    height = kHeight + (slanted ? static_cast<double>(longest) * kLetter * 0.87 : 0);
    width = right + kRight;
  }

  // The left edge of a column.
  double x(std::size_t group, std::size_t series, const ColumnChart& chart) const {
    const double columns = chart.stacked ? 1.0 : static_cast<double>(chart.series.size());
    const double middle = kLeft + step * (static_cast<double>(group) + 0.5);
    return middle - columns * column / 2 + (chart.stacked ? 0.0 : static_cast<double>(series) * column);
  }

  double step = 0;
  double column = 0;
  double right = 0;
  double bottom = 0;
  double width = 0;
  double height = 0;
  bool slanted = false;
};

Axis value_axis(const ColumnChart& chart, const ColumnLayout& layout) {
  Axis y(chart.log_y, layout.bottom, kTop);
  y.include(0);  // which a logarithmic axis ignores
  for (std::size_t group = 0; group < chart.groups.size(); ++group) {
    double sum = 0;
    for (const ColumnSeries& series : chart.series) {
      const double value = series.values.at(group);
      if (!series.published.empty()) y.include(series.published.at(group));
      y.include(value);
      if (std::isfinite(value)) sum += value;
    }
    if (chart.stacked) y.include(sum);
  }
  y.settle();
  return y;
}

std::string column_names(const ColumnChart& chart, const ColumnLayout& layout) {
  std::string out;
  for (std::size_t group = 0; group < chart.groups.size(); ++group) {
    const double x = kLeft + layout.step * (static_cast<double>(group) + 0.5);
    if (!layout.slanted) {
      out += text(x, layout.bottom + 16, chart.groups[group]);
    } else {
      out += fmt::format(
          "<text transform=\"translate({:.1f} {:.1f}) rotate(-60)\" text-anchor=\"end\" "
          "font-size=\"11\">{}</text>\n",
          x + 4, layout.bottom + 12, escaped(chart.groups[group]));
    }
  }
  return out;
}

std::string column_frame(const ColumnChart& chart, const ColumnLayout& layout, const Axis& y) {
  std::string out;
  for (const double tick : y.ticks()) {
    out += fmt::format("<path d=\"M{} {:.1f}H{:.1f}\" stroke=\"#ddd\"/>\n", kLeft, y.at(tick), layout.right);
    out += text(kLeft - 6, y.at(tick) + 4, fmt::format("{:g}", tick), "end");
  }
  out += fmt::format("<path d=\"M{0} {1}V{2}H{3:.1f}\" fill=\"none\" stroke=\"#888\"/>\n", kLeft, kTop,
                     layout.bottom, layout.right);
  out += text((kLeft + layout.right) / 2, layout.height - 10, chart.x);
  return out + side_text((kTop + layout.bottom) / 2, chart.y);
}

std::string draw_columns(const ColumnChart& chart, const ColumnLayout& layout, const Axis& y) {
  std::string out;
  std::vector<double> base(chart.groups.size(), 0.0);
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const ColumnSeries& series = chart.series[s];
    out += fmt::format("<g aria-label=\"{}\">\n", escaped(series.name));
    for (std::size_t group = 0; group < chart.groups.size(); ++group) {
      const double value = series.values[group];
      const double x = layout.x(group, s, chart);
      if (std::isfinite(value) && value != 0) {
        const double from = chart.stacked ? base[group] : 0.0;
        const double foot = chart.log_y ? layout.bottom : y.at(from);
        out += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\">"
            "<title>{}, {}: {:g}</title></rect>\n",
            x, y.at(from + value), std::max(1.0, layout.column - 1), foot - y.at(from + value), series.colour,
            escaped(chart.groups[group]), escaped(series.name), value);
        base[group] += value;
      }
      if (!series.published.empty() && std::isfinite(series.published[group])) {
        out += fmt::format(
            "<path d=\"M{:.1f} {:.1f}h{:.1f}\" stroke=\"black\" stroke-width=\"2\"><title>{}, {}, "
            "published: {:g}</title></path>\n",
            x - 2, y.at(series.published[group]), layout.column + 3, escaped(chart.groups[group]),
            escaped(series.name), series.published[group]);
      }
    }
    out += "</g>\n";
  }
  return out;
}

std::string column_legend(const ColumnChart& chart, double left) {
  double y = kTop + 10;
  std::string out;
  for (const ColumnSeries& series : chart.series) {
    if (series.name.empty()) continue;
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"16\" height=\"10\" fill=\"{}\"/>\n", left,
                       y - 6, series.colour);
    out += text(left + 24, y + 4, series.name, "start");
    y += 18;
  }
  if (any_published(chart)) {
    out += fmt::format("<path d=\"M{:.1f} {:.1f}h16\" stroke=\"black\" stroke-width=\"2\"/>\n", left, y);
    out += text(left + 24, y + 4, "published", "start");
  }
  return out;
}

}  // namespace

std::string to_svg(const ColumnChart& chart) {
  const ColumnLayout layout(chart);
  const Axis y = value_axis(chart, layout);
  return head(chart.title, layout.width, layout.height) + column_frame(chart, layout, y) +
         draw_columns(chart, layout, y) + column_names(chart, layout) +
         column_legend(chart, layout.right + 14) + "</svg>\n";
}

}  // namespace overture::study
