#include "overture/setup/train_ids.h"

#include <gtest/gtest.h>

#include "overture/base/testing_folder.h"

namespace overture::setup {
namespace {

// Criteo's text: a label, 13 numbers, 26 hashes.
std::string criteo_line(int label, const std::string& hash) {
  std::string line = std::to_string(label);
  for (int i = 0; i < 13; ++i) line += "\t" + std::to_string(i);
  for (int i = 0; i < 26; ++i) line += "\t" + hash;
  return line + "\n";
}

std::string setup_of(const std::string& more = "") {
  return "data: {file: log.tsv, test_every: 0" + more + "}\nbatch_size: 2\n";
}

TEST(NeedsIds, OnlyRawLogsOfWhichNothingElseIsSaid) {
  const TestFolder folder;
  folder.write("log.tsv", criteo_line(1, "0a0b0c0d"));
  const std::string file = (folder / "train.yaml").string();
  const auto needs = [&](const std::string& yaml) { return needs_ids(parse_train_setup(yaml, file)); };
  EXPECT_TRUE(needs(setup_of()));
  EXPECT_TRUE(needs(setup_of(", format: criteo")));
  EXPECT_FALSE(needs(setup_of(", max_ind_range: 100")));
  EXPECT_FALSE(needs(setup_of(", ids: ids.bin")));
  EXPECT_FALSE(needs(setup_of() + "tables: {rows: 5-6}\n"));
  EXPECT_FALSE(needs("data: {synthetic: kaggle}\n"));
}

TEST(CollectIds, ADifferentIdIsADifferentRowAndTheSameIsNot) {
  const TestFolder folder;
  folder.write("log.tsv", criteo_line(1, "00000001") + criteo_line(0, "00000002") +
                              criteo_line(1, "00000001") + criteo_line(0, "00000003"));
  const TrainSetup setup = parse_train_setup(setup_of(", epochs: 3"), (folder / "train.yaml").string());
  std::int64_t samples = 0;
  const data::IdDictionary ids = collect_ids(setup, [&](std::int64_t so_far) {
    samples = so_far;
    return true;
  });
  EXPECT_EQ(samples, 4) << "an epoch is enough";
  ASSERT_EQ(ids.tables(), 26u);
  for (std::size_t t = 0; t < ids.tables(); ++t) EXPECT_EQ(ids.rows(t), 4) << "three ids, and those unknown";
}

std::string json_line(int first, int second) {
  return "{\"label\": 1, \"dense\": [1], \"sparse\": [" + std::to_string(first) + ", " +
         std::to_string(second) + "]}\n";
}

TEST(CountRows, OfFilesThatHoldRowsButDoNotSayHowMany) {
  const TestFolder folder;
  folder.write("clicks.jsonl", json_line(7, 0) + json_line(2, 0) + json_line(5, 3));
  const auto setup = [&](const std::string& more) {
    return parse_train_setup("data: {file: clicks.jsonl, test_every: 3, epochs: 2}\n" + more,
                             (folder / "train.yaml").string());
  };
  EXPECT_TRUE(needs_rows(setup("")));
  EXPECT_FALSE(needs_rows(setup("tables: {rows: 8-4}\n")));
  EXPECT_FALSE(needs_rows(parse_train_setup("data: {synthetic: kaggle}\n", "")));
  std::int64_t samples = 0;
  const std::vector<std::int64_t> rows = count_rows(setup(""), [&](std::int64_t so_far) {
    samples = so_far;
    return true;
  });
  EXPECT_EQ(rows, (std::vector<std::int64_t>{8, 4})) << "held-out samples look rows up, too";
  EXPECT_EQ(samples, 3);
}

TEST(CollectIds, ItMayBeStoppedBetweenBatches) {
  const TestFolder folder;
  std::string text;
  for (int i = 1; i < 10; ++i) text += criteo_line(1, "0000000" + std::to_string(i));
  folder.write("log.tsv", text);
  const TrainSetup setup = parse_train_setup(setup_of(), (folder / "train.yaml").string());
  int asked = 0;
  const data::IdDictionary ids = collect_ids(setup, [&](std::int64_t) { return ++asked < 2; });
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(ids.rows(0), 5) << "two batches of two";
}

}  // namespace
}  // namespace overture::setup
