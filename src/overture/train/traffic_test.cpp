// Real training sends what lookahead/traffic.h counts, byte for byte: per step, per kind, per pair of
// parties.
#include <deque>
#include <map>
#include <tuple>

#include <gtest/gtest.h>

#include "overture/rpc/wire.h"
#include "overture/train/oracle.h"
#include "overture/train/party_maker.h"
#include "overture/train/row_traffic.h"
#include "overture/train/testing.h"

namespace overture::train {
namespace {

using lookahead::Round;
using lookahead::StepTraffic;

// Step, kind, sender, receiver.
using Key = std::tuple<std::int64_t, Kind, int, int>;
using Sent = std::map<Key, std::vector<std::int64_t>>;

// All parties in one loop; notes every message.
class CountingLoop {
 public:
  CountingLoop(const TrainConfig& config, std::int64_t batches)
      : config_(config),
        parties_(config.parties()),
        source_(config_, kTestSamples, batches),
        oracle_(config_, source_, options_, 0, 0) {
    for (int number = 1; number < parties_.count(); ++number)
      others_.push_back(make_party(config_, rpc::Address{number}, {}, {}));
  }

  Sent run() {
    const auto work_all = [&] {
      for (int number = 0; number < parties_.count(); ++number) work(number);
      return !queue_.empty();
    };
    while (work_all()) deliver();
    EXPECT_TRUE(oracle_.done());
    return sent_;
  }

 private:
  Party& party(int number) {
    return number == 0 ? static_cast<Party&>(oracle_) : *others_[static_cast<std::size_t>(number - 1)].party;
  }
  void work(int number) {
    Outbox out;
    while (party(number).advance(out)) {
    }
    send(out, number);
  }
  void send(Outbox& out, int from) {
    for (rpc::Message& message : out) {
      message.from = rpc::Address{from};
      note(message);
      queue_.push_back(std::move(message));
    }
  }
  void deliver() {
    for (std::size_t left = queue_.size(); left > 0; --left) {
      rpc::Message message = std::move(queue_.front());
      queue_.pop_front();
      const int to = rpc::index(message.to);
      Outbox out;
      party(to).take(std::move(message), out);
      send(out, to);
    }
  }
  // A fetch names its clean-up, and its answer the number of the fetch.
  void note(const rpc::Message& message) {
    const int from = rpc::index(message.from);
    const int to = rpc::index(message.to);
    std::int64_t step = message.step;
    if (kind_of(message) == Kind::fetch) {
      step = rpc::WireReader(message.payload).get<std::int64_t>();
      clean_up_[{from, message.step}] = step;
    }
    if (kind_of(message) == Kind::rows) step = clean_up_.at({to, message.step});
    sent_[{step, kind_of(message), from, to}].push_back(std::ssize(message.payload));
  }

  TrainConfig config_;
  Parties parties_;
  RunOptions options_;
  TestSource source_;
  Oracle oracle_;
  std::vector<MadeParty> others_;
  std::deque<rpc::Message> queue_;
  std::map<std::pair<int, std::int64_t>, std::int64_t> clean_up_;
  Sent sent_;
};

lookahead::TrafficConfig traffic_config(const TrainConfig& config, std::int32_t first, std::int32_t steps) {
  lookahead::TrafficConfig traffic = traffic_of(config);
  traffic.first = first;
  traffic.steps = steps;
  return traffic;
}

std::vector<StepTraffic> planned(const TrainConfig& config, const lookahead::TrafficConfig& traffic,
                                 std::int64_t batches) {
  lookahead::TrafficPlanner planner(traffic);
  TestSource source(config, kTestSamples, batches);
  data::Batch batch;
  while (planner.wants_batch()) {
    if (source.next(batch)) {
      feed(planner, batch);
    } else {
      planner.end_of_stream();
    }
  }
  return planner.steps();
}

// What the trainers would send for a step, in the words of the trainer.
void expect(const StepTraffic& step, const Parties& parties, Sent& all) {
  const auto add = [&](Kind kind, rpc::Address from, rpc::Address to, Bytes size) {
    all[{step.batch, kind, rpc::index(from), rpc::index(to)}].push_back(size.count());
  };
  for (int t = 0; t < step.trainers; ++t) {
    add(Kind::step, parties.oracle(), parties.trainer(t), step.order_message(t));
    for (int other = 0; other < step.trainers; ++other) {
      if (other == t) continue;
      add(Kind::gradients, parties.trainer(t), parties.trainer(other),
          step.gradient_message(Round::at_once, t, other));
      add(Kind::late_gradients, parties.trainer(t), parties.trainer(other),
          step.gradient_message(Round::late, t, other));
      add(Kind::updates, parties.trainer(t), parties.trainer(other),
          step.update_message(Round::at_once, t, other));
      add(Kind::late_updates, parties.trainer(t), parties.trainer(other),
          step.update_message(Round::late, t, other));
    }
    for (int s = 0; s < step.servers; ++s) {
      if (step.clean_up) add(Kind::store, parties.trainer(t), parties.server(s), step.store_message(t, s));
      for (const auto& [batch, fetches] : step.fetches) {
        const lookahead::RowLoad& load = fetches[StepTraffic::pair(t, s, step.servers)];
        if (load.rows == 0) continue;
        add(Kind::fetch, parties.trainer(t), parties.server(s), Bytes{lookahead::fetch_size(load.rows)});
        add(Kind::rows, parties.server(s), parties.trainer(t), Bytes{lookahead::numbers_size(load.numbers)});
      }
    }
  }
}

struct TrafficCase {
  CacheConfig cache;
  int trainers = 1;
  int servers = 1;
  embedding::Division division = {};
  embedding::OptimizerKind optimizer = embedding::OptimizerKind::sgd;
};

void expect_same_traffic(const TrafficCase& one) {
  TrainConfig config = small_config(one.optimizer);
  config.cache = one.cache;
  config.trainers = one.trainers;
  config.servers = one.servers;
  config.division = one.division;
  constexpr std::int32_t kFirst = 4;
  constexpr std::int32_t kSteps = 15;
  const Sent real = CountingLoop(config, kTestBatches).run();
  Sent counted;
  for (const StepTraffic& step : planned(config, traffic_config(config, kFirst, kSteps), kTestBatches))
    expect(step, config.parties(), counted);
  Sent wanted;
  for (const auto& [key, sizes] : real) {
    const auto& [step, kind, from, to] = key;
    const bool told = kind != Kind::finished && kind != Kind::stop && kind != Kind::save &&
                      kind != Kind::dense_gradients && kind != Kind::dense_shares;
    if (told && step >= kFirst && step < kFirst + kSteps) wanted[key] = sizes;
  }
  ASSERT_FALSE(wanted.empty());
  ASSERT_EQ(counted.size(), wanted.size()) << one.trainers << " trainers, " << one.servers << " servers";
  for (const auto& [key, sizes] : wanted) {
    const auto& [step, kind, from, to] = key;
    EXPECT_EQ(counted[key], sizes) << "step " << step << " kind " << static_cast<int>(kind) << " from "
                                   << from << " to " << to;
  }
}

TEST(Traffic, RealTrainingSendsWhatIsCountedByteForByte) {
  using embedding::OptimizerKind;
  using embedding::Sharding;
  expect_same_traffic({{.lookahead = 6}, 1, 1});
  expect_same_traffic({{.lookahead = 1}, 2, 1});
  expect_same_traffic({{.lookahead = 6}, 3, 2, Sharding::hash, OptimizerKind::adagrad});
  expect_same_traffic({{.lookahead = 5, .prefetch_depth = 2}, 4, 3, Sharding::range, OptimizerKind::adam});
  expect_same_traffic({{.lookahead = 8, .cleanup_interval = 3}, 2, 4, Sharding::column_wise});
  expect_same_traffic({{.lookahead = 9, .capacity = 90}, 3, 2, Sharding::table_wise});
  expect_same_traffic(
      {{.lookahead = 6, .prefetch_depth = 3}, 2, 3, mixed_division(3), OptimizerKind::adagrad});
  expect_same_traffic({{.lookahead = 7}, 24, 5});
}

TEST(Traffic, RowsOfOneNumberWidenedAreRowsOfAnyWidth) {
  using embedding::OptimizerKind;
  using embedding::Sharding;
  for (const Sharding sharding : {Sharding::hash, Sharding::range, Sharding::table_wise}) {
    for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::adagrad, OptimizerKind::adam}) {
      TrainConfig config = small_config(kind);
      config.cache = {.lookahead = 5, .cleanup_interval = 2};
      config.trainers = 4;
      config.servers = 3;
      config.division = sharding;
      const lookahead::TrafficConfig traffic = traffic_config(config, 4, 6);
      const std::vector<StepTraffic> wide = planned(config, traffic, kTestBatches);
      std::vector<StepTraffic> narrow = planned(config, of_one_number(traffic), kTestBatches);
      EXPECT_NE(narrow, wide);
      for (StepTraffic& step : narrow)
        widen(step, traffic.gradient_numbers.front(), traffic.row_numbers.front());
      EXPECT_EQ(narrow, wide) << static_cast<int>(sharding) << ' ' << static_cast<int>(kind);
    }
  }
}

TEST(Traffic, MoreTrainersThanASetOfBitsHolds) {
  TrainConfig config = small_config();
  lookahead::TrafficConfig traffic = traffic_config(config, 3, 2);
  traffic.planner.trainers = 100;
  lookahead::TrafficPlanner planner(traffic);
  TestSource source(config, 200, 20);
  data::Batch batch;
  while (planner.wants_batch()) {
    ASSERT_TRUE(source.next(batch));
    feed(planner, batch);
  }
  ASSERT_EQ(planner.steps().size(), 2U);
  std::int64_t sent_up = 0;
  for (const std::int32_t numbers : planner.steps()[0].gradients[0]) sent_up += numbers;
  EXPECT_GT(sent_up, 0);
  EXPECT_EQ(planner.steps()[1].rows.size(), 100U);
}

}  // namespace
}  // namespace overture::train
