#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <tuple>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/testing_folder.h"
#include "overture/setup/prices.h"
#include "overture/study/codesign/journal.h"
#include "overture/study/codesign/report.h"

namespace overture::study {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSetup = R"(
network: {backend: flow, topology: {star: {hosts: 4}}}
workload:
  dlrm:
    dense_features: 4
    bottom: {widths: [8]}
    top: {widths: [8, 1]}
    tables: {count: 4, rows: 1000, columns: 8, pooling: 4}
    interaction: cat
    batch: 256
    compute: roofline:1 TFLOPS,100 GB/s
)";

constexpr const char* kSearch = R"(
setup: setup.yaml
checked: 0
axes:
  - {key: workload.dlrm.batch, values: [256, 1024]}
  - {key: workload.dlrm.sharding, values: [table_wise, row_wise, column_wise]}
networks:
  - name: star
    axes:
      - {key: network.topology.star.wire.rate, values: [10 Gbps, 100 Gbps, 400 Gbps]}
  - name: torus
    set: ["network.topology={torus: {sizes: [2, 2]}}"]
)";

// A folder of its own with a setup and a search in it.
class Codesign : public testing::Test {
 protected:
  Codesign() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write_file(folder_ / "setup.yaml", kSetup);
  }
  ~Codesign() override { fs::remove_all(folder_); }

  CandidateModel model(const std::vector<std::string>& overrides = {}) const {
    return CandidateModel(setup::parse_search_setup(kSearch, (folder_ / "search.yaml").string(), overrides));
  }
  SearchOptions options(int jobs = 1) const {
    return {.jobs = jobs, .folder = folder_ / "journal", .version = "test"};
  }

  fs::path folder_ = fs::temp_directory_path() / ("overture-codesign-" + std::to_string(getpid()));
};

std::vector<std::pair<double, double>> front_of(const SearchResult& result) {
  std::vector<std::pair<double, double>> front;
  for (const std::size_t i : result.front)
    front.emplace_back(result.tried[i].candidate.dollars, result.tried[i].per_million_us());
  return front;
}

TEST_F(Codesign, NothingIsBothCheaperAndFasterThanAPointOfTheFront) {
  const CandidateModel search = model();
  const SearchResult result = run_search(search, options());
  EXPECT_EQ(result.candidates, 2U * 3 * (3 + 1));
  EXPECT_EQ(result.cannot_run + result.over_budget + result.dominated + result.tried.size(),
            result.candidates);
  ASSERT_FALSE(result.front.empty());
  // Also none of those that were not simulated.
  for (std::uint64_t number = 0; number < result.candidates; ++number) {
    const Candidate candidate = search.describe(number);
    ASSERT_EQ(candidate.problem, "");
    const double time = candidate.per_million(search.simulate(candidate.point).step_us);
    EXPECT_GE(time, candidate.per_million(candidate.bound_us)) << "a bound holds";
    for (const auto& [dollars, per_million] : front_of(result))
      EXPECT_FALSE(candidate.dollars <= dollars && time < per_million) << number;
  }
}

TEST_F(Codesign, NoStepWithACacheIsShorterThanItsBound) {
  write_file(folder_ / "setup.yaml", R"(
passes: 2
network: {backend: flow, topology: {star: {hosts: 4, wire: {rate: 1 Gbps}}}}
workload:
  dlrm:
    dense_features: 13
    bottom: {widths: [256, 16]}
    top: {widths: [512, 1]}
    tables: {count: 26, rows: 20000000, columns: 16}
    interaction: cat
    batch: 256
)");
  const CandidateModel search(setup::parse_search_setup(R"(
setup: setup.yaml
axes:
  - {key: workload.dlrm.batch, values: [128, 512]}
  - {key: workload.dlrm.tables.columns, values: [8, 32]}
  - key: cache
    choices:
      - {name: beside, set: ["workload.cache={lookahead: 3, data: {synthetic: kaggle, scale: 0.001}}"]}
      - {name: apart, set: ["workload.cache={lookahead: 3, servers: 1, apart: true, data: {synthetic: kaggle, scale: 0.001}}"]}
networks:
  - name: star
    axes:
      - {key: network.topology.star.wire.rate, values: [1 Gbps, 400 Gbps]}
)",
                                                        (folder_ / "search.yaml").string()));
  for (std::uint64_t number = 0; number < count_points(search.search()); ++number) {
    const Candidate candidate = search.describe(number);
    ASSERT_EQ(candidate.problem, "");
    EXPECT_GT(candidate.bound_us, 0);
    EXPECT_GE(search.simulate(candidate.point).step_us, candidate.bound_us) << number;
  }
}

// Whatever is ruled out, the front is that of all candidates, each simulated.
TEST_F(Codesign, WhatIsRuledOutIsNotOnTheFront) {
  const CandidateModel search = model();
  const SearchResult result = run_search(search, options());
  std::vector<std::tuple<double, double, std::uint64_t>> all;
  for (std::uint64_t number = 0; number < result.candidates; ++number) {
    const Candidate candidate = search.describe(number);
    all.emplace_back(candidate.dollars, candidate.per_million(search.simulate(candidate.point).step_us),
                     number);
  }
  std::ranges::sort(all);
  std::vector<std::uint64_t> front;
  double fastest = 1e300;
  for (const auto& [dollars, time, number] : all) {
    if (time >= fastest) continue;
    fastest = time;
    front.push_back(number);
  }
  std::vector<std::uint64_t> found;
  for (const std::size_t i : result.front) found.push_back(result.tried[i].candidate.point.number);
  EXPECT_EQ(found, front);
}

TEST_F(Codesign, TheSameOnAnyNumberOfThreadsInPartsAndFromTheJournal) {
  const auto alone = front_of(run_search(model(), options()));
  const SearchResult again = run_search(model(), options());
  EXPECT_EQ(again.simulated_now, 0U);
  EXPECT_EQ(front_of(again), alone);
  fs::remove_all(folder_ / "journal");
  EXPECT_EQ(front_of(run_search(model(), options(3))), alone);
  fs::remove_all(folder_ / "journal");
  for (std::size_t part = 0; part < 2; ++part) {
    SearchOptions one = options();
    one.part = part;
    one.parts = 2;
    run_search(model(), one);
  }
  EXPECT_EQ(front_of(run_search(model(), options())), alone);
}

TEST_F(Codesign, AStoppedSearchGoesOnWhereItWas) {
  SearchOptions stopped = options();
  stopped.progress = [](std::size_t, std::size_t) { return false; };
  EXPECT_FALSE(run_search(model(), stopped).complete);
  // A line that was being written when the power went counts for nothing.
  std::ofstream(folder_ / "journal" / "part-1-of-1.journal", std::ios::app) << "00ab\t1.5\t";
  EXPECT_TRUE(run_search(model(), options()).complete);
}

TEST_F(Codesign, WhereverASearchIsStoppedItGoesOnFromWhatWasSimulated) {
  const auto front = front_of(run_search(model(), options()));
  const std::size_t all = run_search(model(), options()).tried.size();
  for (const int after : {1, 20, 40}) {
    fs::remove_all(folder_ / "journal");
    std::atomic<int> asked{0};
    const CandidateModel stops(setup::parse_search_setup(kSearch, (folder_ / "search.yaml").string(), {}),
                               [&] { return ++asked > after; });
    EXPECT_FALSE(run_search(stops, options(2)).complete) << after;
    const SearchResult rest = run_search(model(), options());
    EXPECT_TRUE(rest.complete);
    EXPECT_LE(rest.simulated_now, all);
    EXPECT_EQ(front_of(rest), front) << after;
  }
}

TEST_F(Codesign, ABudgetThatNothingMeetsNamesTheCheapestAndWhy) {
  try {
    run_search(model({"budget.dollars=10"}), options());
    FAIL();
  } catch (const UserError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("the cheapest, on star, costs"), std::string::npos) << text;
    EXPECT_NE(text.find("of it for"), std::string::npos) << text;
  }
}

TEST_F(Codesign, ThePricesInTheResultsCanBeReadBack) {
  network::Prices prices;
  prices.link = Dollars{7};
  prices.nic_watts = 3;
  const network::Prices again = setup::parse_prices(prices_yaml(prices), "prices.yaml");
  EXPECT_EQ(again.link.amount(), 7);
  EXPECT_EQ(again.nic_watts, 3);
  EXPECT_EQ(again.rate, prices.rate);
}

TEST_F(Codesign, ABudgetKeepsWhatIsWithinIt) {
  const SearchResult all = run_search(model(), options());
  const double limit = all.tried[all.front.front()].candidate.dollars;
  const SearchResult some = run_search(model({"budget.dollars=" + std::to_string(limit + 1)}), options());
  EXPECT_GT(some.over_budget, 0U);
  for (const Tried& tried : some.tried) EXPECT_LE(tried.candidate.dollars, limit + 1);
  EXPECT_EQ(best_under(all, limit), &all.tried[all.front.front()]);
  EXPECT_EQ(best_under(all, limit / 2), nullptr);
}

TEST_F(Codesign, TheReportHasTheSetupOfEveryPointOfTheFront) {
  const CandidateModel search = model();
  const SearchResult result = run_search(search, options());
  SearchFindings findings{
      .model = search, .result = result, .checks = {}, .matters = {}, .sensitivities = {}};
  findings.matters = what_matters(search, result);
  findings.sensitivities = sensitivities(search, result, result.tried[result.front.back()]);
  EXPECT_FALSE(findings.sensitivities.empty());
  const StudyReport report = make_search_report(findings);
  ASSERT_EQ(report.cells.size(), result.front.size());
  for (std::size_t i = 0; i < report.cells.size(); ++i) {
    const setup::Setup copied = setup::parse_setup(report.cells[i].setup, "front.yaml");
    const double step = static_cast<double>(simulation::simulate(copied.simulation).finished.count()) / 1e6;
    EXPECT_DOUBLE_EQ(step, result.tried[result.front[i]].time.step_us);
  }
}

TEST(SearchJournal, WhatWasAddedIsFoundByAllWhoReadTheFolder) {
  const TestFolder folder;
  {
    SearchJournal journal(folder.path(), 0, 2);
    journal.add(0x1234, {.step_us = 1.5, .compute_us = 0.1, .limit = "links"});
    EXPECT_EQ(journal.find(0x1234)->step_us, 1.5);
    EXPECT_FALSE(journal.find(0x1235));
  }
  const SearchJournal other(folder.path(), 1, 2);
  ASSERT_TRUE(other.find(0x1234));
  EXPECT_EQ(other.find(0x1234)->compute_us, 0.1) << "to the last bit";
  EXPECT_EQ(other.find(0x1234)->limit, "links");
}

TEST(SearchJournal, LinesThatAreCutShortAreLeftOut) {
  const TestFolder folder;
  folder.write("part-1-of-1.journal", "0000000000000001\t5\t2\tlinks\t.\n0000000000000002\t5\t2\tlin");
  folder.write("part-2-of-2.journal", "zz\t5\t2\tlinks\t.\n\n0000000000000003\t7\t2\t\t.\n");
  folder.write("notes.txt", "0000000000000004\t5\t2\tlinks\t.\n");
  const SearchJournal journal(folder.path(), 2, 3);
  EXPECT_TRUE(journal.find(1));
  EXPECT_FALSE(journal.find(2));
  EXPECT_EQ(journal.find(3)->step_us, 7);
  EXPECT_FALSE(journal.find(4)) << "no journal";
  EXPECT_FALSE(journal.find(0));
}

// Appended to and never synced: after a crash any prefix may be left, or zeros in place of the end.
TEST(SearchJournal, WhereverItIsCutOnlyWholeLinesCountAndTheNextRunGoesOn) {
  const TestFolder folder;
  const auto time_of = [](std::uint64_t key) {
    return StepTime{.step_us = 1.0 / static_cast<double>(key), .compute_us = 0.25, .limit = "links"};
  };
  {
    SearchJournal journal(folder.path(), 0, 1);
    for (const std::uint64_t key : {3, 7, 11}) journal.add(key, time_of(key));
    journal.flush();
  }
  const fs::path file = folder.path() / "part-1-of-1.journal";
  const std::string whole = read_file(file);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    for (const bool zeros : {false, true}) {
      SCOPED_TRACE(testing::Message() << size << " of " << whole.size() << ", zeros " << zeros);
      write_file(file, whole.substr(0, size) + std::string(zeros ? whole.size() - size : 0, '\0'));
      {
        SearchJournal next(folder.path(), 0, 1);
        for (const std::uint64_t key : {0, 3, 7, 11}) {
          const auto found = next.find(key);
          EXPECT_TRUE(!found || found->step_us == time_of(key).step_us) << key;
        }
        next.add(13, time_of(13));
        next.flush();
      }
      const SearchJournal last(folder.path(), 0, 1);
      ASSERT_TRUE(last.find(13));
      EXPECT_EQ(last.find(13)->step_us, time_of(13).step_us);
      EXPECT_FALSE(last.find(0));
    }
  }
}

TEST(SearchJournal, AFullDiskIsTold) {
  const TestFolder folder;
  const auto write_too_much = [&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit ten_bytes{10, 10};
    setrlimit(RLIMIT_FSIZE, &ten_bytes);
    SearchJournal journal(folder.path(), 0, 1);
    journal.add(1, {.step_us = 1});
    try {
      journal.flush();
    } catch (const UserError&) {
      _exit(7);
    }
    _exit(0);
  };
  EXPECT_EXIT(write_too_much(), testing::ExitedWithCode(7), "");
}

TEST(Money, IsInThousandsAndMillions) {
  EXPECT_EQ(money(950), "950 $");
  EXPECT_EQ(money(12'345), "12.3 k$");
  EXPECT_EQ(money(1.5e6), "1.50 M$");
}

}  // namespace
}  // namespace overture::study
