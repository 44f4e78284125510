// Makes the trainers and servers of a run, wherever they run.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "overture/train/checkpoint.h"
#include "overture/train/config.h"
#include "overture/train/party.h"

namespace overture::train {

// A party, and what it holds, while it lives.
struct MadeParty {
  std::unique_ptr<Party> party;
  Learner* learner = nullptr;           // of trainers
  embedding::Tables* tables = nullptr;  // of servers, and of trainers where there are none
};

// Of the trainers among some parties, by rank.
std::vector<Learner*> learners_of(const std::vector<MadeParty>& parties);

// Anybody but the oracle. Starts afresh, or where `checkpoint` was written unless it is empty; `info` is its
// manifest. Throws UserError.
MadeParty make_party(const TrainConfig& config, rpc::Address self, const std::filesystem::path& checkpoint,
                     const CheckpointInfo& info);

// The numbers of a row, from all who hold some of them.
std::vector<float> whole_row(const std::vector<MadeParty>& parties, std::int64_t table, std::int64_t id);

}  // namespace overture::train
