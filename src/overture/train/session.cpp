#include "overture/train/session.h"

#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "overture/base/error.h"
#include "overture/rpc/in_process.h"
#include "overture/train/checkpoint.h"
#include "overture/train/driver.h"

namespace overture::train {
namespace {

TrainConfig validated(TrainConfig config) {
  validate(config);
  return config;
}

// Runs each party in a thread. What one throws ends all; the first is thrown on.
class Crew {
 public:
  Crew(rpc::InProcess& network, const Parties& parties) : network_(network), parties_(parties) {}

  ~Crew() {
    for (std::thread& thread : threads_) thread.join();
  }

  // Throws UserError when no more threads can be started; those that run end.
  void add(Party& party, rpc::Address address) {
    try {
      start(party, address);
    } catch (const std::system_error& error) {
      const std::string why = std::string("a thread cannot be started: ") + error.what();
      network_.party(address).fail(why);
      throw UserError(why, "use fewer trainers and servers, or several processes");
    }
  }

  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  void start(Party& party, rpc::Address address) {
    threads_.emplace_back([this, &party, address] {
      try {
        drive(party, network_.party(address), parties_);
      } catch (const PartyGone&) {  // the one that is gone says why
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (failure_ == nullptr) failure_ = std::current_exception();
      }
    });
  }

  rpc::InProcess& network_;
  const Parties& parties_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

Session::Session(TrainConfig config, const std::filesystem::path& checkpoint)
    : config_(validated(std::move(config))) {
  std::optional<CheckpointInfo> info;
  if (!checkpoint.empty()) {
    info = read_manifest(config_, checkpoint);
    first_step_ = info->steps;
    first_sample_ = info->samples;
  }
  const Parties parties{config_.trainers, config_.servers};
  for (int rank = 0; rank < config_.trainers; ++rank) {
    trainers_.push_back(std::make_unique<Trainer>(config_, rank, first_step_));
    if (info) load_dense(trainers_.back()->learner(), checkpoint);
  }
  Workers& workers = trainers_.front()->learner().workers();
  for (int server = 0; server < config_.servers; ++server) {
    embedding::TablesConfig tables = config_.tables;
    if (!tables.file.empty() && config_.servers > 1) tables.file += "." + std::to_string(server);
    const embedding::Share share{.index = server, .count = config_.servers, .sharding = config_.sharding};
    servers_.push_back(std::make_unique<EmbeddingServer>(tables, parties, share, workers));
    if (info) load_rows(servers_.back()->tables(), *info, checkpoint);
  }
}

Session::~Session() = default;

RunResult Session::run(data::BatchSource& source, const RunOptions& options) {
  source.skip(first_step_);
  const Parties parties{config_.trainers, config_.servers};
  std::vector<std::optional<rpc::Link>> links(static_cast<std::size_t>(parties.count()));
  for (int server = 0; server < parties.servers; ++server)
    links[static_cast<std::size_t>(rpc::index(parties.server(server)))] = config_.server_link;
  rpc::InProcess network(links);
  Oracle oracle(config_, source, options, first_step_, first_sample_);
  Crew crew(network, parties);
  for (int server = 0; server < parties.servers; ++server)
    crew.add(*servers_[static_cast<std::size_t>(server)], parties.server(server));
  for (int rank = 0; rank < parties.trainers; ++rank)
    crew.add(*trainers_[static_cast<std::size_t>(rank)], parties.trainer(rank));
  crew.add(oracle, parties.oracle());
  crew.join();
  return {.steps = oracle.steps_done(),
          .stopped_early = oracle.stopped_early(),
          .checkpoint = oracle.checkpoint()};
}

std::vector<float> Session::row(std::int64_t table, std::int64_t id) {
  std::vector<float> result;
  for (const auto& server : servers_) {
    const embedding::TableShare& held = server->tables().held(table);
    if (!held.holds(id)) continue;
    const float* const row = server->tables().row(table, id);
    result.insert(result.end(), row, row + held.used());
  }
  return result;
}

}  // namespace overture::train
