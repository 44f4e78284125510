// Charts as text: every drawing is well formed, and shows what it was given.
#include "overture/study/chart.h"

#include <set>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace overture::study {
namespace {

// Every element that is opened is closed in turn, and no text has a bare < or &.
void expect_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    const std::size_t end = svg.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = svg.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" \n/"));
    if (tag.starts_with('/')) {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(tag.substr(1), open.back());
      open.pop_back();
    } else if (!tag.ends_with('/') && !tag.starts_with('?') && !tag.starts_with('!')) {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

bool shows(const std::string& svg, const std::string& text) { return svg.find(text) != std::string::npos; }

Chart lines() {
  return {.title = "Iteration & time <ms>",
          .x = "nodes",
          .y = "ms",
          .series = {{.name = "ours", .colour = "#123456", .points = {{16, 1.5}, {32, 3}, {1024, 90}}},
                     {.name = "published", .colour = "#654321", .points = {{16, 2}}, .line = false}}};
}

TEST(Chart, IsWellFormedWhateverTheAxes) {
  for (const bool log_x : {false, true}) {
    for (const bool log_y : {false, true}) {
      Chart chart = lines();
      chart.log_x = log_x;
      chart.log_y = log_y;
      expect_well_formed(to_svg(chart));
    }
  }
}

TEST(Chart, EscapesWhatIsWritten) {
  const std::string svg = to_svg(lines());
  EXPECT_TRUE(shows(svg, "Iteration &amp; time &lt;ms>"));
  EXPECT_FALSE(shows(svg, "<ms>"));
}

TEST(Chart, NamesEverySeries) {
  const std::string svg = to_svg(lines());
  EXPECT_TRUE(shows(svg, ">ours<"));
  EXPECT_TRUE(shows(svg, ">published<"));
  EXPECT_TRUE(shows(svg, "#123456"));
}

TEST(Chart, WithoutPointsIsStillADrawing) {
  expect_well_formed(to_svg(Chart{.title = "empty", .x = "x", .y = "y"}));
  Chart one = lines();
  one.series.resize(1);
  one.series[0].points = {{5, 5}};
  expect_well_formed(to_svg(one));
}

TEST(Chart, LogarithmicAxesLeaveOutWhatTheyCannotShow) {
  Chart chart = lines();
  chart.log_x = chart.log_y = true;
  chart.series[0].points = {{0, 1}, {-5, 2}, {10, 0}, {10, 10}, {100, 20}};
  expect_well_formed(to_svg(chart));
}

TEST(Chart, LabelsOfManyDecadesAreTheirPowersOfTen) {
  Chart chart = lines();
  chart.log_x = true;
  chart.series[0].points = {{0.03, 1}, {30, 2}};
  chart.series.resize(1);
  EXPECT_TRUE(shows(to_svg(chart), ">0.5<"));
  chart.series[0].points = {{0.0003, 1}, {3, 2}};
  EXPECT_FALSE(shows(to_svg(chart), ">0.0005<"));
  EXPECT_TRUE(shows(to_svg(chart), ">0.001<"));
}

TEST(Chart, TheSameChartGivesTheSameText) { EXPECT_EQ(to_svg(lines()), to_svg(lines())); }

TEST(BarChart, ShowsEveryBarAndItsMark) {
  const BarChart chart{.title = "traffic",
                       .lower = "all-reduce",
                       .upper = "all-to-all",
                       .mark = "published",
                       .bars = {{.name = "16", .share = 0.25, .mark = 0.3}, {.name = "1024", .share = 1}}};
  const std::string svg = to_svg(chart);
  expect_well_formed(svg);
  for (const char* text : {"16", "1024", "all-reduce", "all-to-all", "published"})
    EXPECT_TRUE(shows(svg, text)) << text;
}

TEST(ColumnChart, LeavesOutWhatIsNoNumber) {
  ColumnChart chart{.title = "layers",
                    .x = "layer",
                    .y = "us",
                    .groups = {"a", "b"},
                    .series = {{.name = "s", .colour = "#111111", .values = {1, std::nan("")}}}};
  for (const bool stacked : {false, true}) {
    chart.stacked = stacked;
    expect_well_formed(to_svg(chart));
  }
  chart.stacked = false;
  chart.log_y = true;
  expect_well_formed(to_svg(chart));
}

TEST(StripChart, ShowsRowsAndSeries) {
  const StripChart chart{.title = "ends",
                         .x = "s",
                         .rows = {"features", "gradients"},
                         .series = {{.name = "fat tree", .colour = "#222222", .values = {{0.1, 0.2}, {}}}}};
  const std::string svg = to_svg(chart);
  expect_well_formed(svg);
  EXPECT_TRUE(shows(svg, "features"));
  EXPECT_TRUE(shows(svg, "gradients"));
  EXPECT_TRUE(shows(svg, "fat tree"));
}

TEST(TornadoChart, PutsTheWidestBarOnTop) {
  const TornadoChart chart{.title = "what matters",
                           .centre = 1,
                           .bars = {{.name = "narrow", .values = {{0.9, "a"}, {1.1, "b"}}},
                                    {.name = "wide", .values = {{0.2, "c"}, {3, "d"}}}}};
  const std::string svg = to_svg(chart);
  expect_well_formed(svg);
  EXPECT_LT(svg.find(">wide<"), svg.find(">narrow<"));
}

// Left end and width of every text on the line, as drawn: no letter is wider than 6.6 pixels.
std::vector<std::pair<double, double>> texts_at(const std::string& svg, const std::string& y) {
  std::vector<std::pair<double, double>> found;
  for (std::size_t at = svg.find("<text x=\""); at != std::string::npos;
       at = svg.find("<text x=\"", at + 1)) {
    const std::string line = svg.substr(at, svg.find("</text>", at) - at);
    if (line.find("y=\"" + y + "\"") == std::string::npos || line.find("start") == std::string::npos)
      continue;
    found.emplace_back(std::stod(line.substr(9)),
                       6.6 * static_cast<double>(line.size() - line.find('>') - 1));
  }
  return found;
}

TEST(TornadoChart, NoLabelIsWrittenOverAnother) {
  TornadoBar bar{.name = "rate", .values = {}};
  const std::vector<double> values{0.2, 0.21, 0.22, 0.225, 0.23, 1, 2.6, 2.9, 2.95, 3};
  for (std::size_t i = 0; i < values.size(); ++i)
    bar.values.emplace_back(values[i], fmt::format("{}00 Gbps", i));
  const std::string svg = to_svg(TornadoChart{.title = "what matters", .centre = 1, .bars = {bar}});
  expect_well_formed(svg);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_TRUE(shows(svg, fmt::format("{}00 Gbps", i))) << i;
  std::set<std::string> lines;
  for (std::size_t at = svg.find("text-anchor=\"start\""); at != std::string::npos;
       at = svg.find("text-anchor=\"start\"", at + 1)) {
    const std::size_t y = svg.rfind("y=\"", at) + 3;
    lines.insert(svg.substr(y, svg.find('"', y) - y));
  }
  EXPECT_EQ(lines.size(), 2U) << "one above the bar and one below";
  for (const std::string& line : lines) {
    const auto texts = texts_at(svg, line);
    for (std::size_t i = 1; i < texts.size(); ++i)
      EXPECT_LE(texts[i - 1].first + texts[i - 1].second, texts[i].first) << line;
    EXPECT_LE(texts.back().first + texts.back().second, 760);
  }
}

TEST(TornadoChart, TheNameOfABarIsNotCut) {
  const std::string name = "workload.dlrm.tables.columns";
  const std::string svg = to_svg(
      TornadoChart{.title = "what matters", .centre = 1, .bars = {{.name = name, .values = {{2, "a"}}}}});
  const std::size_t at = svg.rfind("<text x=\"", svg.find(">" + name + "<"));
  EXPECT_GE(std::stod(svg.substr(at + 9)), 6.6 * static_cast<double>(name.size()));
}

TEST(Colours, OfTheFirstSeriesAreDifferentAndAlwaysTheSame) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(colour(i), colour(i));
    seen.insert(colour(i));
  }
  EXPECT_EQ(seen.size(), 6);
}

}  // namespace
}  // namespace overture::study
