// HostedTrainer: a trainer whose model another program computes: the host, such as a Python interpreter, in a
// thread of its own. The party's driver and the host take turns: while the host has a batch, or nothing is
// under way, the driver waits for it; so nobody needs a lock for what the two share.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "overture/embedding/workers.h"
#include "overture/train/config.h"
#include "overture/train/party.h"
#include "overture/train/table_client.h"

namespace overture::train {

class HostedTrainer final : public Party {
 public:
  // `first_step` is that of the first batch: 0, or more in a resumed run.
  HostedTrainer(const TrainConfig& config, int rank, std::int64_t first_step);

  // For the driver.
  void take(rpc::Message message, Outbox& out) override;
  bool advance(Outbox& out) override;
  bool done() const override { return client_.has() == TableClient::Has::end; }
  void waited(const Interval& when) override { client_.waited(when); }
  void worked(const Interval& when) override { client_.worked(when); }
  // What the host computes is its model.
  void watch(Marks& marks) override { workers_.watch(&marks); }
  bool computes_here() const override { return false; }
  // The driver has ended, by an error unless there is none.
  void ended(std::exception_ptr failure);

  // For the host. Waits until it is its turn, and says why; after `patience`, or after nudge(), says nothing.
  enum class Turn : std::uint8_t {
    none,
    idle,   // nothing is under way: next(), save() or leave(); passed over when next() was called before
    batch,  // look at batch(), let pooled() pool its rows, then give_back()
    pause,  // a checkpoint is being written: give_state()
    end,    // there are no more batches
    failed,
  };
  Turn wait(std::chrono::milliseconds patience);
  // From any thread.
  void nudge();
  void rethrow_failure() const;

  // At once, or as soon as nothing is under way: the host may ask before it is its turn, and then hears of
  // the batch only. Asked once for a batch.
  void next();
  void save() { obey({.kind = Wish::Kind::save}); }
  void leave() { obey({.kind = Wish::Kind::leave}); }
  void give_state(std::string state) { obey({.kind = Wish::Kind::state, .state = std::move(state)}); }
  // The gradients are of what the batch's rows were pooled to, by the mean loss of this trainer's samples, by
  // table. They must stay until it is the host's turn again. What all trainers give is averaged, as
  // torch.nn.parallel.DistributedDataParallel averages dense gradients.
  void give_back(std::vector<embedding::TableGradients> gradients, double loss);
  // At any time: this program gives up. A driver that waits for a message does not hear of it.
  void abandon(const std::string& why);

  const StepPart& batch() const { return client_.batch(); }
  std::shared_ptr<const rpc::Message> order() const { return client_.order(); }
  std::int64_t step() const { return client_.step(); }
  void pooled(std::span<float> out) { client_.pooled(out); }
  std::int64_t batches_done() const { return client_.batches_done(); }
  // Where what save() asked for is.
  const std::filesystem::path& kept() const { return kept_; }

 private:
  // What the host wants of the driver.
  struct Wish {
    enum class Kind : std::uint8_t { next, save, leave, state, give_back };
    Kind kind = Kind::next;
    std::string state = {};
    std::vector<embedding::TableGradients> gradients = {};
    double loss = 0;
  };

  void obey(Wish wish);
  Wish ask(Turn turn);
  void be_idle(Outbox& out);
  void begin_save(Outbox& out);
  void compute(Outbox& out);
  void pause(Outbox& out);
  void check_all_go_on() const;

  Parties parties_;
  int rank_;
  embedding::Workers workers_;
  TableClient client_;
  bool idle_ = true;      // the host may say what comes next
  bool leaving_ = false;  // it has said that nothing does
  double loss_ = 0;
  std::filesystem::path kept_;
  struct Left {
    int trainer;
    std::int64_t batches;
  };
  std::vector<Left> left_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Turn turn_ = Turn::none;
  bool nudged_ = false;
  bool next_wanted_ = false;  // when nothing is under way
  std::optional<Wish> wish_;
  std::optional<std::string> abandoned_;  // and why
  std::exception_ptr failure_;
};

}  // namespace overture::train
