#include "overture/study/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>

#include <fmt/format.h>

namespace overture::study {
namespace {

constexpr double kWidth = 760;
constexpr double kHeight = 460;
constexpr double kLeft = 70;
constexpr double kRight = 210;  // the legend
constexpr double kTop = 44;
constexpr double kBottom = 54;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string head(std::string_view title) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{2}\" y=\"24\" font-size=\"15\">{3}</text>\n",
      kWidth, kHeight, kLeft, escaped(title));
}

std::string text(double x, double y, std::string_view what, std::string_view anchor = "middle") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(what));
}

// From values to pixels.
class Axis {
 public:
  Axis(bool log, double from, double to) : log_(log), from_(from), to_(to) {}

  bool shows(double value) const { return std::isfinite(value) && (!log_ || value > 0); }
  void include(double value) {
    if (!shows(value)) return;
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
  }
  // Whole powers or a round step, with some air.
  void settle() {
    if (least_ > most_) least_ = most_ = 1;
    if (log_) {
      least_ /= 1.3;
      most_ *= 1.3;
      return;
    }
    least_ = std::min(least_, 0.0);
    most_ = most_ <= least_ ? least_ + 1 : most_ * 1.05;
  }
  double at(double value) const {
    const auto scale = [this](double v) { return log_ ? std::log10(v) : v; };
    return from_ + (to_ - from_) * (scale(value) - scale(least_)) / (scale(most_) - scale(least_));
  }
  std::vector<double> ticks() const { return log_ ? log_ticks() : linear_ticks(); }

 private:
  std::vector<double> log_ticks() const {
    std::vector<double> ticks;
    const double start = std::pow(10.0, std::floor(std::log10(least_)));
    for (double decade = start; decade <= most_; decade *= 10) {
      for (const double step : {1.0, 2.0, 5.0}) {
        if (decade * step >= least_ && decade * step <= most_) ticks.push_back(decade * step);
      }
    }
    return ticks;
  }
  std::vector<double> linear_ticks() const {
    double step = std::pow(10.0, std::floor(std::log10((most_ - least_) / 4)));
    while ((most_ - least_) / step > 8) step *= 2;
    std::vector<double> ticks;
    for (double tick = std::ceil(least_ / step) * step; tick <= most_; tick += step) ticks.push_back(tick);
    return ticks;
  }

  bool log_;
  double from_;
  double to_;
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = -std::numeric_limits<double>::infinity();
};

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
  out +=
      fmt::format("<text transform=\"translate(18 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                  (kTop + bottom) / 2, escaped(chart.y));
  return out;
}

std::string draw_mark(double x, double y, const Series& series) {
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\" stroke=\"{}\"/>\n", x, y,
                     series.line ? series.colour : "white", series.colour);
}

std::string draw_series(const Series& series, const Axis& x, const Axis& y) {
  std::string path;
  std::string marks;
  for (const auto& [px, py] : series.points) {
    if (!x.shows(px) || !y.shows(py)) continue;
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x.at(px), y.at(py));
    if (series.marks) marks += draw_mark(x.at(px), y.at(py), series);
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
  for (const Series& series : chart.series) out += draw_series(series, x, y);
  return out + draw_legend(chart) + "</svg>\n";
}

std::string to_svg(const BarChart& chart) {
  const double bottom = kHeight - kBottom;
  const double height = bottom - kTop;
  const double step =
      (kWidth - kRight - kLeft) / static_cast<double>(std::max<std::size_t>(1, chart.bars.size()));
  std::string out = head(chart.title);
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    const Bar& bar = chart.bars[i];
    const double x = kLeft + step * (static_cast<double>(i) + 0.15);
    const double split = bottom - height * bar.share;
    const auto box = [&](double top, double tall, std::size_t number) {
      out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
                         x, top, step * 0.7, tall, colour(number));
    };
    box(split, bottom - split, 0);
    box(kTop, split - kTop, 4);
    if (bar.mark >= 0) {
      out += fmt::format("<path d=\"M{:.1f} {:.1f}h{:.1f}\" stroke=\"black\" stroke-width=\"2\"/>\n", x - 4,
                         bottom - height * bar.mark, step * 0.7 + 8);
    }
    out += text(x + step * 0.35, split < kTop + 20 ? split + 16 : split - 4,
                fmt::format("{:.1f}%", 100 * bar.share));
    out += text(x + step * 0.35, bottom + 16, bar.name);
  }
  const double left = kWidth - kRight + 14;
  double y = kTop + 10;
  for (const auto& [words, number] : {std::pair{chart.upper, 4}, std::pair{chart.lower, 0}}) {
    out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"16\" height=\"10\" fill=\"{}\"/>\n", left, y - 6,
                       colour(static_cast<std::size_t>(number)));
    out += text(left + 24, y + 4, words, "start");
    y += 18;
  }
  if (!chart.mark.empty()) {
    out += fmt::format("<path d=\"M{} {}h16\" stroke=\"black\" stroke-width=\"2\"/>\n", left, y);
    out += text(left + 24, y + 4, chart.mark, "start");
  }
  return out + "</svg>\n";
}

std::string to_svg(const TornadoChart& chart) {
  const double left = 170;
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
  std::string out = head(chart.title);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double top = kTop + step * (static_cast<double>(i) + 0.45);
    const auto& values = bars[i].values;
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
                       x(values.front().first), top, x(values.back().first) - x(values.front().first),
                       step * 0.4, colour(5));
    out += text(left - 10, top + step * 0.3, bars[i].name, "end");
    bool above = false;  // in turn, so that neighbours do not meet
    for (const auto& [value, words] : values) {
      if (words.empty()) continue;
      above = !above;
      out += fmt::format("<path d=\"M{:.1f} {:.1f}v{:.1f}\" stroke=\"{}\" stroke-width=\"3\"/>\n", x(value),
                         top, step * 0.4, colour(0));
      out += text(x(value), above ? top - 4 : top + step * 0.4 + 13, words);
    }
  }
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
