// What a search tells its reader, from made-up results: nothing is simulated.
#include "overture/study/codesign/report.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/testing_folder.h"

namespace overture::study {
namespace {

constexpr const char* kReportedSetup = R"(
network: {backend: flow, topology: {star: {hosts: 4}}}
workload:
  dlrm:
    dense_features: 4
    bottom: {widths: [8]}
    top: {widths: [8, 1]}
    tables: {count: 4, rows: 1000, columns: 8, pooling: 4}
    interaction: cat
    batch: 250000
    compute: roofline:1 TFLOPS,100 GB/s
)";

constexpr const char* kReportedSearch = R"(
name: a small search
setup: setup.yaml
axes:
  - {key: workload.dlrm.batch, values: [250000, 500000]}
networks:
  - name: star
    axes:
      - {key: network.topology.star.wire.rate, values: [10 Gbps, 100 Gbps]}
  - name: torus
    set: ["network.topology={torus: {sizes: [2, 2]}}"]
)";

// A cheap slow point, a dear fast one, and one that is neither. A step of a quarter of a million samples.
class SearchReport : public ::testing::Test {
 protected:
  SearchReport()
      : setup_(folder_.write("setup.yaml", kReportedSetup)),
        model_(setup::parse_search_setup(kReportedSearch, (folder_ / "search.yaml").string())) {
    result_.candidates = 6;
    result_.cannot_run = 1;
    result_.dominated = 2;
    tried(0, 1000, 40'000, "links");
    tried(1, 5000, 30'000, "the \"top\" MLP");
    tried(number_of(model_.search(), 1, {0}), 20'000, 10'000, "computing");
    result_.front = {0, 2};
    findings_.matters = {"links at half the rate: +90 %", ""};
  }
  void tried(std::uint64_t number, double dollars, double step_us, const std::string& limit) {
    Tried one{.candidate = {.point = search_point(model_.search(), number),
                            .dollars = dollars,
                            .watts = 1500,
                            .bound_us = 1,
                            .batch = 250'000},
              .time = {.step_us = step_us, .compute_us = step_us / 4, .limit = limit}};
    result_.tried.push_back(one);
  }
  std::string table(const std::string& file) const {
    const StudyReport report = make_search_report(findings_);
    const auto found = std::ranges::find(report.tables, file, &StudyTable::file);
    return found == report.tables.end() ? "none" : found->text;
  }

  TestFolder folder_;
  std::filesystem::path setup_;
  CandidateModel model_;
  SearchResult result_;
  SearchFindings findings_{
      .model = model_, .result = result_, .checks = {}, .matters = {}, .sensitivities = {}};
};

TEST_F(SearchReport, WordsAreTheLastPartsOfTheKeysAndTheirValues) {
  EXPECT_EQ(words_of(model_.search(), result_.tried[0].candidate.point), "batch 250000, rate 10 Gbps");
  EXPECT_EQ(words_of(model_.search(), result_.tried[2].candidate.point), "batch 250000");
}

// 40 ms for a quarter of a million samples are 0.16 s for a million.
TEST_F(SearchReport, TheHeadlineTellsBothEndsOfTheFront) {
  EXPECT_EQ(headline_of(findings_),
            "2 points are on the front. The cheapest (star, 1.0 k$) takes 0.16 s for a million samples, the "
            "fastest (torus, 20.0 k$) 0.04 s: computing. Packets checked none of it.");
}

TEST_F(SearchReport, PacketsAreTheirFastestWayAndMayLeaveTheFront) {
  findings_.checks = {{.front = 0, .what = "transport=roce", .folder = "checks/0", .step_us = 44'000},
                      {.front = 0, .what = "transport=ndp", .folder = "checks/1", .step_us = 42'000},
                      {.front = 0, .what = "transport=tcp", .problem = "too large"},
                      {.front = 1, .step_us = 13'000}};
  ASSERT_NE(best_check(findings_, 0), nullptr);
  EXPECT_EQ(best_check(findings_, 0)->what, "transport=ndp");
  EXPECT_EQ(best_check(findings_, 7), nullptr);
  EXPECT_NE(headline_of(findings_).find("Packets checked 2 of its points: at most 30 % away from flows; all "
                                        "of them stay on the front."),
            std::string::npos)
      << headline_of(findings_);
  findings_.checks.back().step_us = 43'000;
  EXPECT_NE(headline_of(findings_).find("1 of them are then no longer on the front"), std::string::npos);
  EXPECT_NE(table("checks.csv").find("\"transport=tcp\",40000.000000,,,\"too large\"\n"), std::string::npos)
      << table("checks.csv");
}

TEST_F(SearchReport, EveryCandidateThatWasSimulatedIsALine) {
  EXPECT_EQ(
      table("candidates.csv"),
      "network,candidate,dollars,watts,batch,step_us,bound_us,compute_us,seconds_per_million,on_front,"
      "limit\n"
      "\"star\",\"batch 250000, rate 10 Gbps\",1000.00,1500.0,250000,40000.000000,1.000000,10000.000000,"
      "0.160000000,1,\"links\"\n"
      "\"star\",\"" +
          words_of(model_.search(), result_.tried[1].candidate.point) +
          "\",5000.00,1500.0,250000,30000.000000,1.000000,7500.000000,0.120000000,0,\"the "
          "\"\"top\"\" MLP\"\n"
          "\"torus\",\"batch 250000\",20000.00,1500.0,250000,10000.000000,1.000000,2500.000000,"
          "0.040000000,1,\"computing\"\n");
}

TEST_F(SearchReport, TheFrontSaysWhatMatters) {
  const std::string front = table("front.csv");
  EXPECT_NE(front.find("0.160000000,,\"\",\"links\",\"links at half the rate: +90 %\"\n"), std::string::npos)
      << front;
  EXPECT_EQ(std::ranges::count(front, '\n'), 3);
  EXPECT_EQ(table("checks.csv"), "none") << "nothing was checked";
  const std::string shown = front_table(findings_);
  EXPECT_NE(shown.find("1: batch 250000, rate 10 Gbps. Limit: links; links at half the rate: +90 %"),
            std::string::npos)
      << shown;
  EXPECT_NE(shown.find("1.5 kW"), std::string::npos);
}

TEST_F(SearchReport, ABudgetBuysTheFastestThatItPaysFor) {
  EXPECT_EQ(best_under(result_, 999), nullptr);
  EXPECT_EQ(best_under(result_, 1000), &result_.tried[0]);
  EXPECT_EQ(best_under(result_, 19'999), &result_.tried[0]) << "the second is not on the front";
  EXPECT_EQ(best_under(result_, 1e9), &result_.tried[2]);
  const std::string shown = budget_table(findings_, {500, 2000, 30'000});
  EXPECT_NE(shown.find("500 $"), std::string::npos) << shown;
  EXPECT_NE(shown.find("nothing"), std::string::npos) << shown;
  EXPECT_NE(shown.find("torus"), std::string::npos) << shown;
}

TEST_F(SearchReport, NumbersAddUpAndEveryPointHasItsCommand) {
  const StudyReport report = make_search_report(findings_);
  EXPECT_TRUE(
      report.headline.starts_with("Of 6 candidates 1 cannot run, 0 cost more than the budget, 2 cannot be "
                                  "faster than one that costs no more, "
                                  "and 3 were simulated."))
      << report.headline;
  EXPECT_EQ(report.title, "a small search");
  ASSERT_EQ(report.cells.size(), 2U);
  EXPECT_EQ(report.cells[0].command, "overture simulate front-1.yaml");
  EXPECT_TRUE(report.cells[0].setup.starts_with("# links\n# links at half the rate: +90 %\n"));
  EXPECT_EQ(report.figures.size(), 1U) << "no sensitivities";
  findings_.sensitivities = {{.key = "batch", .values = {{0.5, "500000"}, {1, "250000"}}}};
  EXPECT_EQ(make_search_report(findings_).figures.size(), 2U);
}

// Parts of the bill add up to what describe() says that the network costs.
TEST_F(SearchReport, BillsAddUpToTheCost) {
  for (const Tried& tried : result_.tried) {
    const Candidate described = model_.describe(tried.candidate.point.number);
    double dollars = 0;
    for (const network::CostPart& part : model_.bill(tried.candidate.point)) dollars += part.dollars;
    EXPECT_NEAR(dollars, described.dollars, 1e-6 * described.dollars) << tried.candidate.point.number;
    EXPECT_GT(described.bound_us, 0);
  }
}

}  // namespace
}  // namespace overture::study
