#include <filesystem>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/testing.h"
#include "overture/formats/chakra/reader.h"
#include "overture/formats/chakra/records.h"
#include "overture/formats/chakra/writer.h"

namespace overture::chakra {
namespace {

class ChakraFile : public testing::Test {
 protected:
  ~ChakraFile() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string written(const std::string& bytes) const {
    write_file(path("t.0.et"), bytes);
    return path("t.0.et");
  }
  // What the reader says of these bytes.
  std::string complaint(const std::string& bytes) const {
    try {
      read_trace(written(bytes));
    } catch (const UserError& e) {
      return e.what();
    }
    return "";
  }

 private:
  static std::filesystem::path make() {
    std::string name = (std::filesystem::temp_directory_path() / "chakraXXXXXX").string();
    return mkdtemp(name.data());
  }
  std::filesystem::path folder_ = make();
};

// The example of the format's description: one all-reduce of 1 MiB.
const std::string kOneAllReduce =
    std::string(
        "\x07\x0a\x05"
        "0.0.4",
        8) +
    std::string(
        "\x40\x08\x01\x12\x0a"
        "ALL_REDUCE\x18\x07\x52\x0e\x0a\x09is_cpu_op\xd8\x01\x00\x52\x0d\x0a\x09"
        "comm_type\x48\x00\x52\x0f\x0a\x09"
        "comm_size\x48\x80\x80\x40",
        65);

RankTrace small() {
  RankTrace trace;
  Node compute{.id = 3, .duration_micros = 7, .kind = NodeKind::compute};
  const std::uint32_t first = add_node(trace, compute, "lookup", {});
  Node collective{.id = 9, .comm_size = 1000, .kind = NodeKind::collective, .comm_type = 6};
  collective.set(Has::comm_type);
  collective.set(Has::comm_size);
  collective.group = group_place(trace, "12");
  add_node(trace, collective, "exchange", std::array{first});
  return trace;
}

TEST_F(ChakraFile, ReadsTheExampleOfTheFormat) {
  const RankTrace trace = read_trace(written(kOneAllReduce));
  EXPECT_EQ(trace.version, "0.0.4");
  ASSERT_EQ(trace.nodes.size(), 1U);
  EXPECT_EQ(trace.nodes[0].kind, NodeKind::collective);
  EXPECT_EQ(trace.nodes[0].collective(), Collective::all_reduce);
  EXPECT_EQ(trace.nodes[0].comm_size, 1U << 20);
  EXPECT_EQ(trace.name(trace.nodes[0]), "ALL_REDUCE");
  EXPECT_FALSE(trace.nodes[0].on_cpu());
}

TEST_F(ChakraFile, WhatIsWrittenReadsTheSame) {
  const RankTrace before = small();
  write_trace(before, path("t.0.et"));
  const RankTrace after = read_trace(path("t.0.et"));
  ASSERT_EQ(after.nodes.size(), 2U);
  EXPECT_EQ(after.nodes[0].duration_micros, 7U);
  EXPECT_EQ(after.parents_of(after.nodes[1])[0], 0U);
  EXPECT_EQ(after.group_names[after.nodes[1].group], "12");
  EXPECT_EQ(encode(after), encode(before));
}

TEST_F(ChakraFile, GzippedFilesReadTheSame) {
  write_trace(small(), path("t.0.et.gz"));
  EXPECT_EQ(encode(read_trace(path("t.0.et.gz"))), encode(small()));
  EXPECT_EQ(read_file(path("t.0.et.gz")).substr(0, 2), "\x1f\x8b");
}

TEST_F(ChakraFile, UnknownAttributesAndFieldsComeBackAsTheyWere) {
  std::string node("\x08\x01\x12\x01n\x18\x04", 7);
  const std::string attribute("\x52\x0c\x0a\x05rf_id\x9a\x02\x02\x08\x05", 14);  // a list of numbers
  const std::string field("\xf2\x01\x03xyz", 6);                                 // field 30
  node += attribute + field;
  std::string file(
      "\x07\x0a\x05"
      "0.0.4",
      8);
  append_record(file, node);
  const RankTrace trace = read_trace(written(file), {.keep_unknown = true});
  EXPECT_EQ(trace.extra(trace.nodes[0]), attribute + field);
  ASSERT_EQ(trace.unknown.size(), 1U);
  EXPECT_EQ(trace.unknown[0].first, "rf_id");
  EXPECT_NE(encode(trace).find(attribute + field), std::string::npos);
}

// Chakra before 0.0.4: proto2, attributes in field 11 with a type, other numbers for collectives.
TEST_F(ChakraFile, ReadsTheSchemaOf2023) {
  std::string node("\x08\x05\x12\x01x\x18\x07", 7);
  node += std::string(
      "\x5a\x0f\x0a\x09"
      "comm_type\x10\x03\x38\x01",
      17);
  node += std::string(
      "\x5a\x10\x0a\x09"
      "comm_size\x10\x02\x30\x80\x08",
      18);
  node += std::string("\x2a\x02[]", 4);  // field 5 is a text there, not parents
  std::string file;
  append_record(file, std::string("\x0a\x06\x0a\x02hi\x10\x04", 8));
  append_record(file, node);
  const RankTrace trace = read_trace(written(file));
  ASSERT_EQ(trace.nodes.size(), 1U);
  EXPECT_EQ(trace.nodes[0].collective(), Collective::all_to_all);
  EXPECT_EQ(trace.nodes[0].comm_size, 1024U);
  EXPECT_EQ(trace.nodes[0].parents, 0U);
  const RankTrace kept = read_trace(written(file), {.keep_unknown = true});
  EXPECT_EQ(kept.extra(kept.nodes[0]), "") << "field 5 would be parents in what is written";
}

TEST_F(ChakraFile, AFileThatIsCutShortSaysWhere) {
  for (std::size_t keep = 9; keep < kOneAllReduce.size(); ++keep) {
    const std::string text = complaint(kOneAllReduce.substr(0, keep));
    EXPECT_NE(text.find("t.0.et"), std::string::npos) << keep;
    EXPECT_NE(text.find("at byte 8"), std::string::npos) << keep << text;
  }
  EXPECT_NE(complaint(kOneAllReduce.substr(0, 8)).find("has no nodes"), std::string::npos);
  EXPECT_NE(complaint("").find("has no records"), std::string::npos);
}

TEST_F(ChakraFile, ALengthThatDoesNotEndIsRefused) {
  EXPECT_NE(complaint(kOneAllReduce + std::string(6, '\xff')).find("length"), std::string::npos);
  EXPECT_NE(complaint(kOneAllReduce + "\xff\xff\xff\xff\x0f").find("claims"), std::string::npos);
}

// A finding of the fuzzer: a size whose field is marked as a text.
TEST_F(ChakraFile, AValueOfAnotherWireTypeIsNoValue) {
  std::string bytes = kOneAllReduce;
  bytes.replace(bytes.size() - 4, 4, std::string("\x4a\x02zz", 4));
  EXPECT_NE(complaint(bytes).find("node 1: comm_size: is not a whole number"), std::string::npos)
      << complaint(bytes);
}

TEST_F(ChakraFile, AMissingParentIsNamed) {
  RankTrace trace = small();
  std::string bytes = encode(trace);
  bytes.replace(bytes.find("\x2a\x01\x03"), 3, "\x2a\x01\x04");
  const std::string text = complaint(bytes);
  EXPECT_NE(text.find("node 9: data_deps"), std::string::npos) << text;
  EXPECT_NE(text.find("waits for node 4"), std::string::npos) << text;
}

TEST_F(ChakraFile, ACycleIsNamed) {
  RankTrace trace;
  add_node(trace, {.id = 1, .kind = NodeKind::compute}, "a", std::array{1U});
  add_node(trace, {.id = 2, .kind = NodeKind::compute}, "b", std::array{0U});
  EXPECT_NE(complaint(encode(trace)).find("waits for itself"), std::string::npos);
}

TEST_F(ChakraFile, TheSameIdTwiceIsNamed) {
  RankTrace trace;
  add_node(trace, {.id = 4, .kind = NodeKind::compute}, "a", {});
  add_node(trace, {.id = 4, .kind = NodeKind::compute}, "b", {});
  EXPECT_NE(complaint(encode(trace)).find("node 4: id"), std::string::npos);
}

TEST_F(ChakraFile, ANegativeSizeIsNamed) {
  std::string bytes = kOneAllReduce;
  bytes.replace(bytes.size() - 4, 4, std::string("\x48\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11));
  bytes[8] = '\x47';  // the record is seven bytes longer
  bytes.replace(bytes.find("\x52\x0f\x0a\x09"), 2, "\x52\x16");
  const std::string text = complaint(bytes);
  EXPECT_NE(text.find("node 1: comm_size: is negative: -1"), std::string::npos) << text;
}

TEST_F(ChakraFile, AMillionAttributesAreCountedNotStored) {
  std::string node("\x08\x01\x18\x04", 4);
  for (int i = 0; i < 1'000'000; ++i) node += std::string("\x52\x05\x0a\x01q\x48\x01", 7);
  std::string file(
      "\x07\x0a\x05"
      "0.0.4",
      8);
  append_record(file, node);
  const RankTrace trace = read_trace(written(file));
  ASSERT_EQ(trace.unknown.size(), 1U);
  EXPECT_EQ(trace.unknown[0].second, 1'000'000U);
  EXPECT_TRUE(trace.extras.empty());
}

TEST_F(ChakraFile, RanksAreFoundByNumberOrPattern) {
  EXPECT_EQ(rank_file("a/w", 3), "a/w.3.et");
  EXPECT_EQ(rank_file("a/rank%d.et.gz", 12), "a/rank12.et.gz");
  for (int rank = 0; rank < 3; ++rank) write_file(path(std::to_string(rank) + ".x"), "");
  EXPECT_EQ(count_ranks(path("%d.x")), 3);
  EXPECT_THROW(count_ranks(path("none")), UserError);
}

}  // namespace
}  // namespace overture::chakra
