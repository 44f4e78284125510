// Checkpoints: a folder step-<n> with the rows of every server, the dense part, and a manifest that says what
// they are. Written beside its place and renamed when complete, so a crash or a full disk leaves the one
// before. Any number of servers, with any sharding, reads what any other wrote.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "overture/data/shape.h"
#include "overture/embedding/tables.h"
#include "overture/train/config.h"
#include "overture/train/learner.h"

namespace overture::train {

// What the manifest says besides what must not change.
struct CheckpointInfo {
  std::int64_t steps = 0;    // that have been trained
  std::int64_t samples = 0;  // that they had
  int servers = 1;
  embedding::Division division = {};
  std::optional<double> auc = std::nullopt;  // on the held-out samples, if they were evaluated then
};

// Which checkpoints stay when one more is complete: the two newest, the best by AUC, and every so many steps.
struct Keep {
  std::int64_t every = 0;  // 0: none for this reason
};

// Where a checkpoint will be.
std::filesystem::path complete_checkpoint(const std::filesystem::path& folder, std::int64_t steps);

// A checkpoint while it is written: its parts are saved into a folder beside its place. Unless it is
// completed, nothing of it remains. All here and below throw UserError: what cannot be written or read, is
// damaged, or is of another model.
class PartialCheckpoint {
 public:
  PartialCheckpoint(std::filesystem::path folder, std::int64_t steps);
  ~PartialCheckpoint();
  PartialCheckpoint(const PartialCheckpoint&) = delete;
  PartialCheckpoint& operator=(const PartialCheckpoint&) = delete;

  const std::filesystem::path& path() const { return partial_; }  // for its parts
  // Writes the manifest, puts the checkpoint in its place, and removes those that need not be kept.
  void complete(const TrainConfig& config, const CheckpointInfo& info, std::int64_t parameters,
                const Keep& keep = {});

 private:
  std::filesystem::path folder_;
  std::filesystem::path partial_;  // empty once it is complete
};

void save_rows(embedding::Tables& tables, const std::filesystem::path& into);
void save_dense(std::span<const float> values, std::span<const float> state,
                const std::filesystem::path& into);
// Of a program that brings its own model: bytes that only it understands. None when it gave none.
void save_state(const std::string& state, const std::filesystem::path& into);
std::string load_state(const std::filesystem::path& checkpoint);
// The newest complete checkpoint in `folder`, which may itself be one; none when there is none. Only the
// names are looked at.
std::optional<std::filesystem::path> latest_checkpoint(const std::filesystem::path& folder);
// What a run that was killed had begun to write.
void remove_partial_checkpoints(const std::filesystem::path& folder);
// The newest one that is whole, every byte; and why newer ones are not. None when there is none at all;
// throws UserError when none is whole.
struct WholeCheckpoint {
  std::filesystem::path path;
  std::vector<std::string> damaged;
};
std::optional<WholeCheckpoint> whole_checkpoint(const std::filesystem::path& folder);

// Checks that the checkpoint is one of this config, and says what is not.
CheckpointInfo read_manifest(const TrainConfig& config, const std::filesystem::path& checkpoint);
// Of the data that the checkpoint's model takes.
data::Shape shape_of(const std::filesystem::path& checkpoint);
// What a resumed run may change and this one has, such as the learning rate; a sentence each.
std::vector<std::string> changed_since(const TrainConfig& config, const std::filesystem::path& checkpoint);
void load_rows(embedding::Tables& tables, const CheckpointInfo& info,
               const std::filesystem::path& checkpoint);
void load_dense(Learner& learner, const std::filesystem::path& checkpoint);

}  // namespace overture::train
