#include "overture/study/opera_dlrm/figures.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "overture/study/opera_dlrm/headline.h"
#include "overture/study/opera_dlrm/report.h"

namespace overture::study::opera_dlrm {
namespace {

StudyRow row(const std::string& cell, double seconds, double share = 0.5) {
  CellResult result{.iteration = Duration{static_cast<std::int64_t>(seconds * 1e12)},
                    .traffic_fraction = share};
  result.ends = {{"features", {seconds / 2}}, {"all-reduce", {seconds}}};
  return {parse_cell(cell), {result}};
}

std::set<std::string> files_of(const std::vector<Figure>& figures) {
  std::set<std::string> files;
  for (const Figure& figure : figures) files.insert(figure.file);
  return files;
}

const Figure& find(const std::vector<Figure>& figures, const std::string& file) {
  return *std::ranges::find(figures, file, &Figure::file);
}

TEST(OperaFigures, EveryVariantAndModelHasTimesAndTraffic) {
  std::vector<StudyRow> rows;
  for (const char* work : {"A.baseline", "A.bs_1048576", "A.bs_2097152", "A.embdim_40", "A.embdim_93",
                           "I.baseline", "I.bs_1048576", "I.bs_2097152"}) {
    rows.push_back(row(std::string(work) + ".16.fat-tree.ring.flow.sound.1", 2));
    rows.push_back(row(std::string(work) + ".16.opera.dps.flow.sound.1", 3));
  }
  const auto files = files_of(study_figures(rows));
  for (const char* name :
       {"baseline_a", "bs1k_a", "bs2k_a", "fs40_a", "fs93_a", "baseline_i", "bs1k_i", "bs2k_i"}) {
    const std::string variant = std::string(name).substr(0, std::string(name).find('_'));
    const char model = name[std::string(name).size() - 1];
    EXPECT_TRUE(files.contains(std::string(name) + ".svg")) << name;
    EXPECT_TRUE(files.contains(variant + "_traffic_" + model + ".svg")) << name;
    EXPECT_TRUE(files.contains(variant + "_tasks_" + model + "_16.svg")) << name;
  }
}

TEST(OperaFigures, OneSizeIsBarsSeveralAreLinesToo) {
  const StudyRow small = row("A.baseline.16.fat-tree.ring.flow.sound.1", 2);
  const StudyRow large = row("A.baseline.128.fat-tree.ring.flow.sound.1", 1);
  const auto one = study_figures({small});
  EXPECT_NE(find(one, "baseline_a.svg").svg.find("<rect x="), std::string::npos);
  EXPECT_NE(find(one, "baseline_a.svg").svg.find(", fat-tree ring: 2</title>"), std::string::npos);
  EXPECT_FALSE(files_of(one).contains("scaling-A.svg"));  // it would be the same picture
  const auto two = study_figures({small, large});
  EXPECT_NE(find(two, "scaling-A.svg").svg.find("<circle"), std::string::npos);
}

TEST(OperaFigures, NoTwoAreTheSamePicture) {
  for (const auto& rows : {std::vector{row("A.baseline.16.fat-tree.ring.flow.sound.1", 2)},
                           std::vector{row("A.baseline.16.fat-tree.ring.flow.sound.1", 2),
                                       row("A.baseline.128.fat-tree.ring.flow.sound.1", 3),
                                       row("A.bs_1048576.16.opera.dps.flow.sound.1", 3)}}) {
    std::set<std::string> pictures;
    const auto figures = study_figures(rows);
    for (const Figure& figure : figures) pictures.insert(figure.svg);
    EXPECT_EQ(pictures.size(), figures.size());
  }
}

TEST(OperaFigures, ColoursStayWithTheirNetwork) {
  const Cell tree = parse_cell("A.baseline.16.fat-tree.ring.flow.sound.1");
  const Cell opera = parse_cell("I.baseline.16.opera.dps.flow.sound.1");
  EXPECT_NE(contender_colour(tree), contender_colour(opera));
  // With and without others beside it, in every chart that has it.
  for (const auto& rows : {std::vector{row("I.baseline.16.opera.dps.flow.sound.1", 2)},
                           std::vector{row("I.baseline.16.fat-tree.ring.flow.sound.1", 2),
                                       row("I.baseline.16.opera.dps.flow.sound.1", 2)}}) {
    for (const Figure& figure : study_figures(rows)) {
      if (figure.file.find("traffic") != std::string::npos) continue;
      EXPECT_NE(figure.svg.find(contender_colour(opera)), std::string::npos) << figure.file;
    }
  }
}

TEST(OperaFigures, NumbersOfTablesStandOverTheAllReducesShare) {
  const auto figures = study_figures({row("A.baseline.128.fat-tree.ring.flow.sound.1.tables=10", 1, 0.9),
                                      row("A.baseline.128.fat-tree.ring.flow.sound.1.tables=2000", 4, 0.2)});
  const std::string& svg = find(figures, "tables_a_128.svg").svg;
  EXPECT_NE(svg.find("share of the bytes, %"), std::string::npos);
  EXPECT_NE(svg.find("fat-tree ring: 90, 1"), std::string::npos) << svg;
  EXPECT_NE(svg.find(">2000</text>"), std::string::npos);
}

TEST(OperaFigures, BothNetworksAreInThePictureOfTaskEnds) {
  const auto figures = study_figures(
      {row("A.baseline.16.fat-tree.ring.flow.sound.1", 2), row("A.baseline.16.opera.dps.flow.sound.1", 3)});
  const std::string& svg = find(figures, "baseline_tasks_a_16.svg").svg;
  EXPECT_NE(svg.find("all-reduce, fat-tree ring, the last: 2"), std::string::npos) << svg;
  EXPECT_NE(svg.find("all-reduce, opera dps, the last: 3"), std::string::npos) << svg;
}

StudyRow seeds(const std::string& cell, const std::vector<double>& seconds) {
  StudyRow all = row(cell, seconds.front());
  all.results.clear();
  for (const double each : seconds) all.results.push_back(row(cell, each).results.front());
  return all;
}

TEST(OperaHeadline, PacketsAreARangeOverSeedsAndDecideTheVerdict) {
  const std::vector<StudyRow> rows{seeds("A.baseline.16.fat-tree.ring.packet.published.1", {30, 45, 42}),
                                   row("A.baseline.16.opera.dps.packet.published.1", 30),
                                   row("A.baseline.128.fat-tree.ring.packet.published.1", 6),
                                   row("A.baseline.128.opera.dps.packet.published.1", 4)};
  const auto wanted = headlines();
  ASSERT_EQ(wanted.size(), 4U);
  EXPECT_EQ(finding_of(wanted[0], rows).packets, (std::vector<double>{1, 1.5, 1.4}));
  const auto claims = headline_claims(wanted, rows);
  EXPECT_EQ(claims[0].verdict, Verdict::met) << "1.20 lies between 1.00 and 1.50";
  EXPECT_EQ(claims[1].verdict, Verdict::not_met) << "1.14 is not 1.50";
  EXPECT_EQ(claims[2].verdict, Verdict::open);
  const std::string table = headline_table(wanted, rows);
  EXPECT_NE(table.find("1.00 to 1.50 (3) "), std::string::npos) << table;
  EXPECT_NE(table.find("1.26 to 2.43 (2)*"), std::string::npos) << table;
  EXPECT_NE(table.find("* recorded"), std::string::npos) << table;
}

TEST(OperaHeadline, PublishedRatiosAreThoseOfThePublishedTimes) {
  for (const Headline& headline : headlines()) {
    Cell tree = headline.work;
    tree.network = StudyNetwork::fat_tree;
    tree.all_reduce = kRing;
    Cell opera = headline.work;
    opera.network = StudyNetwork::opera;
    opera.all_reduce = kDps;
    const double ratio =
        to_us(published_time(tree).value().iteration) / to_us(published_time(opera).value().iteration);
    EXPECT_NEAR(ratio, headline.published, 0.0006) << headline.what;
  }
}

TEST(OperaHeadline, TheRunTimeIsAnnounced) {
  const auto cells = headline_cells({16}, 3);
  EXPECT_EQ(cells.size(), 9U) << "three seeds and stamped on the tree, Opera, four fluids";
  const std::string all = announcement(cells, cells.size(), 2);
  EXPECT_NE(all.find("9 of 9 cells are left: about 2 min of CPU time, 2 at a time"), std::string::npos)
      << all;
  EXPECT_EQ(announcement({}, cells.size(), 2), "all 9 cells are finished");
}

TEST(OperaHeadline, DpsOnBothIsComparedWithThePublishedTimesOnly) {
  // Published: 29.826 s on the tree, 30.763 s on Opera.
  const auto claims = same_reduce_claims({row("A.baseline.16.fat-tree.dps.flow.published.1", 29.6),
                                          row("A.baseline.16.opera.dps.flow.published.1", 30.3)});
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].published, "0.970");
  EXPECT_EQ(claims[0].verdict, Verdict::met);
  EXPECT_TRUE(same_reduce_claims({row("A.baseline.16.fat-tree.dps.flow.sound.1", 29.6),
                                  row("A.baseline.16.opera.dps.flow.sound.1", 30.3)})
                  .empty());
}

TEST(OperaReport, ExplainsItsWords) {
  const std::string text = terms_text();
  EXPECT_NE(text.find("as published: "), std::string::npos);
  EXPECT_NE(text.find("sound: "), std::string::npos);
}

}  // namespace
}  // namespace overture::study::opera_dlrm
