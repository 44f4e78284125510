#include "overture/setup/hosted_part.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/train/driver.h"

namespace overture::setup {

struct HostedPart::Shared {
  ByHand given;
  train::Parties parties;
  Started started;
  std::unique_ptr<rpc::Transport> transport;
  Welcomed welcomed;
  std::string state;
  std::unique_ptr<train::HostedTrainer> trainer;

  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  bool ended = false;
  std::exception_ptr failure;

  void note(bool* what, std::exception_ptr failed = nullptr) {
    {
      const std::lock_guard lock(mutex);
      *what = true;
      if (failed != nullptr) failure = failed;
    }
    changed.notify_all();
  }
};

HostedPart::HostedPart(const ByHand& given, Started started) : shared_(std::make_shared<Shared>()) {
  shared_->given = given;
  shared_->parties = parties_of(Role::trainer, given);
  shared_->started = std::move(started);
  if (shared_->parties.servers < 1)
    throw UserError({.key = given.names.world_size},
                    fmt::format("{} processes with {} trainers leave 0 servers", *given.world_size,
                                shared_->parties.trainers),
                    "it counts the oracle, the trainers and at least one server");
  thread_ = std::thread([shared = shared_] { take_part(shared); });
}

HostedPart::~HostedPart() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(shared_->mutex);
    if (!shared_->ended) {
      thread_.detach();
      return;
    }
  }
  thread_.join();
}

void HostedPart::take_part(const std::shared_ptr<Shared>& shared) {
  std::exception_ptr failure;
  try {
    shared->transport = meet_by_hand(shared->given, shared->parties);
    const Meeting meeting{.transport = shared->transport.get(),
                          .parties = shared->parties,
                          .self = rpc::Address{*shared->given.worker_id}};
    join(meeting, shared->started, [&](Welcomed welcomed) {
      shared->welcomed = std::move(welcomed);
      const Welcomed& told = shared->welcomed;
      shared->trainer = std::make_unique<train::HostedTrainer>(
          told.config, meeting.parties.rank(meeting.self), told.info.steps);
      if (!told.checkpoint.empty()) shared->state = train::load_state(told.checkpoint);
    });
    shared->note(&shared->ready);
    train::drive(*shared->trainer, *shared->transport, shared->welcomed.config, meeting.self,
                 shared->welcomed.info.steps);
  } catch (...) {
    failure = std::current_exception();
  }
  shared->transport.reset();  // what was said last is sent
  if (shared->trainer) shared->trainer->ended(failure);
  shared->note(&shared->ended, failure);
}

bool HostedPart::ready(std::chrono::milliseconds patience) {
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait_for(lock, patience, [&] { return shared_->ready || shared_->ended; });
  if (shared_->failure != nullptr) std::rethrow_exception(shared_->failure);
  return shared_->ready;
}

train::HostedTrainer& HostedPart::trainer() { return *shared_->trainer; }
const train::TrainConfig& HostedPart::config() const { return shared_->welcomed.config; }
std::int64_t HostedPart::first_step() const { return shared_->welcomed.info.steps; }
const std::string& HostedPart::state() const { return shared_->state; }

void HostedPart::abandon(const std::string& why) {
  if (!shared_->trainer) return;
  shared_->trainer->abandon(why);
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait_for(lock, std::chrono::seconds(1), [&] { return shared_->ended; });
}

void HostedPart::finish() {
  thread_.join();
  if (shared_->failure != nullptr) std::rethrow_exception(shared_->failure);
}

}  // namespace overture::setup
