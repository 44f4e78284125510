// Checkpoints: a folder step-<n> with the rows of every server, the dense part, and a manifest that says what
// they are. Written beside its place and renamed when complete, so a crash or a full disk leaves the one
// before. Any number of servers, with any sharding, reads what any other wrote.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "overture/embedding/tables.h"
#include "overture/train/config.h"
#include "overture/train/learner.h"

namespace overture::train {

// What the manifest says besides the shapes.
struct CheckpointInfo {
  std::int64_t steps = 0;    // that have been trained
  std::int64_t samples = 0;  // that they had
  int servers = 1;
  embedding::Sharding sharding = embedding::Sharding::hash;
};

// Where a checkpoint is being written, and where it will be.
std::filesystem::path partial_checkpoint(const std::filesystem::path& folder, std::int64_t steps);
std::filesystem::path complete_checkpoint(const std::filesystem::path& folder, std::int64_t steps);

// All throw UserError: what cannot be written or read, is damaged, or is of another model.
void make_partial_checkpoint(const std::filesystem::path& partial);
void save_rows(embedding::Tables& tables, const std::filesystem::path& into);
void save_dense(std::span<const float> values, std::span<const float> state,
                const std::filesystem::path& into);
// Writes the manifest, puts the checkpoint in its place, and removes all but the two newest.
void complete(const TrainConfig& config, const CheckpointInfo& info, std::int64_t parameters,
              const std::filesystem::path& folder);

// The newest complete checkpoint in `folder`, which may itself be one; none when there is none.
std::optional<std::filesystem::path> latest_checkpoint(const std::filesystem::path& folder);
// Checks that the checkpoint is one of this config.
CheckpointInfo read_manifest(const TrainConfig& config, const std::filesystem::path& checkpoint);
void load_rows(embedding::Tables& tables, const CheckpointInfo& info,
               const std::filesystem::path& checkpoint);
void load_dense(Learner& learner, const std::filesystem::path& checkpoint);

}  // namespace overture::train
