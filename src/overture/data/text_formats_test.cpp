#include <zlib.h>
#include <zstd.h>

#include "overture/base/testing.h"
#include "overture/data/bagpipe.h"
#include "overture/data/criteo.h"
#include "overture/data/dataset.h"
#include "overture/data/testing.h"

namespace overture::data {
namespace {

using namespace testing;

const std::string kLine =
    "1\t1\t\t3\t-2\t5\t6\t7\t8\t9\t10\t11\t12\t70000\t"
    "0000000a\tff\t\t10\t11\t12\t13\t14\t15\t16\t17\t18\t19\t1a\t1b\t1c\t1d\t1e\t1f\t20\t21\t22\t23\t24\t25\t"
    "ffffffff\n";

std::string gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(text.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

std::string repeated(const std::string& line, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += line;
  return text;
}

Batch read(const std::filesystem::path& path, const DatasetOptions& options = {}) {
  return read_all(*open_dataset(path, options), 333);
}

Shape like_criteo() { return {.dense_features = 13, .table_rows = std::vector<std::int64_t>(26, 1000)}; }

// Dense features are logarithms of counts, as in real data.
Batch criteo_batch(std::int64_t samples) {
  Batch batch = random_batch(like_criteo(), samples, 1);
  for (float& value : batch.dense) value = dense_of_count(static_cast<std::int64_t>(value * 8));
  return batch;
}

TEST(Criteo, ReadsALineAsDlrmDoes) {
  TextRow row;
  ASSERT_EQ(parse_criteo(std::string_view(kLine).substr(0, kLine.size() - 1), row), "");
  EXPECT_EQ(row.label, 1);
  EXPECT_EQ(row.dense[0], std::log(2.0F));
  EXPECT_EQ(row.dense[1], 0) << "missing";
  EXPECT_EQ(row.dense[3], 0) << "negative";
  EXPECT_EQ(row.dense[12], std::log(70001.0F));
  EXPECT_EQ(row.ids[0], 10);
  EXPECT_EQ(row.ids[2], 0) << "missing";
  EXPECT_EQ(row.ids[25], 0xffffffff);
}

TEST(Criteo, ReadsPlainGzipAndZstdAlike) {
  const Folder folder;
  const std::string text = repeated(kLine, 20000);  // more than one buffer
  const Batch plain = read(folder.write("a.tsv", text));
  EXPECT_EQ(plain.samples, 20000);
  EXPECT_EQ(read(folder.write("a.gz", gzip(text))), plain);
  EXPECT_EQ(read(folder.write("b.gz", gzip(text.substr(0, 1000)) + gzip(text.substr(1000)))), plain);
  EXPECT_EQ(read(folder.write("a.zst", zstd(text))), plain);
  EXPECT_EQ(read(folder.write("b.zst", zstd(text.substr(0, 1000)) + zstd(text.substr(1000)))), plain);
}

TEST(Criteo, ReadsLinesThatEndAsOnWindowsOrNotAtAll) {
  const Folder folder;
  const std::string bare = kLine.substr(0, kLine.size() - 1);
  const Batch twice = read(folder.write("a.tsv", kLine + kLine));
  EXPECT_EQ(read(folder.write("b.tsv", bare + "\r\n\r\n" + bare + "\r\n")), twice);
  EXPECT_EQ(read(folder.write("c.tsv", kLine + bare)), twice);
}

TEST(Criteo, SaysThatAPackedFileIsCutShort) {
  const Folder folder;
  const std::string text = repeated(kLine, 50);
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    for (std::size_t size = 5; size < packed.size(); ++size) {
      const auto path = folder.write("cut", packed.substr(0, size));
      ASSERT_NE(user_error([&] { read(path, {.format = Format::criteo}); }), "") << size;
    }
    const auto path = folder.write("cut", packed.substr(0, packed.size() - 1));
    EXPECT_NE(user_error([&] { read(path, {.format = Format::criteo}); }).find("cut short"),
              std::string::npos);
  }
}

TEST(Criteo, SaysThatAPackedFileIsDamaged) {
  const Folder folder;
  std::string packed = gzip(repeated(kLine, 50));
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);  // the checksum
  const auto path = folder.write("a.gz", packed);
  EXPECT_NE(user_error([&] { read(path, {.format = Format::criteo}); }).find("damaged"), std::string::npos);
}

TEST(Criteo, StopsAtTheFirstBadRowUnlessSomeAreAllowed) {
  const Folder folder;
  const auto path = folder.write("a.tsv", kLine + "2\t1\n" + kLine + "1\tx\n" + kLine);
  const std::string message = user_error([&] { read(path); });
  EXPECT_NE(message.find("a.tsv:2: label \"2\""), std::string::npos) << message;
  EXPECT_NE(message.find("--max-bad-rows"), std::string::npos);

  const std::string second = user_error([&] { read(path, {.max_bad_rows = 1}); });
  EXPECT_NE(second.find("a.tsv:4"), std::string::npos) << second;
  EXPECT_NE(second.find("a.tsv:2"), std::string::npos) << "the first ones are shown";

  const auto reader = open_dataset(path, {.max_bad_rows = 2});
  EXPECT_EQ(read_all(*reader).samples, 3);
  EXPECT_EQ(reader->bad_rows()->count(), 2);
  ASSERT_EQ(reader->bad_rows()->first().size(), 2U);
  EXPECT_NE(reader->bad_rows()->first()[1].find("a.tsv:4: count 1 is \"x\""), std::string::npos);
}

TEST(Criteo, NamesEveryKindOfBadRow) {
  TextRow row;
  const auto why = [&](const std::string& line) {
    row.clear();
    return parse_criteo(line, row);
  };
  const std::string good = kLine.substr(0, kLine.size() - 1);
  EXPECT_NE(why(good + "\t1").find("41 fields"), std::string::npos);
  EXPECT_NE(why(good.substr(0, good.rfind('\t'))).find("test set"), std::string::npos);
  EXPECT_NE(why(good + "0").find("category 26"), std::string::npos) << "nine digits";
  EXPECT_NE(why("").find("label"), std::string::npos);
}

TEST(Criteo, FoldsHashesIntoTheTables) {
  const Folder folder;
  const auto path = folder.write("a.tsv", kLine);
  const auto reader = open_dataset(path, {.ids = {.max_ind_range = 7}});
  EXPECT_EQ(reader->shape().table_rows, std::vector<std::int64_t>(26, 7));
  EXPECT_EQ(read_all(*reader).tables[25].ids[0], 0xffffffffLL % 7);

  const std::vector<std::int64_t> rows(26, 16);
  EXPECT_NE(user_error([&] {
              read(path, {.ids = {.table_rows = rows}});
            }).find("id 255 of table 1 is not in its 16 rows"),
            std::string::npos);
  EXPECT_EQ(read(path, {.ids = {.table_rows = rows, .fold = true}}).tables[1].ids[0], 15);
}

TEST(Criteo, RefusesALineWithoutEnd) {
  const Folder folder;
  const auto path = folder.write("a.tsv", "1\t" + std::string(3 << 20, '7'));
  EXPECT_NE(user_error([&] { read(path); }).find("longer than 1 MiB"), std::string::npos);
}

TEST(Bagpipe, ReadsLinesInAnyOrderOfKeys) {
  TextRow row;
  ASSERT_EQ(parse_bagpipe(R"({"sparse": [3,  4], "label":1.0,"dense": [0.5, -1e-3]} )", row), "");
  EXPECT_EQ(row.label, 1);
  EXPECT_EQ(row.dense, (std::vector<float>{0.5F, -1e-3F}));
  EXPECT_EQ(row.ids, (std::vector<std::int64_t>{3, 4}));
  EXPECT_TRUE(row.ends.empty());
  row.clear();
  ASSERT_EQ(parse_bagpipe(R"({"label": 0, "dense": [], "sparse": [[1, 2], [], 7]})", row), "");
  EXPECT_EQ(row.ends, (std::vector<std::uint32_t>{2, 2, 3}));
}

TEST(Bagpipe, NamesEveryKindOfBadRow) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"([1])", "not a JSON object"},
      {R"({"label": 0, "dense": [1], "sparse": [1]} x)", "does not end"},
      {R"({"label": 0, "dense": [1], "sparse": [1])", "does not end"},
      {R"({"label": 0, "dense": [1]})", "is missing"},
      {R"({"label": 0, "label": 0})", "is a duplicate key"},
      {R"({"lable": 0})", "unknown key \"lable\""},
      {R"({"label": "a"})", "not a number"},
      {R"({"dense": [1,]})", "list of numbers"},
      {R"({"sparse": [1.5]})", "list of whole numbers"},
  };
  for (const auto& [line, expected] : cases) {
    TextRow row;
    EXPECT_NE(parse_bagpipe(line, row).find(expected), std::string::npos) << line;
  }
}

TEST(Bagpipe, ReadsPartsInTheOrderOfTheirNumbers) {
  const Folder folder;
  for (int part = 0; part < 11; ++part) {
    folder.write(fmt::format("set/part_{}.txt", part),
                 fmt::format("{{\"label\": 0.0, \"dense\": [1.5], \"sparse\": [{}]}}\n", part));
  }
  EXPECT_EQ(open_dataset(folder / "set")->shape().table_rows, std::vector<std::int64_t>{0});
  folder.write("set/emb_table_info.txt", "11\n");
  const auto reader = open_dataset(folder / "set");
  EXPECT_EQ(reader->shape().table_rows, std::vector<std::int64_t>{11});
  EXPECT_EQ(read_all(*reader).tables[0].ids, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));

  std::filesystem::remove(folder / "set/part_4.txt");
  EXPECT_NE(user_error([&] { open_dataset(folder / "set"); }).find("part_4.txt"), std::string::npos);
}

// CASER's: a user, the items before, the items then taken, and items not taken.
TEST(Bagpipe, EveryItemToDecideOnIsASample) {
  const Folder folder;
  folder.write("set/part_0.txt",
               "{\"label\": [7, 8], \"dense\": [3.0], \"sparse\": [[5], [1, 2, 4]]}\n"
               "{\"label\": [9], \"dense\": [], \"sparse\": [[0], [2, 4, 6]]}\n");
  folder.write("set/emb_table_info.txt", "6\n10\n");
  const auto reader = open_dataset(folder / "set");
  EXPECT_EQ(reader->shape().table_rows, (std::vector<std::int64_t>{6, 10, 10, 10, 10}));
  EXPECT_EQ(reader->shape().dense_features, 0);
  const Batch batch = read_all(*reader);
  EXPECT_EQ(batch.labels, (std::vector<float>{1, 1, 0, 1}));
  EXPECT_EQ(batch.tables[0].ids, (std::vector<std::int64_t>{5, 5, 5, 0}));
  EXPECT_EQ(batch.tables[3].ids, (std::vector<std::int64_t>{4, 4, 4, 6}));
  EXPECT_EQ(batch.tables[4].ids, (std::vector<std::int64_t>{7, 8, 3, 9}));
  EXPECT_TRUE(batch.tables[4].offsets.empty());

  folder.write("set/part_1.txt", "{\"label\": [9], \"dense\": [], \"sparse\": [[0], [2, 4]]}\n");
  EXPECT_NE(user_error([&] {
              read_all(*open_dataset(folder / "set"));
            }).find("part_1.txt:1: 2 items before; the first line has 3"),
            std::string::npos);
  folder.write("set/part_1.txt", "{\"label\": [9], \"dense\": [], \"sparse\": [[0, 1], [2, 4, 5]]}\n");
  EXPECT_NE(user_error([&] {
              read_all(*open_dataset(folder / "set"));
            }).find("\"sparse\" is not a list of a user and a list of the items before"),
            std::string::npos);
}

TEST(Bagpipe, TreatsRaggedAndPlainLinesOfOneDatasetAlike) {
  const Folder folder;
  const auto ragged = folder.write("a.jsonl",
                                   "{\"label\": 0, \"dense\": [], \"sparse\": [[1, 2], 5]}\n"
                                   "{\"label\": 1, \"dense\": [], \"sparse\": [3, 4]}\n");
  const Batch batch = read(ragged);
  EXPECT_EQ(batch.tables[0].offsets, (std::vector<std::uint32_t>{0, 2, 3}));
  const auto mixed = folder.write("b.jsonl",
                                  "{\"label\": 1, \"dense\": [], \"sparse\": [3, 4]}\n"
                                  "{\"label\": 0, \"dense\": [], \"sparse\": [[1, 2], 5]}\n");
  EXPECT_NE(user_error([&] { read(mixed); }).find("b.jsonl:2"), std::string::npos);
}

// A weight that is no number is a bad row like any other.
TEST(Bagpipe, ReadsAWeightForEveryLookup) {
  const Folder folder;
  const auto path =
      folder.write("a.jsonl",
                   "{\"label\": 0, \"dense\": [], \"sparse\": [[1, 2], 5], \"weights\": [[0.5, 2], 1]}\n"
                   "{\"label\": 1, \"dense\": [], \"weights\": [3, 4], \"sparse\": [3, 4]}\n"
                   "{\"label\": 1, \"dense\": [], \"sparse\": [3, 4]}\n"
                   "{\"label\": 1, \"dense\": [], \"sparse\": [3, 4], \"weights\": [nan, 1]}\n"
                   "{\"label\": 1, \"dense\": [], \"sparse\": [3, 4], \"weights\": [1, inf]}\n"
                   "{\"label\": 1, \"dense\": [], \"sparse\": [3, 4], \"weights\": [1]}\n");
  const auto reader = open_dataset(path, {.max_bad_rows = 4});
  EXPECT_TRUE(reader->shape().weighted);
  const Batch batch = read_all(*reader);
  EXPECT_EQ(batch.samples, 2);
  EXPECT_EQ(batch.tables[0].weights, (std::vector<float>{0.5F, 2, 3}));
  EXPECT_EQ(batch.tables[1].weights, (std::vector<float>{1, 4}));
  const std::vector<std::string> bad = reader->bad_rows()->first();
  ASSERT_EQ(bad.size(), 4U);
  EXPECT_NE(bad[0].find("a.jsonl:3: no weights"), std::string::npos) << bad[0];
  EXPECT_NE(bad[1].find("a.jsonl:4: a weight is not a finite number"), std::string::npos) << bad[1];
  EXPECT_NE(bad[2].find("a.jsonl:5: a weight is not a finite number"), std::string::npos) << bad[2];
  EXPECT_NE(bad[3].find("needs a number for every id"), std::string::npos) << bad[3];
}

TEST(TableInfo, IsOneNumberALine) {
  const Folder folder;
  EXPECT_EQ(read_table_info(folder.write("a", "1460\n583\n")), (std::vector<std::int64_t>{1460, 583}));
  EXPECT_NE(user_error([&] { read_table_info(folder.write("b", "12\nx\n")); }).find(":2: \"x\""),
            std::string::npos);
  EXPECT_NE(user_error([&] { read_table_info(folder.write("c", "0\n")); }), "");
  EXPECT_NE(user_error([&] { read_table_info(folder.write("d", "")); }), "");
}

// What one format wrote, every other one says too.
TEST(Formats, ConvertIntoEachOther) {
  const Folder folder;
  const Batch batch = criteo_batch(500);
  for (const std::string name : {"a.tsv", "a.jsonl", "set/", "a.bin", "a.ovd"}) {
    const auto path = folder / name;
    write_all(*create_dataset(path, output_format(path), like_criteo()), batch);
    EXPECT_EQ(detect_format(path), output_format(path)) << name;
    EXPECT_EQ(read(path), batch) << name;
  }
  EXPECT_EQ(read_table_info(folder / "set/emb_table_info.txt"), like_criteo().table_rows);
}

TEST(Formats, KeepBagsAndTheirWeightsInJsonLines) {
  for (const bool weighted : {false, true}) {
    const Folder folder;
    const Shape shape{.dense_features = 2, .table_rows = {50, 60}, .multi_hot = true, .weighted = weighted};
    const Batch batch = random_batch(shape, 100, 3);
    write_all(*create_dataset(folder / "a.jsonl", Format::bagpipe, shape), batch);
    EXPECT_EQ(read(folder / "a.jsonl"), batch);
  }
}

TEST(Formats, SayWhatTheyCannotHold) {
  const Folder folder;
  const Shape shape{.dense_features = 2, .table_rows = {50}};
  for (const Format format : {Format::criteo, Format::mlperf}) {
    EXPECT_NE(user_error([&] { create_dataset(folder / "a", format, shape); }).find("13 dense features"),
              std::string::npos);
  }
  EXPECT_NE(user_error([&] { output_format("a.npz"); }).find("only read"), std::string::npos);
  EXPECT_EQ(folder.files(), 0U);
}

TEST(Formats, AreToldByWhatAFileHolds) {
  const Folder folder;
  EXPECT_EQ(detect_format(folder.write("day_0", kLine)), Format::criteo);
  EXPECT_EQ(detect_format(folder.write("day_0.gz", gzip(kLine))), Format::criteo);
  EXPECT_EQ(detect_format(folder.write("x", "{\"label\": 0}")), Format::bagpipe);
  EXPECT_NE(user_error([&] { detect_format(folder.write("y", "hello")); }).find("--from"), std::string::npos);
  EXPECT_NE(user_error([&] { detect_format(folder.write("z", "")); }).find("is empty"), std::string::npos);
  EXPECT_NE(user_error([&] { detect_format(folder / "missing"); }).find("cannot be read"), std::string::npos);
  EXPECT_NE(user_error([] { parse_format("critoe", "--from"); }).find("did you mean \"criteo\""),
            std::string::npos);
}

TEST(Mlperf, IsFortyNumbersASample) {
  const Folder folder;
  std::string bytes(160, '\0');
  bytes[0] = 1;
  bytes[4] = 7;
  bytes[14 * 4] = 9;
  const Batch batch = read(folder.write("a.bin", bytes));
  EXPECT_EQ(batch.labels[0], 1);
  EXPECT_EQ(batch.dense[0], std::log(8.0F));
  EXPECT_EQ(batch.tables[0].ids[0], 9);
  EXPECT_NE(user_error([&] { read(folder.write("b.bin", bytes + "x")); }).find("cut short"),
            std::string::npos);
  bytes[0] = 5;
  EXPECT_NE(user_error([&] { read(folder.write("c.bin", bytes)); }).find("sample 0: label 5"),
            std::string::npos);
}

}  // namespace
}  // namespace overture::data
