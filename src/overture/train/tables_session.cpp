#include "overture/train/tables_session.h"

#include <utility>

#include "overture/base/error.h"

namespace overture::train {
namespace {

TrainConfig for_one_host(TrainConfig config) {
  if (config.trainers != 1)
    throw UserError({.key = "trainers"}, "one process has one program that computes a model",
                    "start the trainers as processes, with overture.bagpipe.init_cache()");
  if (config.tables_in_trainers())
    throw UserError({.key = "servers"}, "0: a model of another program needs a server for its tables");
  config.model = ExternalConfig{};
  validate(config);
  return config;
}

CheckpointInfo manifest_of(const TrainConfig& config, const std::filesystem::path& checkpoint) {
  return checkpoint.empty() ? CheckpointInfo() : read_manifest(config, checkpoint);
}

}  // namespace

TablesSession::TablesSession(TrainConfig config, const std::filesystem::path& checkpoint)
    : config_(for_one_host(std::move(config))),
      parties_(config_.parties()),
      info_(manifest_of(config_, checkpoint)),
      first_step_(info_.steps),
      trainer_(config_, 0, first_step_) {
  std::vector<std::optional<rpc::Link>> links{std::nullopt, std::nullopt};  // oracle and trainer
  for (int server = 0; server < parties_.servers; ++server) {
    servers_.push_back(make_party(config_, parties_.server(server), checkpoint, info_));
    tables_.push_back(servers_.back().tables);
    links.push_back(config_.server_link);
  }
  network_ = std::make_unique<rpc::InProcess>(links);
}

TablesSession::~TablesSession() {
  if (crew_) abandon("the program has ended");
}

void TablesSession::start(std::unique_ptr<data::BatchSource> source, RunOptions options) {
  source_ = std::move(source);
  options_ = std::move(options);
  oracle_ = std::make_unique<Oracle>(config_, *source_, options_, first_step_, info_.samples);
  crew_ = std::make_unique<Crew>(*network_, config_, first_step_);
  for (int server = 0; server < parties_.servers; ++server)
    crew_->add(*servers_[static_cast<std::size_t>(server)].party, parties_.server(server));
  crew_->add(trainer_, parties_.trainer(0),
             [this](std::exception_ptr failure) { trainer_.ended(std::move(failure)); });
  crew_->add(*oracle_, parties_.oracle());
}

void TablesSession::abandon(const std::string& why) {
  if (!crew_) return;
  network_->party(parties_.trainer(0)).fail(why);
  trainer_.abandon(why);
  try {
    crew_->join();
  } catch (const std::exception&) {  // that it ends is wanted
  }
  crew_.reset();
}

RunResult TablesSession::finish() {
  crew_->join();
  trainer_.rethrow_failure();
  return {.steps = oracle_->steps_done(),
          .stopped_early = oracle_->stopped_early(),
          .checkpoint = oracle_->checkpoint()};
}

}  // namespace overture::train
