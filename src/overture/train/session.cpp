#include "overture/train/session.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "overture/rpc/in_process.h"
#include "overture/train/checkpoint.h"

namespace overture::train {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point started) {
  return std::chrono::duration<double>(Clock::now() - started).count();
}

void send_all(Outbox& out, rpc::Transport& transport) {
  for (rpc::Message& message : out) transport.send(std::move(message));
  out.clear();
}

// A role that works on its own between messages.
template <class Role>
void drive(Role& role, rpc::Transport& transport) {
  Outbox out;
  rpc::Message message;
  while (!role.done()) {
    auto started = Clock::now();
    while (role.advance(out)) {
      role.worked(seconds_since(started));
      send_all(out, transport);
      started = Clock::now();
    }
    send_all(out, transport);
    if (role.done()) return;
    started = Clock::now();
    if (!transport.receive(message)) return;
    role.waited(seconds_since(started));
    role.take(std::move(message), out);
  }
}

void drive(EmbeddingServer& server, rpc::Transport& transport) {
  Outbox out;
  rpc::Message message;
  while (!server.done() && transport.receive(message)) {
    server.take(std::move(message), out);
    send_all(out, transport);
  }
}

TrainConfig validated(TrainConfig config) {
  validate(config);
  return config;
}

// Runs each role in a thread. What one throws closes the network, so that all end; the first is thrown on.
class Crew {
 public:
  explicit Crew(rpc::InProcess& network) : network_(network) {}

  template <class Role>
  void add(Role& role, rpc::Address address) {
    threads_.emplace_back([this, &role, address] {
      try {
        drive(role, network_.party(address));
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (failure_ == nullptr) failure_ = std::current_exception();
        network_.close();
      }
    });
  }

  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  rpc::InProcess& network_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

Session::Session(TrainConfig config, const std::filesystem::path& checkpoint)
    : config_(validated(std::move(config))), batch_rows_(config_) {
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
    servers_.push_back(std::make_unique<EmbeddingServer>(tables, parties, server, workers));
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
  Crew crew(network);
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

std::span<const float> Session::predict(const data::Batch& batch) {
  const StepPart part =
      batch_rows_.look_up(batch, [this](std::int64_t table, std::int64_t id) { return row(table, id); });
  return learner().predict(part, batch_rows_.places());
}

float* Session::row(std::int64_t table, std::int64_t id) {
  return servers_[static_cast<std::size_t>(id % config_.servers)]->tables().row(table, id);
}

}  // namespace overture::train
