// What the charts are drawn with: an axis, words and the frame of an SVG. Only for chart*.cpp.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace overture::study::chart_parts {

inline constexpr double kWidth = 760;
inline constexpr double kHeight = 460;
inline constexpr double kLeft = 70;
inline constexpr double kRight = 210;  // the legend
inline constexpr double kTop = 44;
inline constexpr double kBottom = 54;

std::string escaped(std::string_view text);
// The start of an SVG of this size, with its ground and title.
std::string head(std::string_view title, double width = kWidth, double height = kHeight);
std::string text(double x, double y, std::string_view what, std::string_view anchor = "middle");
// Upright, from the bottom to the top, centred on `y`.
std::string side_text(double y, std::string_view what);

// From values to pixels.
class Axis {
 public:
  Axis(bool log, double from, double to) : log_(log), from_(from), to_(to) {}

  bool shows(double value) const;
  void include(double value);
  // Whole powers or a round step, with some air.
  void settle();
  double at(double value) const;
  std::vector<double> ticks() const { return log_ ? log_ticks() : linear_ticks(); }
  double least() const { return least_; }

 private:
  std::vector<double> log_ticks() const;
  std::vector<double> linear_ticks() const;

  bool log_;
  double from_;
  double to_;
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = -std::numeric_limits<double>::infinity();
};

}  // namespace overture::study::chart_parts
