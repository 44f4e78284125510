// The roles without threads: one loop hands out messages in an order drawn from a seed, pair by pair in the
// order sent but otherwise as late and as mixed as can be. Training must come out the same.
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "overture/train/oracle.h"
#include "overture/train/testing.h"

namespace overture::train {
namespace {

class Loopback {
 public:
  Loopback(const TrainConfig& config, std::uint64_t seed, RunOptions options = {},
           std::int64_t batches = kTestBatches)
      : config_(config),
        parties_(config.parties()),
        random_(RandomStreams(seed).make("loopback")),
        options_(std::move(options)),
        source_(config, kTestSamples, batches),
        oracle_(config_, source_, options_, 0, 0) {
    for (int number = 1; number < parties_.count(); ++number)
      others_.push_back(make_party(config_, rpc::Address{number}, {}, {}));
  }

  // One of the parties dies after so many deliveries: what it sent last may be lost, and the others learn of
  // it one by one, each at a time of its own, and go on until then.
  void let_die(int victim, std::int64_t after) {
    victim_ = victim;
    dies_after_ = after;
  }

  // Whether everybody came to the end; otherwise everybody has heard who is gone.
  bool play() {
    work();
    for (std::int64_t deliveries = 0; !queues_.empty() && deliveries < 100'000; ++deliveries) {
      if (deliveries == dies_after_) die();
      if (queues_.empty()) break;
      deliver();
      work();
    }
    EXPECT_TRUE(queues_.empty());
    EXPECT_TRUE(oracle_.done() || !stopped_.empty()) << "everybody waits for something that never comes";
    for (int number = 0; number < parties_.count(); ++number)
      EXPECT_TRUE(party(number).done() || stopped_.contains(number)) << number << " waits for ever";
    return stopped_.empty();
  }

  Outcome run() {
    play();
    return outcome();
  }

  Outcome outcome() {
    Outcome outcome;
    collect(
        config_, [&](std::int64_t t, std::int64_t id) { return whole_row(others_, t, id); },
        learners_of(others_), outcome);
    return outcome;
  }

  // Exchanges of late rows that a trainer finished only after it had computed the next batch.
  std::int64_t overlapped() const { return overlapped_; }

 private:
  void send(Outbox& out, rpc::Address from) {
    for (rpc::Message& message : out) {
      if (stopped_.contains(rpc::index(message.to))) continue;
      message.from = from;
      watch(message);
      queues_[{rpc::index(from), rpc::index(message.to)}].push_back(std::move(message));
    }
    out.clear();
  }

  void watch(const rpc::Message& message) {
    std::int64_t& computed = computed_[rpc::index(message.from)];
    if (kind_of(message) == Kind::dense_gradients) computed = std::max(computed, message.step);
    if (kind_of(message) == Kind::late_updates && message.step < computed) ++overlapped_;
  }

  Party& party(int number) {
    if (number == 0) return oracle_;
    return *others_[static_cast<std::size_t>(number - 1)].party;
  }

  // Everybody does what he can.
  void work() {
    Outbox out;
    for (int number = 0; number < parties_.count(); ++number) {
      if (stopped_.contains(number)) continue;
      while (party(number).advance(out)) send(out, rpc::Address{number});
      send(out, rpc::Address{number});
    }
  }

  void stop(int number) {
    stopped_.insert(number);
    std::erase_if(queues_, [&](const auto& queue) { return queue.first.second == number; });
  }

  void die() {
    stop(victim_);
    for (int number = 0; number < parties_.count(); ++number) {
      if (number == victim_ || party(number).done()) continue;
      auto& queue = queues_[{victim_, number}];
      queue.resize(queue.size() - random_.below(queue.size() + 1));
      queue.push_back({.to = rpc::Address{number}, .kind = kGone});
    }
  }

  void deliver() {
    auto queue = queues_.begin();
    std::advance(queue, static_cast<std::ptrdiff_t>(random_.below(queues_.size())));
    rpc::Message message = std::move(queue->second.front());
    queue->second.pop_front();
    if (queue->second.empty()) queues_.erase(queue);
    const rpc::Address to = message.to;
    if (message.kind == kGone) {
      stop(rpc::index(to));
      return;
    }
    Outbox out;
    party(rpc::index(to)).take(std::move(message), out);
    send(out, to);
  }

  static constexpr std::uint32_t kGone = ~0u;

  TrainConfig config_;
  Parties parties_;
  RandomStream random_;
  RunOptions options_;
  TestSource source_;
  Oracle oracle_;
  std::vector<MadeParty> others_;
  std::map<std::pair<int, int>, std::deque<rpc::Message>> queues_;  // never empty ones
  std::map<int, std::int64_t> computed_;                            // the newest batch, by trainer
  std::int64_t overlapped_ = 0;
  int victim_ = 0;
  std::int64_t dies_after_ = -1;
  std::set<int> stopped_;
};

// Any way to divide the tables, each table in its own way among them.
embedding::Division some_division(RandomStream& random, int servers) {
  const std::uint64_t kind = random.below(7);
  return kind < 4 ? static_cast<embedding::Sharding>(kind) : mixed_division(servers, kind - 4);
}

TEST(Loopback, TheOrderOfMessagesDoesNotMatter) {
  for (const int trainers : {1, 3}) {
    TrainConfig config = small_config(embedding::OptimizerKind::adagrad);
    config.trainers = trainers;
    config.servers = 2;
    const Outcome threads = session_outcome(config);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << trainers << " trainers");
      RandomStream random = RandomStreams(seed).make("config");
      config.cache = {.lookahead = static_cast<std::int32_t>(1 + random.below(12))};
      config.cache.cleanup_interval =
          static_cast<std::int32_t>(1 + random.below(static_cast<std::uint64_t>(config.cache.lookahead)));
      config.division = some_division(random, config.servers);
      if (random.below(2) == 0) config.cache.capacity = static_cast<std::int64_t>(80 + random.below(100));
      const Outcome mixed = Loopback(config, seed).run();
      EXPECT_TRUE(mixed.rows == threads.rows);
      EXPECT_TRUE(mixed.dense == threads.dense);
    }
  }
}

TEST(Loopback, LateRowsAreExchangedBehindTheNextBatch) {
  TrainConfig config = small_config(embedding::OptimizerKind::adagrad);
  config.trainers = 3;
  config.cache.lookahead = 8;
  Loopback training(config, 1);
  training.run();
  EXPECT_GT(training.overlapped(), 0);
}

// Whatever the order of messages, evaluations and checkpoints on the way change nothing and see the same
// model.
TEST(Loopback, PausesOnTheWayChangeNothing) {
  TrainConfig config = small_config(embedding::OptimizerKind::adam);
  config.trainers = 3;
  config.servers = 2;
  const Outcome whole = session_outcome(config);
  std::vector<double> expected;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto folder =
        std::filesystem::temp_directory_path() / ("overture_loopback_" + std::to_string(getpid()));
    std::vector<double> losses;
    const RunOptions options{
        .checkpoints = folder,
        .checkpoint_every = 4,
        .held_out =
            [&] {
              auto held_out = std::make_unique<TestSource>(config, kTestSamples, 36);
              held_out->skip(30);
              return held_out;
            },
        .evaluate_every = 6,
        .evaluate_at_end = true,
        .on_evaluated = [&](const HeldOut& one) { losses.push_back(one.metrics.log_loss); }};
    const Outcome mixed = Loopback(config, seed, options).run();
    EXPECT_TRUE(mixed.rows == whole.rows);
    EXPECT_TRUE(mixed.dense == whole.dense);
    EXPECT_EQ(losses.size(), 5u);
    if (expected.empty()) expected = losses;
    EXPECT_EQ(losses, expected);
    const Outcome resumed = session_outcome(config, {}, folder / "step-28");
    EXPECT_TRUE(resumed.rows == whole.rows);
    std::filesystem::remove_all(folder);
  }
}

// A few here; the number in OVERTURE_ORDERS by hand.
std::uint64_t orders_to_play() {
  const char* const asked = std::getenv("OVERTURE_ORDERS");
  return asked == nullptr ? 60 : std::strtoull(asked, nullptr, 10);
}

struct Drawn {
  TrainConfig config;
  std::optional<std::pair<int, std::int64_t>> death;  // who, and after how many deliveries
};

Drawn draw(std::uint64_t seed) {
  RandomStream random = RandomStreams(seed).make("orders");
  const auto from = [&](std::uint64_t least, std::uint64_t count) {
    return static_cast<int>(least + random.below(count));
  };
  Drawn drawn{.config = small_config(static_cast<embedding::OptimizerKind>(random.below(3)))};
  TrainConfig& config = drawn.config;
  config.trainers = from(1, 3);
  config.servers = from(0, 3);
  config.division =
      config.tables_in_trainers() ? embedding::Sharding::table_wise : some_division(random, config.servers);
  config.cache = {.lookahead = from(1, 8)};
  config.cache.cleanup_interval = from(1, static_cast<std::uint64_t>(config.cache.lookahead));
  if (random.below(2) == 0) config.cache.capacity = from(80, 100);
  if (random.below(2) == 0)
    drawn.death = {from(0, static_cast<std::uint64_t>(config.parties().count())),
                   from(0, 100 * static_cast<std::uint64_t>(config.parties().count()))};
  return drawn;
}

// Saves, evaluations and deaths at any moment, in any order of messages: the same bits, or an end from which
// a resumed run comes to the same bits.
TEST(Loopback, AnyOrderWithDeathsEndsWithTheSameBitsOrResumesToThem) {
  constexpr std::int64_t kBatches = 12;
  std::map<std::pair<int, int>, Outcome> whole;  // by optimizer and trainers: nothing else matters
  std::int64_t died = 0;
  for (std::uint64_t seed = 0; seed < orders_to_play(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Drawn drawn = draw(seed);
    const TrainConfig& config = drawn.config;
    const std::pair key(static_cast<int>(config.tables.optimizer.kind), config.trainers);
    if (!whole.contains(key)) {
      TrainConfig plain = small_config(config.tables.optimizer.kind);
      plain.trainers = config.trainers;
      whole[key] = session_outcome(plain, {}, {}, kBatches);
    }
    const auto folder =
        std::filesystem::temp_directory_path() / ("overture_orders_" + std::to_string(getpid()));
    const RunOptions options{.checkpoints = folder,
                             .checkpoint_every = 5,
                             .held_out =
                                 [&] {
                                   auto held_out = std::make_unique<TestSource>(config, kTestSamples, 36);
                                   held_out->skip(34);
                                   return held_out;
                                 },
                             .evaluate_every = 4};
    Loopback training(config, seed, options, kBatches);
    if (drawn.death) training.let_die(drawn.death->first, drawn.death->second);
    if (training.play()) {
      EXPECT_TRUE(training.outcome().rows == whole[key].rows);
      EXPECT_TRUE(training.outcome().dense == whole[key].dense);
    } else {
      ++died;
      const auto found = whole_checkpoint(folder);
      EXPECT_TRUE(!found || found->damaged.empty());
      const Outcome resumed =
          session_outcome(config, {}, found ? found->path : std::filesystem::path(), kBatches);
      EXPECT_TRUE(resumed.rows == whole[key].rows);
      EXPECT_TRUE(resumed.dense == whole[key].dense);
    }
    std::filesystem::remove_all(folder);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(died, 0);
}

}  // namespace
}  // namespace overture::train
