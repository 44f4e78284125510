#include "overture/data/batches.h"

#include <algorithm>

#include "overture/base/testing.h"
#include "overture/data/binary_writer.h"
#include "overture/data/dataset.h"
#include "overture/data/testing.h"

namespace overture::data {
namespace {

using namespace testing;

// Samples that carry their number as label, as dense feature and in their ids.
class Numbers final : public SampleReader {
 public:
  explicit Numbers(std::int64_t samples, bool known = true) : samples_(samples), known_(known) {}
  const Shape& shape() const override { return shape_; }
  std::optional<std::int64_t> samples() const override {
    return known_ ? std::optional(samples_) : std::nullopt;
  }
  std::int64_t read(Batch& batch, std::int64_t most) override {
    clear(batch, shape_);
    for (; batch.samples < most && next_ < samples_; ++next_) {
      TextRow row{.dense = {static_cast<float>(next_)}};
      const auto ids = static_cast<std::uint32_t>(next_ % 3);
      row.ids.assign(ids, next_);
      row.ends = {ids};
      append(batch, row);
    }
    return batch.samples;
  }

 private:
  Shape shape_{.dense_features = 1, .table_rows = {1 << 20}, .multi_hot = true};
  std::int64_t samples_;
  bool known_;
  std::int64_t next_ = 0;
};

Batches::Open numbers(std::int64_t samples, bool known = true) {
  return [=] { return std::make_unique<Numbers>(samples, known); };
}

// The number of every sample, batch after batch; checks that the bags belong to the sample.
std::vector<std::vector<std::int64_t>> all_of(BatchSource& source) {
  std::vector<std::vector<std::int64_t>> batches;
  Batch batch;
  while (source.next(batch)) {
    auto& samples = batches.emplace_back();
    for (std::int64_t s = 0; s < batch.samples; ++s) {
      const auto number = static_cast<std::int64_t>(batch.dense[static_cast<std::size_t>(s)]);
      samples.push_back(number);
      const Bags& bags = batch.tables[0];
      EXPECT_EQ(bags.end(s) - bags.begin(s), number % 3);
      for (std::uint32_t i = bags.begin(s); i < bags.end(s); ++i) EXPECT_EQ(bags.ids[i], number);
    }
  }
  return batches;
}

std::vector<std::int64_t> flat(const std::vector<std::vector<std::int64_t>>& batches) {
  std::vector<std::int64_t> all;
  for (const auto& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

TEST(Batches, KeepOrDropTheLastShortOne) {
  using Expected = std::vector<std::vector<std::int64_t>>;
  Batches kept(numbers(5), {.batch_size = 2});
  EXPECT_EQ(all_of(kept), (Expected{{0, 1}, {2, 3}, {4}}));
  Batches dropped(numbers(5), {.batch_size = 2, .drop_last = true});
  EXPECT_EQ(all_of(dropped), (Expected{{0, 1}, {2, 3}}));
}

TEST(Batches, HoldOutEveryNth) {
  const Split split{.test_every = 3};
  Batches train(numbers(8), {.batch_size = 3, .part = Part::train, .split = split});
  EXPECT_EQ(flat(all_of(train)), (std::vector<std::int64_t>{0, 1, 3, 4, 6, 7}));
  // Read and thrown away, or jumped over.
  for (const bool known : {false, true}) {
    Batches test(numbers(11, known), {.batch_size = 2, .part = Part::test, .split = split});
    EXPECT_EQ(all_of(test), (std::vector<std::vector<std::int64_t>>{{2, 5}, {8}}));
  }
}

TEST(Batches, HoldOutTheLast) {
  const Split split{.test_last = 3};
  Batches train(numbers(8), {.batch_size = 3, .part = Part::train, .split = split});
  EXPECT_EQ(flat(all_of(train)), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  Batches test(numbers(8), {.batch_size = 3, .part = Part::test, .split = split});
  EXPECT_EQ(flat(all_of(test)), (std::vector<std::int64_t>{5, 6, 7}));
  EXPECT_NE(
      user_error([&] { Batches(numbers(8, false), {.part = Part::test, .split = split}); }).find("convert"),
      std::string::npos);
  EXPECT_NE(user_error([&] { Batches(numbers(2), {.part = Part::test, .split = split}); }).find("3 samples"),
            std::string::npos);
}

TEST(Batches, ShuffleWithinBlocksTheSameWayForASeed) {
  const BatchOptions options{.batch_size = 64, .shuffle_block = 100, .seed = 5};
  Batches once(numbers(250), options);
  Batches again(numbers(250), options);
  const auto order = flat(all_of(once));
  EXPECT_EQ(order, flat(all_of(again)));
  for (std::int64_t block = 0; block < 3; ++block) {
    const auto from = order.begin() + block * 100;
    const auto to = block == 2 ? order.end() : from + 100;
    std::vector<std::int64_t> samples(from, to);
    EXPECT_FALSE(std::is_sorted(samples.begin(), samples.end()));
    std::sort(samples.begin(), samples.end());
    EXPECT_EQ(samples.front(), block * 100);
    EXPECT_EQ(samples.back() - samples.front() + 1, static_cast<std::int64_t>(samples.size()));
    EXPECT_EQ(std::unique(samples.begin(), samples.end()), samples.end());
  }
  BatchOptions other = options;
  other.seed = 6;
  Batches different(numbers(250), other);
  EXPECT_NE(order, flat(all_of(different)));
}

TEST(Batches, ShuffleEveryEpochDifferently) {
  Batches batches(numbers(100), {.batch_size = 100, .shuffle_block = 100, .epochs = 2});
  auto epochs = all_of(batches);
  ASSERT_EQ(epochs.size(), 2U);
  EXPECT_NE(epochs[0], epochs[1]);
  std::sort(epochs[0].begin(), epochs[0].end());
  std::sort(epochs[1].begin(), epochs[1].end());
  EXPECT_EQ(epochs[0], epochs[1]);
}

TEST(Batches, SkipAsIfTheyHadBeenRead) {
  const std::vector<BatchOptions> kinds{
      {.batch_size = 7},
      {.batch_size = 7, .drop_last = true, .epochs = 3},
      {.batch_size = 7, .part = Part::train, .split = {.test_every = 4}, .epochs = 2},
      {.batch_size = 7, .part = Part::train, .split = {.test_last = 13}, .epochs = 2},
      {.batch_size = 7, .shuffle_block = 20, .epochs = 2}};
  for (const BatchOptions& options : kinds) {
    for (const bool known : {true, false}) {
      if (!known && options.split.test_last > 0) continue;
      Batches whole(numbers(50, known), options);
      const auto expected = all_of(whole);
      for (std::size_t skipped = 0; skipped <= expected.size() + 1; ++skipped) {
        Batches rest(numbers(50, known), options);
        rest.skip(static_cast<std::int64_t>(skipped));
        const auto from = expected.begin() + static_cast<std::ptrdiff_t>(std::min(skipped, expected.size()));
        EXPECT_EQ(all_of(rest), std::vector(from, expected.end())) << skipped;
      }
    }
  }
}

// Whatever the options, our own format gives the batches that the text gave.
TEST(Batches, AreTheSameFromOurFormatAsFromItsSource) {
  const Folder folder;
  const Shape shape{.dense_features = 2, .table_rows = {30, 4000}, .multi_hot = true};
  const Batch batch = random_batch(shape, 1000, 9);
  write_all(*create_dataset(folder / "a.jsonl", Format::bagpipe, shape), batch);
  {
    const auto reader = open_dataset(folder / "a.jsonl", {.ids = {.table_rows = shape.table_rows}});
    BinaryWriter writer(folder / "a.ovd", reader->shape());
    Batch some;
    while (reader->read(some, 77) > 0) writer.write(some);
    writer.close();
  }
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random = RandomStreams(seed).make("options");
    const BatchOptions options{
        .batch_size = static_cast<std::int64_t>(1 + random.below(300)),
        .drop_last = random.below(2) == 1,
        .part = static_cast<Part>(random.below(3)),
        .split = {.test_every = static_cast<std::int64_t>(2 + random.below(9))},
        .shuffle_block = static_cast<std::int64_t>(random.below(3) * random.below(400)),
        .seed = seed,
        .epochs = static_cast<std::int64_t>(1 + random.below(2))};
    const auto text = open_batches(folder / "a.jsonl", {}, options);
    const auto ours = open_batches(folder / "a.ovd", {}, options);
    Batch a;
    Batch b;
    while (text->next(a)) {
      ASSERT_TRUE(ours->next(b)) << "seed " << seed;
      ASSERT_EQ(a, b) << "seed " << seed;
    }
    EXPECT_FALSE(ours->next(b)) << "seed " << seed;
  }
}

TEST(Batches, RefuseOptionsThatMakeNoSense) {
  EXPECT_NE(user_error([] { Batches(numbers(1), {.batch_size = 0}); }), "");
  EXPECT_NE(user_error([] { Batches(numbers(1), {.split = {.test_every = 1}}); }), "");
  EXPECT_NE(user_error([] { Batches(numbers(9), {.split = {.test_every = 2, .test_last = 2}}); }), "");
  EXPECT_NE(user_error([] { Batches(numbers(1), {.epochs = 0}); }), "");
}

}  // namespace
}  // namespace overture::data
