#include "overture/study/chart_parts.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace overture::study::chart_parts {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string head(std::string_view title, double width, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{2}\" y=\"24\" font-size=\"15\">{3}</text>\n",
      width, height, kLeft, escaped(title));
}

std::string text(double x, double y, std::string_view what, std::string_view anchor) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(what));
}

std::string side_text(double y, std::string_view what) {
  return fmt::format(
      "<text transform=\"translate(18 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n", y,
      escaped(what));
}

bool Axis::shows(double value) const { return std::isfinite(value) && (!log_ || value > 0); }

void Axis::include(double value) {
  if (!shows(value)) return;
  least_ = std::min(least_, value);
  most_ = std::max(most_, value);
}

void Axis::settle() {
  if (least_ > most_) least_ = most_ = 1;
  if (log_) {
    least_ /= 1.3;
    most_ *= 1.3;
    return;
  }
  least_ = std::min(least_, 0.0);
  most_ = most_ <= least_ ? least_ + 1 : most_ * 1.05;
}

double Axis::at(double value) const {
  const auto scale = [this](double v) { return log_ ? std::log10(v) : v; };
  return from_ + (to_ - from_) * (scale(value) - scale(least_)) / (scale(most_) - scale(least_));
}

// 1, 2 and 5 of every decade; of more than four decades only the 1, or their labels would overlap.
std::vector<double> Axis::log_ticks() const {
  std::vector<double> ticks;
  const bool many = most_ > 1e4 * least_;
  const double start = std::pow(10.0, std::floor(std::log10(least_)));
  for (double decade = start; decade <= most_; decade *= 10) {
    for (const double step : {1.0, 2.0, 5.0}) {
      if (many && step > 1) break;
      if (decade * step >= least_ && decade * step <= most_) ticks.push_back(decade * step);
    }
  }
  return ticks;
}

std::vector<double> Axis::linear_ticks() const {
  double step = std::pow(10.0, std::floor(std::log10((most_ - least_) / 4)));
  while ((most_ - least_) / step > 8) step *= 2;
  std::vector<double> ticks;
  for (double tick = std::ceil(least_ / step) * step; tick <= most_; tick += step) ticks.push_back(tick);
  return ticks;
}

}  // namespace overture::study::chart_parts
