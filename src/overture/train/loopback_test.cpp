// The roles without threads: one loop hands out messages in an order drawn from a seed, pair by pair in the
// order sent but otherwise as late and as mixed as can be. Training must come out the same.
#include <algorithm>
#include <deque>
#include <map>

#include <gtest/gtest.h>

#include "overture/train/testing.h"

namespace overture::train {
namespace {

class Loopback {
 public:
  Loopback(const TrainConfig& config, std::uint64_t seed, RunOptions options = {})
      : config_(config),
        parties_{config.trainers, config.servers},
        random_(RandomStreams(seed).make("loopback")),
        options_(std::move(options)),
        source_(config, kTestSamples, kTestBatches),
        oracle_(config_, source_, options_, 0, 0) {
    for (int rank = 0; rank < parties_.trainers; ++rank)
      trainers_.push_back(std::make_unique<Trainer>(config_, rank, 0));
    for (int server = 0; server < parties_.servers; ++server)
      servers_.push_back(std::make_unique<EmbeddingServer>(
          config_.tables, parties_, embedding::Share{server, parties_.servers, config_.sharding}, workers_));
  }

  Outcome run() {
    std::int64_t deliveries = 0;
    work();
    while (!queues_.empty() && deliveries++ < 100'000) {
      deliver();
      work();
    }
    EXPECT_TRUE(oracle_.done()) << "everybody waits for something that never comes";
    Outcome outcome;
    collect(
        config_,
        [&](std::int64_t t, std::int64_t id) {
          std::vector<float> row;
          for (const auto& server : servers_) {
            const embedding::TableShare& held = server->tables().held(t);
            if (!held.holds(id)) continue;
            const float* const piece = server->tables().row(t, id);
            row.insert(row.end(), piece, piece + held.used());
          }
          return row;
        },
        trainers_.front()->learner(), outcome);
    return outcome;
  }

  // Exchanges of late rows that a trainer finished only after it had computed the next batch.
  std::int64_t overlapped() const { return overlapped_; }

 private:
  void send(Outbox& out, rpc::Address from) {
    for (rpc::Message& message : out) {
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
    if (number <= parties_.trainers) return *trainers_[static_cast<std::size_t>(number - 1)];
    return *servers_[static_cast<std::size_t>(number - 1 - parties_.trainers)];
  }

  // Everybody does what he can.
  void work() {
    Outbox out;
    for (int number = 0; number < parties_.count(); ++number) {
      while (party(number).advance(out)) send(out, rpc::Address{number});
      send(out, rpc::Address{number});
    }
  }

  void deliver() {
    auto queue = queues_.begin();
    std::advance(queue, static_cast<std::ptrdiff_t>(random_.below(queues_.size())));
    rpc::Message message = std::move(queue->second.front());
    queue->second.pop_front();
    if (queue->second.empty()) queues_.erase(queue);
    const rpc::Address to = message.to;
    Outbox out;
    party(rpc::index(to)).take(std::move(message), out);
    send(out, to);
  }

  TrainConfig config_;
  Parties parties_;
  RandomStream random_;
  RunOptions options_;
  TestSource source_;
  Oracle oracle_;
  Workers workers_;
  std::vector<std::unique_ptr<Trainer>> trainers_;
  std::vector<std::unique_ptr<EmbeddingServer>> servers_;
  std::map<std::pair<int, int>, std::deque<rpc::Message>> queues_;  // never empty ones
  std::map<int, std::int64_t> computed_;                            // the newest batch, by trainer
  std::int64_t overlapped_ = 0;
};

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
      config.sharding = static_cast<embedding::Sharding>(random.below(4));
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

}  // namespace
}  // namespace overture::train
