// Checkpoints on a disk that loses power, is full, or fails to sync: what was promised is there.
#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/base/testing_disk.h"
#include "overture/base/testing_seeds.h"
#include "overture/train/checkpoint.h"
#include "overture/train/testing.h"

namespace overture::train {
namespace {

namespace fs = std::filesystem;

class CheckpointCrash : public testing::Test {
 protected:
  CheckpointCrash() {
    std::string pattern = (fs::temp_directory_path() / "checkpoint-crash-XXXXXX").string();
    scratch_ = mkdtemp(pattern.data());
  }
  ~CheckpointCrash() override { fs::remove_all(scratch_); }

  // Of step n everything is n, so that what belongs together can be seen.
  void save(std::int64_t step, const fs::path& folder) {
    PartialCheckpoint partial(folder, step);
    for (std::int64_t t = 0; t < std::ssize(config_.tables.tables); ++t)
      std::ranges::fill(tables_.all(t), static_cast<float>(step));
    save_rows(tables_, partial.path());
    std::ranges::fill(learner_.parameters().values(), static_cast<float>(step));
    save_dense(learner_.parameters().values(), learner_.optimizer().state(), partial.path());
    partial.complete(config_, {.steps = step, .samples = 10 * step}, 1);
  }

  static std::ptrdiff_t entries(const fs::path& folder) {
    return std::distance(fs::directory_iterator(folder), {});
  }

  // Whether all of it is of that step.
  bool is_of(std::int64_t step, const fs::path& checkpoint) {
    Learner learner(config_);
    embedding::Tables tables(config_.tables, {}, learner.workers());
    const CheckpointInfo info = read_manifest(config_, checkpoint);
    load_rows(tables, info, checkpoint);
    load_dense(learner, checkpoint);
    const auto same = [&](float value) { return value == static_cast<float>(step); };
    bool rows = true;
    for (std::int64_t t = 0; t < std::ssize(config_.tables.tables); ++t)
      rows = rows && std::ranges::all_of(tables.all(t), same);
    return info.steps == step && info.samples == 10 * step && rows &&
           std::ranges::all_of(learner.parameters().values(), same);
  }

  // Saves these steps, one after the other; so many crashes at random moments.
  void crash_anywhere(const std::vector<std::int64_t>& steps, std::uint64_t crashes) {
    const fs::path root = scratch_ / "root";
    fs::create_directories(root);
    RecordingDisk recording(root);
    std::vector<std::pair<std::size_t, std::int64_t>> promises{
        {0, 0}};  // after so many operations, this step
    {
      const DiskInstead instead(recording);
      for (const std::int64_t step : steps) {
        save(step, root / "checkpoints");
        promises.emplace_back(recording.operations(), step);
      }
    }
    for (std::uint64_t seed = 0; seed < seeds(crashes); ++seed) {
      const std::size_t crash = RandomStream(seed, 3).below(recording.operations() + 1);
      SCOPED_TRACE(testing::Message()
                   << "seed " << seed << ", after operation " << crash << " of " << recording.operations());
      const fs::path after = scratch_ / "after";
      recording.crash(crash, seed, after);
      std::int64_t promised = 0;
      for (const auto& [operations, step] : promises) promised = operations <= crash ? step : promised;
      remove_partial_checkpoints(after / "checkpoints");
      expect_promise(promised, after / "checkpoints");
      fs::remove_all(after);
    }
  }
  void expect_promise(std::int64_t promised, const fs::path& folder) {
    std::optional<WholeCheckpoint> found;
    EXPECT_NO_THROW(found = whole_checkpoint(folder));
    if (!found) {
      EXPECT_EQ(promised, 0);
      return;
    }
    const std::int64_t step = read_manifest(config_, found->path).steps;
    EXPECT_GE(step, promised);
    EXPECT_TRUE(is_of(step, found->path)) << found->path;
  }

  TrainConfig config_{.tables = {.tables = {{.rows = 20, .dim = 4}, {.rows = 7, .dim = 4}}},
                      .model = DlrmConfig{.bottom = {2, 4}, .top = {4, 1}},
                      .dense_features = 2};
  Learner learner_{config_};
  embedding::Tables tables_{config_.tables, {}, learner_.workers()};
  fs::path scratch_;
};

TEST_F(CheckpointCrash, TheNewestThatWasPromisedIsThereWhereverTheCrashIs) {
  crash_anywhere({1, 2, 3, 3, 4, 5}, 500);  // one is saved again
}

TEST_F(CheckpointCrash, TheOnlyOneIsThereWhereverTheCrashIsWhenItIsSavedAgain) {
  crash_anywhere({2, 2}, 200);
}

TEST_F(CheckpointCrash, AFaultAnywhereLeavesTheOneBefore) {
  using Fault = FaultyDisk::Fault;
  for (const Fault fault : {Fault::full, Fault::no_sync, Fault::short_write}) {
    for (std::size_t at = 1;; ++at) {
      const fs::path folder = scratch_ / "checkpoints";
      fs::remove_all(folder);
      save(1, folder);
      FaultyDisk faulty(fault, at);
      const DiskInstead instead(faulty);
      bool saved = true;
      try {
        save(2, folder);
      } catch (const UserError&) {
        saved = false;
      }
      if (!faulty.happened()) break;
      EXPECT_EQ(saved, fault == Fault::short_write) << at;
      const auto found = whole_checkpoint(folder);
      ASSERT_TRUE(found) << at;
      EXPECT_TRUE(is_of(saved ? 2 : 1, found->path)) << at;
      EXPECT_TRUE(found->damaged.empty()) << at;
      EXPECT_EQ(entries(folder), saved ? 2 : 1) << at << ": what could not be written is gone";
    }
  }
}

}  // namespace
}  // namespace overture::train
