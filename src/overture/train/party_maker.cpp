#include "overture/train/party_maker.h"

#include <string>
#include <utility>

#include "overture/train/embedding_server.h"
#include "overture/train/sharded_trainer.h"
#include "overture/train/trainer.h"

namespace overture::train {
namespace {

MadeParty make_server(const TrainConfig& config, int number) {
  embedding::TablesConfig tables = config.tables;
  if (!tables.file.empty() && config.servers > 1) tables.file += "." + std::to_string(number);
  const embedding::Share share{.index = number, .count = config.servers, .sharding = config.sharding};
  embedding::Workers workers(config.threads);
  auto server = std::make_unique<EmbeddingServer>(tables, config.parties(), share, workers);
  embedding::Tables* const held = &server->tables();
  return {.party = std::move(server), .tables = held};
}

MadeParty make_trainer(const TrainConfig& config, int rank, std::int64_t first_step) {
  if (config.tables_in_trainers()) {
    auto trainer = std::make_unique<ShardedTrainer>(config, rank, first_step);
    Learner* const learner = &trainer->learner();
    embedding::Tables* const held = &trainer->tables();
    return {.party = std::move(trainer), .learner = learner, .tables = held};
  }
  auto trainer = std::make_unique<Trainer>(config, rank, first_step);
  Learner* const learner = &trainer->learner();
  return {.party = std::move(trainer), .learner = learner};
}

}  // namespace

MadeParty make_party(const TrainConfig& config, rpc::Address self, const std::filesystem::path& checkpoint,
                     const CheckpointInfo& info) {
  const Parties parties = config.parties();
  const int rank = parties.rank(self);
  MadeParty made = rank < parties.trainers ? make_trainer(config, rank, info.steps)
                                           : make_server(config, parties.server_number(self));
  if (checkpoint.empty()) return made;
  if (made.learner != nullptr) load_dense(*made.learner, checkpoint);
  if (made.tables != nullptr) load_rows(*made.tables, info, checkpoint);
  return made;
}

}  // namespace overture::train
