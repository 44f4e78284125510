#include "overture/data/id_dictionary.h"

#include "overture/base/testing.h"
#include "overture/data/testing.h"

namespace overture::data {
namespace {

using testing::Folder;

Batch lookups(const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& second) {
  Batch batch{.samples = std::ssize(first)};
  batch.tables = {Bags{.ids = first}, Bags{.ids = second}};
  return batch;
}

IdDictionary small() {
  IdCollector collector(2);
  collector.add(lookups({7, 0xffffffff, 7}, {0, 0, 9}));
  collector.add(lookups({3}, {9}));
  return collector.finish();
}

TEST(IdDictionary, HasARowForEveryIdAndOneForAllOthers) {
  const IdDictionary ids = small();
  EXPECT_EQ(ids.rows(0), 4);
  EXPECT_EQ(ids.rows(1), 2);
  EXPECT_EQ(ids.ids(), 4);
  EXPECT_EQ(ids.row(0, 3), 1);
  EXPECT_EQ(ids.row(0, 7), 2);
  EXPECT_EQ(ids.row(0, 0xffffffff), 3);
  EXPECT_EQ(ids.row(0, 8), 0);
  EXPECT_EQ(ids.row(1, 0), 0) << "what is missing";
  EXPECT_EQ(ids.row(1, 9), 1);
  EXPECT_EQ(ids.row(1, -1), 0);
}

TEST(IdDictionary, FindsEveryOneOfMany) {
  RandomStream random(1, 2);
  IdCollector collector(1);
  std::vector<std::int64_t> all;
  for (int batch = 0; batch < 50; ++batch) {
    Batch some{.samples = 1000};
    some.tables.resize(1);
    for (int i = 0; i < 1000; ++i)
      some.tables[0].ids.push_back(1 + static_cast<std::int64_t>(random.below(90'000)) * 40'000);
    collector.add(some);
    all.insert(all.end(), some.tables[0].ids.begin(), some.tables[0].ids.end());
  }
  const IdDictionary ids = collector.finish();
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  ASSERT_EQ(ids.ids(), std::ssize(all));
  for (std::size_t i = 0; i < all.size(); ++i)
    ASSERT_EQ(ids.row(0, all[i]), static_cast<std::int64_t>(i) + 1);
}

TEST(IdDictionary, AFileKeepsIt) {
  const Folder folder;
  small().save(folder / "ids.bin");
  const IdDictionary ids = IdDictionary::load(folder / "ids.bin");
  EXPECT_EQ(ids.tables(), 2U);
  EXPECT_EQ(ids.row(0, 7), 2);
  EXPECT_EQ(ids.row(1, 9), 1);
}

TEST(IdDictionary, ADamagedFileIsRefused) {
  const Folder folder;
  small().save(folder / "ids.bin");
  const std::string whole = testing::bytes_of(folder / "ids.bin");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    folder.write("cut.bin", whole.substr(0, size));
    EXPECT_NE(user_error([&] { IdDictionary::load(folder / "cut.bin"); }), "") << size;
  }
  std::string other = whole;
  other[20] ^= 1;
  folder.write("other.bin", other);
  EXPECT_NE(user_error([&] { IdDictionary::load(folder / "other.bin"); }), "");
}

}  // namespace
}  // namespace overture::data
