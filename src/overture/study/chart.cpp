#include "overture/study/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include "overture/study/chart_parts.h"

namespace overture::study {
namespace {

using namespace chart_parts;

std::string draw_axes(const Chart& chart, const Axis& x, const Axis& y) {
  const double right = kWidth - kRight;
  const double bottom = kHeight - kBottom;
  std::string out =
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888\"/>\n",
                  kLeft, kTop, right - kLeft, bottom - kTop);
  for (const double tick : x.ticks()) {
    out += fmt::format("<path d=\"M{0:.1f} {1}V{2}\" stroke=\"#ddd\"/>\n", x.at(tick), kTop, bottom);
    out += text(x.at(tick), bottom + 16, fmt::format("{:g}", tick));
  }
  for (const double tick : y.ticks()) {
    out += fmt::format("<path d=\"M{0} {1:.1f}H{2}\" stroke=\"#ddd\"/>\n", kLeft, y.at(tick), right);
    out += text(kLeft - 6, y.at(tick) + 4, fmt::format("{:g}", tick), "end");
  }
  out += text((kLeft + right) / 2, kHeight - 14, chart.x);
  out += side_text((kTop + bottom) / 2, chart.y);
  return out;
}

// `hint` is shown by a browser when the pointer rests on the mark.
std::string draw_mark(double x, double y, const Series& series, std::string_view hint = "") {
  return fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\" stroke=\"{}\"><title>{}</title></circle>\n", x,
      y, series.line ? series.colour : "white", series.colour, escaped(hint));
}

std::string draw_series(const Series& series, const Axis& x, const Axis& y) {
  constexpr double kLabelRoom = 26;
  double labelled = -kWidth;
  std::string path;
  std::string marks;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const auto& [px, py] = series.points[i];
    if (!x.shows(px) || !y.shows(py)) continue;
    // A label that would be written over the one before is left out; the mark's hint still has its numbers.
    if (i < series.labels.size() && std::abs(x.at(px) - labelled) > kLabelRoom) {
      marks += text(x.at(px), y.at(py) - 8, series.labels[i]);
      labelled = x.at(px);
    }
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x.at(px), y.at(py));
    if (series.marks)
      marks += draw_mark(x.at(px), y.at(py), series, fmt::format("{}: {:g}, {:g}", series.name, px, py));
  }
  if (path.empty() || !series.line) return marks;
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{}/>\n", path,
                     series.colour, series.dashed ? " stroke-dasharray=\"5 4\"" : "") +
         marks;
}

std::string draw_legend(const Chart& chart) {
  const double left = kWidth - kRight + 14;
  double y = kTop + 10;
  std::string out;
  for (const Series& series : chart.series) {
    if (series.name.empty()) continue;
    if (series.line) {
      out += fmt::format("<path d=\"M{} {}h22\" stroke=\"{}\" stroke-width=\"1.6\"{}/>\n", left, y,
                         series.colour, series.dashed ? " stroke-dasharray=\"5 4\"" : "");
    }
    if (series.marks) out += draw_mark(left + 11, y, series);
    out += text(left + 28, y + 4, series.name, "start");
    y += 18;
  }
  return out;
}

}  // namespace

std::string colour(std::size_t number) {
  // Okabe and Ito (2008): for all kinds of colour vision.
  constexpr std::array<std::string_view, 7> kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                     "#e69f00", "#56b4e9", "#333333"};
  return std::string(kColours[number % kColours.size()]);
}

std::string to_svg(const Chart& chart) {
  Axis x(chart.log_x, kLeft, kWidth - kRight);
  Axis y(chart.log_y, kHeight - kBottom, kTop);
  for (const Series& series : chart.series) {
    for (const auto& [px, py] : series.points) {
      x.include(px);
      y.include(py);
    }
  }
  x.settle();
  y.settle();
  std::string out = head(chart.title) + draw_axes(chart, x, y);
  for (const Series& series : chart.series)
    out += fmt::format("<g aria-label=\"{}\">\n{}</g>\n", escaped(series.name), draw_series(series, x, y));
  return out + draw_legend(chart) + "</svg>\n";
}

// Not the colours of networks, which bars of shares are not.
constexpr const char* kLowerShare = "#6a51a3";
constexpr const char* kUpperShare = "#bdbdbd";

std::string to_svg(const BarChart& chart) {
  const double bottom = kHeight - kBottom;
  const double height = bottom - kTop;
  const double step =
      (kWidth - kRight - kLeft) / static_cast<double>(std::max<std::size_t>(1, chart.bars.size()));
  std::string out = head(chart.title) + "<g aria-label=\"shares\">\n";
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    const Bar& bar = chart.bars[i];
    const double x = kLeft + step * (static_cast<double>(i) + 0.15);
    const double split = bottom - height * bar.share;
    const auto box = [&](double top, double tall, const char* fill) {
      out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
                         x, top, step * 0.7, tall, fill);
    };
    box(split, bottom - split, kLowerShare);
    box(kTop, split - kTop, kUpperShare);
    if (bar.mark >= 0) {
      out += fmt::format("<path d=\"M{:.1f} {:.1f}h{:.1f}\" stroke=\"black\" stroke-width=\"2\"/>\n", x - 4,
                         bottom - height * bar.mark, step * 0.7 + 8);
    }
    out += text(x + step * 0.35, split < kTop + 20 ? split + 16 : split - 4,
                fmt::format("{:.1f}%", 100 * bar.share));
    out += text(x + step * 0.35, bottom + 16, bar.name);
  }
  out += "</g>\n";
  const double left = kWidth - kRight + 14;
  double y = kTop + 10;
  for (const auto& [words, fill] :
       {std::pair{chart.upper, kUpperShare}, std::pair{chart.lower, kLowerShare}}) {
    out +=
        fmt::format("<rect x=\"{}\" y=\"{}\" width=\"16\" height=\"10\" fill=\"{}\"/>\n", left, y - 6, fill);
    out += text(left + 24, y + 4, words, "start");
    y += 18;
  }
  if (!chart.mark.empty()) {
    out += fmt::format("<path d=\"M{} {}h16\" stroke=\"black\" stroke-width=\"2\"/>\n", left, y);
    out += text(left + 24, y + 4, chart.mark, "start");
  }
  return out + "</svg>\n";
}

namespace {

constexpr double kWideLetter = 6.6;  // width of the wider ones at the charts' 12 pixels

// Words for marks along a line, from left to right, above and below it so that none meets another: where
// there is no room on either side, they join those before them.
class BarLabels {
 public:
  struct Label {
    double left = 0;
    std::string words{};
    double right() const { return left + kWideLetter * static_cast<double>(words.size()); }
  };

  BarLabels(double left, double right) : left_(left), right_(right) {}

  void add(double x, const std::string& words) {
    const double half = Label{.words = words}.right() / 2;
    const double wanted = std::clamp(x - half, left_, std::max(left_, right_ - 2 * half));
    auto& lane = free_from(above_) <= free_from(below_) ? above_ : below_;
    auto& first = free_from(above_) <= wanted ? above_ : lane;
    if (free_from(first) <= std::min(wanted + half, right_ - 2 * half)) {
      first.push_back({.left = std::max(wanted, free_from(first)), .words = words});
      return;
    }
    join_last(lane, words);
  }

  const std::vector<Label>& above() const { return above_; }
  const std::vector<Label>& below() const { return below_; }

 private:
  static constexpr double kGap = 8;

  // A label that grows is moved to the left where the chart ends, and joins the one that it then meets.
  void join_last(std::vector<Label>& lane, const std::string& words) {
    Label& last = lane.back();
    last.words += ", " + words;
    last.left = std::max(left_, std::min(last.left, right_ - (last.right() - last.left)));
    if (lane.size() < 2 || lane[lane.size() - 2].right() + kGap <= last.left) return;
    const std::string all = std::move(last.words);
    lane.pop_back();
    join_last(lane, all);
  }

  double free_from(const std::vector<Label>& lane) const {
    return lane.empty() ? left_ : lane.back().right() + kGap;
  }

  double left_;
  double right_;
  std::vector<Label> above_;
  std::vector<Label> below_;
};

}  // namespace

std::string to_svg(const TornadoChart& chart) {
  std::size_t longest = 0;
  for (const TornadoBar& bar : chart.bars) longest = std::max(longest, bar.name.size());
  const double left = std::clamp(16 + kWideLetter * static_cast<double>(longest), 100.0, kWidth / 2.0);
  const double right = kWidth - 40;
  std::vector<TornadoBar> bars = chart.bars;
  double least = chart.centre;
  double most = chart.centre;
  for (TornadoBar& bar : bars) {
    bar.values.emplace_back(chart.centre, "");
    std::ranges::sort(bar.values);
    least = std::min(least, bar.values.front().first);
    most = std::max(most, bar.values.back().first);
  }
  std::ranges::stable_sort(bars, std::greater<>(), [](const TornadoBar& bar) {
    return bar.values.back().first - bar.values.front().first;
  });
  const double span = most > least ? most - least : 1;
  const auto x = [&](double value) { return left + (right - left) * (0.03 + 0.94 * (value - least) / span); };
  const double step = (kHeight - kBottom - kTop) / static_cast<double>(std::max<std::size_t>(1, bars.size()));
  std::string out = head(chart.title) + "<g aria-label=\"values\">\n";
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double top = kTop + step * (static_cast<double>(i) + 0.45);
    const auto& values = bars[i].values;
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
                       x(values.front().first), top, x(values.back().first) - x(values.front().first),
                       step * 0.4, colour(5));
    out += text(left - 10, top + step * 0.3, bars[i].name, "end");
    BarLabels labels(4, kWidth - 4);
    for (const auto& [value, words] : values) {
      if (words.empty()) continue;
      out += fmt::format("<path d=\"M{:.1f} {:.1f}v{:.1f}\" stroke=\"{}\" stroke-width=\"3\"/>\n", x(value),
                         top, step * 0.4, colour(0));
      labels.add(x(value), words);
    }
    for (const BarLabels::Label& label : labels.above())
      out += text(label.left, top - 4, label.words, "start");
    for (const BarLabels::Label& label : labels.below())
      out += text(label.left, top + step * 0.4 + 13, label.words, "start");
  }
  out += "</g>\n";
  const double bottom = kHeight - kBottom + 8;
  out += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}\" stroke=\"black\"/>\n", x(chart.centre), kTop, bottom);
  for (const double value : {least, chart.centre, most}) {
    // The ends are left out where they would be written over the centre.
    if (value == chart.centre || std::abs(x(value) - x(chart.centre)) > 40)
      out += text(x(value), bottom + 16, fmt::format("{:.3f}", value));
  }
  return out + "</svg>\n";
}

}  // namespace overture::study
