#include "overture/train/party_maker.h"

#include <algorithm>
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
  const embedding::Share share{.index = number, .count = config.servers, .division = config.division};
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

std::vector<Learner*> learners_of(const std::vector<MadeParty>& parties) {
  std::vector<Learner*> learners;
  for (const MadeParty& made : parties) {
    if (made.learner != nullptr) learners.push_back(made.learner);
  }
  return learners;
}

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

std::vector<float> whole_row(const std::vector<MadeParty>& parties, std::int64_t table, std::int64_t id) {
  std::vector<float> result;
  for (const MadeParty& made : parties) {
    if (made.tables == nullptr || !made.tables->held(table).holds(id)) continue;
    const embedding::TableShare& held = made.tables->held(table);
    const float* const row = made.tables->row(table, id);
    result.resize(std::max(result.size(), static_cast<std::size_t>(held.end)));
    std::copy(row, row + held.used(), result.begin() + held.begin);
  }
  return result;
}

}  // namespace overture::train
