// Mistakes in setups of train, sweep and codesign: one line each, with the whole message.
#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/setup/search_setup.h"
#include "overture/setup/sweep_setup.h"
#include "overture/setup/testing.h"
#include "overture/setup/train_setup.h"

namespace overture::setup {
namespace {

// As `overture train` reads it: keys, then what follows from the data.
void parse_training(const std::vector<std::string>& changes) {
  const TrainSetup setup =
      parse_train_setup("data: {synthetic: kaggle, scale: 0.0001}\ntables: {dim: 8}\n", "a.yaml", changes);
  make_train_config(setup, open_train_data(setup, data::Part::train)->shape());
}

TEST(TrainMessages, OfCounts) {
  expect_messages({{{"batch_size=0"}, "a.yaml: batch_size: 0 is less than 1"},
                   {{"steps=-1"}, "a.yaml: steps: -1 is less than 0"},
                   {{"checkpoint_every=-1"}, "a.yaml: checkpoint_every: -1 is less than 0"},
                   {{"keep_every=-1"}, "a.yaml: keep_every: -1 is less than 0"},
                   {{"evaluate_every=-1"}, "a.yaml: evaluate_every: -1 is less than 0"},
                   {{"patience=-1"}, "a.yaml: patience: -1 is less than 0"},
                   {{"cache.lookahead=-1"}, "a.yaml: cache.lookahead: -1 is less than 0"},
                   {{"data.epochs=0"}, "a.yaml: data.epochs: 0 is less than 1"},
                   {{"data.max_ind_range=-1"}, "a.yaml: data.max_ind_range: -1 is less than 0"},
                   {{"data.lookups=0"}, "a.yaml: data.lookups: 0 is less than 1"},
                   {{"data.test_every=-1"}, "a.yaml: data.test_every: -1 is less than 0"},
                   {{"data.shuffle_block=-1"}, "a.yaml: data.shuffle_block: -1 is less than 0"},
                   {{"tables.dim=0"}, "a.yaml: tables.dim: 0 is less than 1"}},
                  parse_training);
}

TEST(TrainMessages, OfKeysThatDoNotGoTogether) {
  expect_messages(
      {{{"data=~"},
        "a.yaml: data: no data is given\n  give data.file (--data FILE), or data.synthetic (--synthetic "
        "kaggle)"},
       {{"data.file=x.tsv"},
        "a.yaml: data: has more than one of file, synthetic and own\n  give data.file (--data FILE), or "
        "data.synthetic (--synthetic kaggle)"},
       {{"data.ids=ids.bin", "data.max_ind_range=10"},
        "a.yaml: data.max_ind_range: cannot be combined with data.ids\n  leave one of the two out"},
       {{"cache.cleanup_interval=2", "cache.cleanup_proportion=0.5"},
        "a.yaml: cache.cleanup_proportion: cannot be combined with cleanup_interval\n  choose one"},
       {{"cache.lookahead=0", "trainers=2"},
        "a.yaml: trainers: several trainers without a cache can only hold whole tables\n  set "
        "tables.sharding to table_wise, or cache.lookahead to 1 or more"},
       {{"patience=3"},
        "a.yaml: patience: there are no evaluations, so patience has nothing to count\n  set evaluate_every, "
        "for example to 1000"},
       {{"evaluate_every=3", "data.test_every=0"},
        "a.yaml: evaluate_every: there are no held-out samples\n  set data.test_every, for example to 10"}},
      parse_training);
}

TEST(TrainMessages, OfModelsAndTables) {
  const std::string list = "\" is not a list of sizes\n  such as 512-256-1";
  expect_messages(
      {{{"model.mlp_top=64-x"}, "a.yaml: model.mlp_top: \"64-x" + list},
       {{"model.mlp_top=64-"}, "a.yaml: model.mlp_top: \"64-" + list},
       {{"model.mlp_top=0-1"}, "a.yaml: model.mlp_top: \"0-1" + list},
       {{"model.mlp_bottom=-13-8"}, "a.yaml: model.mlp_bottom: \"-13-8" + list},
       {{"model.kind=fgcnn", "model.channels=14-1.5"}, "a.yaml: model.channels: \"14-1.5" + list},
       {{"tables.rows=5-6"}, "a.yaml: tables.rows: names 2 tables; the data has 26"},
       {{"tables.dims=8-8"}, "a.yaml: tables.dims: names 2 tables; the data has 26"},
       {{"tables.pooling=weighted"},
        "a.yaml: tables.pooling: weighted, but the synthetic data has no weights\n  set data.weighted to "
        "true, or take sum or mean"},
       {{"model.kind=dlmr"},
        "a.yaml: model.kind: unknown value \"dlmr\"\n  did you mean \"dlrm\"? known: dlrm, wide_and_deep, "
        "dcn, deep_fm, fgcnn, caser, external"},
       {{"tables.plan=[{count: 27, sharding: row_wise}]"},
        "a.yaml: tables.plan.0.count: places more than the 26 tables, or none"},
       {{"tables.plan=[{count: 25, sharding: row_wise}]"},
        "a.yaml: tables.plan: 25 places for 26 tables\n  give every table a place"},
       {{"tables.plan=[{count: 26, ranks: [1]}]"},
        "a.yaml: tables.plan: table 0 is on server 1, but servers are 0 to 0\n  start at least 2 servers, or "
        "plan for 1"},
       {{"tables.plan=[{count: 26, sharding: data_parallel}]", "servers=2"},
        "a.yaml: tables.plan: table 0 is data_parallel, but every row has one home\n  make the plan with "
        "`overture plan MODEL --for train`"},
       {{"tables.plan=nowhere.yaml"}, "nowhere.yaml: cannot be read: No such file or directory"},
       {{"tables.sharding=by_row"},
        "a.yaml: tables.sharding: unknown value \"by_row\"\n  known: hash, range, table_wise, column_wise"}},
      parse_training);
}

TEST(TrainMessages, OfLinksThatAreTooSlow) {
  expect_messages({{{"link.rate=0 bps"}, "a.yaml: link.rate: 0 bps is less than 1 Mbps"},
                   {{"link.rate=999999 bps"}, "a.yaml: link.rate: 999999 bps is less than 1 Mbps"},
                   {{"link.delay=11 s"}, "a.yaml: link.delay: 11 s is more than 10 s"}},
                  parse_training);
}

TEST(TrainMessages, OfTheWrongCommand) {
  expect_messages(
      {{{"network.topology.star.hosts=4"},
        "a.yaml: is a setup for `overture simulate`\n  run overture simulate a.yaml"},
       {{"traffic.pattern=ring"}, "a.yaml: is a setup for `overture flows`\n  run overture flows a.yaml"},
       {{"workload.file=x", "traffic.pattern=ring"},
        "a.yaml: is a setup for `overture simulate`\n  run overture simulate a.yaml"},
       {{"axes=[]", "workload.file=x"},
        "a.yaml: is a setup for `overture sweep`\n  run overture sweep a.yaml"},
       {{"budget={}", "axes=[]"},
        "a.yaml: is a setup for `overture codesign`\n  run overture codesign a.yaml"}},
      parse_training);
}

TEST(TrainSetup, WeightedSyntheticDataMayBePooledByWeight) {
  EXPECT_EQ(user_error([] { parse_training({"tables.pooling=weighted", "data.weighted=true"}); }), "");
}

TEST(TrainSetup, SizesMayBeSeparatedByCommas) {
  const TrainSetup setup =
      parse_train_setup("data: {synthetic: kaggle}\n", "a.yaml", {"model.mlp_top=\"64,1\""});
  EXPECT_EQ(std::get<train::DlrmConfig>(
                make_train_config(setup, open_train_data(setup, data::Part::train)->shape()).model)
                .top,
            (std::vector{64, 1}));
}

// What each kind of model takes from the keys; all start with the 13 dense features of the data.
TEST(TrainSetup, EveryModelTakesItsOwnLayers) {
  const auto model_of = [](const std::vector<std::string>& changes) {
    const TrainSetup setup =
        parse_train_setup("data: {synthetic: kaggle, scale: 0.0001}\ntables: {dim: 8}\n", "a.yaml", changes);
    return make_train_config(setup, open_train_data(setup, data::Part::train)->shape()).model;
  };
  EXPECT_EQ(std::get<train::DlrmConfig>(model_of({"model.mlp_bottom=13-4-8"})).bottom,
            (std::vector{13, 4, 8}));
  EXPECT_EQ(std::get<train::WideAndDeepConfig>(model_of({"model.kind=wide_and_deep"})).deep.front(), 13);
  const auto dcn = std::get<train::DcnConfig>(
      model_of({"model.kind=dcn", "model.cross_layers=2", "model.rank=3", "model.mlp_top=9-1"}));
  EXPECT_EQ(dcn.cross_layers, 2);
  EXPECT_EQ(dcn.rank, 3);
  EXPECT_EQ(dcn.bottom.front(), 13);
  EXPECT_EQ(dcn.top, (std::vector{9, 1}));
  EXPECT_EQ(std::get<train::DeepFmConfig>(model_of({"model.kind=deep_fm", "model.mlp_top=7-1"})).deep,
            (std::vector{7, 1}));
  EXPECT_EQ(std::get<train::FgcnnConfig>(model_of({"model.kind=fgcnn", "model.channels=14-16"})).channels,
            (std::vector{14, 16}));
  EXPECT_TRUE(std::holds_alternative<train::ExternalConfig>(model_of({"model.kind=external"})));
}

TEST(TrainSetup, TrainersHoldTheTablesOnlyWithoutACacheAndWithWholeTables) {
  const auto servers = [](const std::vector<std::string>& changes) {
    const TrainSetup setup =
        parse_train_setup("data: {synthetic: kaggle, scale: 0.0001}\nservers: 3\n", "a.yaml", changes);
    return make_train_config(setup, open_train_data(setup, data::Part::train)->shape()).servers;
  };
  EXPECT_EQ(servers({}), 3);
  EXPECT_EQ(servers({"tables.sharding=table_wise"}), 3);
  EXPECT_EQ(servers({"tables.sharding=table_wise", "cache.lookahead=0"}), 0);
  EXPECT_EQ(servers({"tables.plan=[{count: 26, ranks: [1]}]", "trainers=2", "cache.lookahead=0"}), 0);
}

// 0.25 of 40 batches are 10; less than a batch is one.
TEST(TrainSetup, TheCleanUpMayBeAShareOfTheLookahead) {
  const auto interval = [](const std::vector<std::string>& changes) {
    const TrainSetup setup = parse_train_setup(
        "data: {synthetic: kaggle, scale: 0.0001}\ncache: {lookahead: 40}\n", "a.yaml", changes);
    return make_train_config(setup, open_train_data(setup, data::Part::train)->shape())
        .cache.cleanup_interval;
  };
  EXPECT_EQ(interval({}), 1);
  EXPECT_EQ(interval({"cache.cleanup_interval=7"}), 7);
  EXPECT_EQ(interval({"cache.cleanup_proportion=0.25"}), 10);
  EXPECT_EQ(interval({"cache.cleanup_proportion=0.01"}), 1);
}

void parse_sweep(const std::vector<std::string>& changes) {
  parse_sweep_setup("setup: x.yaml\naxes: [{key: a, values: [1, 2]}, {key: b, values: [3]}]\n", "s.yaml",
                    changes);
}

TEST(SweepMessages, SayWhatWouldWork) {
  expect_messages(
      {{{"axes=[]"}, "s.yaml: axes: a sweep varies at least one key"},
       {{"axes.1.values=[]"}, "s.yaml: axes.1.values: an axis needs at least one value"},
       {{"axes.0.key=~"}, "s.yaml:2: axes.0.key: is missing\n  A key of the setup, with dots"},
       {{"setup=~"}, "s.yaml:1: setup: is missing\n  Setup file of that command, beside this one"},
       {{"combination=listed"},
        "s.yaml:2: axes.1.values: has 1 values, the first axis 2\n  with combination: listed all axes have "
        "the "
        "same number"},
       {{"combination=some"}, "s.yaml: combination: unknown value \"some\"\n  known: all, listed"},
       {{"command=flow"},
        "s.yaml: command: unknown command \"flow\"\n  did you mean \"flows\"? known: simulate, flows, train"},
       {{"repeat=0"}, "s.yaml: repeat: 0 is not from 1 to 1000"},
       {{"repeat=1001"}, "s.yaml: repeat: 1001 is not from 1 to 1000"},
       {{"repeat=2", "axes=[{key: seed, values: [1]}]"},
        "s.yaml: repeat: cannot be combined with an axis of seeds\n  leave one of the two out"},
       {{"repeat=2", "combination=listed", "axes=[{key: a, values: [1]}]"},
        "s.yaml: repeat: goes with combination: all\n  list the seeds as an axis instead"},
       {{"metric=iteration"},
        "s.yaml: metric: `overture simulate` has no number \"iteration\"\n  did you mean \"iterations\"? "
        "known: iteration_us, finished_us, compute_us, exposed_communication_us, npus, iterations, events, "
        "trace_events_dropped, network_cost_dollars"}},
      parse_sweep);
}

TEST(SweepSetup, RepetitionsAreAnAxisOfSeedsFromOne) {
  const SweepSetup sweep =
      parse_sweep_setup("setup: x.yaml\nrepeat: 2\naxes: [{key: a, values: [7, 8]}]\n", "s.yaml");
  EXPECT_EQ(sweep_points(sweep),
            (std::vector<std::vector<std::string>>{
                {"a=7", "seed=1"}, {"a=7", "seed=2"}, {"a=8", "seed=1"}, {"a=8", "seed=2"}}));
}

TEST(SweepSetup, EveryCommandHasAMainNumberThatItKnows) {
  for (const char* command : {"simulate", "flows", "train"}) {
    const auto& numbers = numbers_of_command(command);
    EXPECT_EQ(std::ranges::count(numbers, main_number(command)), 1) << command;
  }
  EXPECT_EQ(main_number("demo"), "");
}

TEST(SweepSetup, OfSomeNumbersMoreIsBetter) {
  for (const char* more :
       {"held_out.auc", "held_out.accuracy", "samples_per_second", "hit_rate", "goodput_gbps", "fairness"})
    EXPECT_TRUE(more_is_better(more)) << more;
  for (const char* less : {"iteration_us", "makespan_us", "loss", "network_cost_dollars", "drops"})
    EXPECT_FALSE(more_is_better(less)) << less;
}

void parse_search(const std::vector<std::string>& changes) {
  parse_search_setup("setup: x.yaml\naxes: [{key: a, values: [1]}]\nnetworks: [{name: n}]\n", "s.yaml",
                     changes);
}

TEST(SearchMessages, SayWhatWouldWork) {
  expect_messages(
      {{{"axes.0.values=[]"}, "s.yaml: axes.0.values: an axis needs at least one value"},
       {{"networks.0.axes=[{key: b}]"}, "s.yaml: networks.0.axes.0.values: an axis needs at least one value"},
       {{"networks.0.check_axes=[{key: b}]"},
        "s.yaml: networks.0.check_axes.0.values: an axis needs at least one value"},
       {{"axes.0.choices=[{name: c, set: [a=1]}]"},
        "s.yaml: axes.0: has both values and choices\n  keep one of the two"},
       {{"budget.dollars=-1"}, "s.yaml: budget: must not be negative\n  0 means no limit"},
       {{"budget.watts=-1"}, "s.yaml: budget: must not be negative\n  0 means no limit"},
       {{"candidates=0"}, "s.yaml: candidates: must be from 1 to 1000000"},
       {{"candidates=1000001"}, "s.yaml: candidates: must be from 1 to 1000000"},
       {{"checked=-1"}, "s.yaml: checked: must be from 0 to 1000"},
       {{"checked=1001"}, "s.yaml: checked: must be from 0 to 1000"},
       {{"check_seconds=0"}, "s.yaml: check_seconds: must be at least 1"},
       {{"setup=~"}, "s.yaml:1: setup: is missing\n  Setup of `overture simulate`, beside this file"},
       {{"networks.0.name=~"}, "s.yaml:3: networks.0.name: is missing\n  Name that results show"}},
      parse_search);
}

std::string wide_axes(int axes) {
  std::string list;
  for (int i = 0; i < axes; ++i) list += "{key: k, values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]}, ";
  return "axes=[" + list + "]";
}

TEST(SearchMessages, TenToTheTwelfthIsTheMostAndIsNeverListed) {
  EXPECT_EQ(user_error([] { parse_search({wide_axes(12)}); }), "");
  for (const int axes : {13, 20, 40})
    EXPECT_EQ(user_error([&] { parse_search({wide_axes(axes)}); }),
              "s.yaml: axes: there are more than 10^12 candidates\n  leave some values out");
}

TEST(SearchSetup, DrawsAreDifferentPointsOfAllInAscendingOrder) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const SearchSetup setup = parse_search_setup(
        "setup: x.yaml\n", "s.yaml", {wide_axes(12), "candidates=1000", "seed=" + std::to_string(seed)});
    const auto drawn = drawn_points(setup);
    ASSERT_EQ(drawn.size(), 1000u);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      EXPECT_LT(drawn[i], 1'000'000'000'000u);
      if (i > 0) {
        EXPECT_LT(drawn[i - 1], drawn[i]);
      }
    }
    EXPECT_GT(drawn.back() - drawn.front(), 900'000'000'000u) << "they are spread over all";
  }
}

TEST(SearchSetup, ChoicesSetSeveralKeysUnderOneName) {
  const SearchSetup setup = parse_search_setup(R"(
setup: x.yaml
axes:
  - key: model
    choices:
      - {name: small, set: [a=1, b=2]}
      - {name: large, set: [a=10, c=~]}
)",
                                               "s.yaml");
  ASSERT_EQ(setup.networks.size(), 1u) << "the setup's own network stands for those that are not given";
  EXPECT_EQ(setup.axes[0].label(1), "large");
  EXPECT_EQ(search_point(setup, 0).overrides, (std::vector<std::string>{"a=1", "b=2"}));
  EXPECT_EQ(search_point(setup, 1).overrides, (std::vector<std::string>{"a=10", "c=~"}));
}

TEST(SearchSetup, ChecksAreAllCombinationsOfTheAxesBehindWhatIsFixed) {
  SearchNetwork network{.name = "n", .check = {"x=0"}};
  network.check_axes.push_back({.key = "t", .values = {"tcp", "roce"}});
  network.check_axes.push_back({.key = "b", .values = {"1", "2"}});
  EXPECT_EQ(checks_of(network), (std::vector<std::vector<std::string>>{{"x=0", "t=tcp", "b=1"},
                                                                       {"x=0", "t=tcp", "b=2"},
                                                                       {"x=0", "t=roce", "b=1"},
                                                                       {"x=0", "t=roce", "b=2"}}));
}

}  // namespace
}  // namespace overture::setup
