#include "overture/setup/value.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/base/random.h"
#include "overture/base/testing.h"

namespace overture::setup {
namespace {

std::string error_of(const std::string& yaml) {
  return user_error([&] { parse_yaml(yaml, "a.yaml"); });
}

TEST(Yaml, KeepsOrderAndLines) {
  const Value root = parse_yaml("b: 1\na:\n  - x\n  - {y: z}\n", "a.yaml");
  ASSERT_EQ(root.keys.size(), 2u);
  EXPECT_EQ(root.keys[0].key, "b");
  EXPECT_EQ(root.find("a")->items[1].find("y")->text, "z");
  EXPECT_EQ(root.find("a")->items[1].line, 4);
}

TEST(Yaml, WhatIsNotASetupIsTheUsersToMend) {
  EXPECT_EQ(error_of("a: [1\nb: 2\n").substr(0, 12), "a.yaml:2: is");
  EXPECT_EQ(error_of("a: 1\na: 2\n"), "a.yaml:2: a: duplicate key");
  EXPECT_EQ(error_of("- 1\n").substr(0, 22), "a.yaml: is not a setup");
  EXPECT_EQ(error_of("").substr(0, 22), "a.yaml: is not a setup");
}

TEST(Yaml, OverridesReachIntoMapsAndLists) {
  Value root = parse_yaml("network:\n  dimensions:\n    - {size: 4}\n    - {size: 8}\n", "a.yaml");
  override_value(root, "network.dimensions.1.size=16");
  override_value(root, "system.chunks=2");
  EXPECT_EQ(root.find("network")->find("dimensions")->items[1].find("size")->text, "16");
  EXPECT_EQ(root.find("system")->find("chunks")->text, "2");
  EXPECT_THROW(override_value(root, "network.dimensions.2.size=1"), UserError);
  EXPECT_THROW(override_value(root, "network.dimensions.x.size=1"), UserError);
  EXPECT_THROW(override_value(root, "no equals sign"), UserError);
  EXPECT_THROW(override_value(root, "system.chunks.deeper=1"), UserError);
  EXPECT_THROW(override_value(root, "=1"), UserError);
}

TEST(Yaml, WhatIsWrittenReadsBack) {
  const std::string odd = "a \"quoted\": text, with # and [brackets] and a \\ and a\nnew line";
  Value root;
  root.at("plain") = Value::scalar("100 Gbps");
  root.at("odd") = Value::scalar(odd);
  root.at("empty") = Value::scalar("");
  Value& list = root.at("list");
  list.kind = Value::Kind::list;
  for (int i = 0; i < 3; ++i) {
    Value item;
    item.at("name") = Value::scalar(std::string(60, static_cast<char>('a' + i)));
    item.at("inner").at("text") = Value::scalar(odd);
    list.items.push_back(item);
  }
  const Value again = parse_yaml(to_yaml(root), "again.yaml");
  EXPECT_EQ(again.find("plain")->text, "100 Gbps");
  EXPECT_EQ(again.find("odd")->text, odd);
  EXPECT_EQ(again.find("empty")->text, "");
  ASSERT_EQ(again.find("list")->items.size(), 3u);
  EXPECT_EQ(again.find("list")->items[2].find("inner")->find("text")->text, odd);
}

// A kilobyte that would be 10^9 values.
TEST(Yaml, AliasesThatMultiplyAreRefusedBeforeTheyFillTheMemory) {
  std::string yaml = "a: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int level = 1; level < 9; ++level) {
    const std::string before = "*a" + std::to_string(level - 1);
    yaml += "b" + std::to_string(level) + ": &a" + std::to_string(level) + " [" + before;
    for (int i = 1; i < 10; ++i) yaml += ", " + before;
    yaml += "]\n";
  }
  EXPECT_LT(yaml.size(), 1000);
  EXPECT_NE(error_of(yaml).find("more than 1000000 values"), std::string::npos);
}

TEST(Yaml, AFewAliasesAreWrittenOut) {
  const Value root = parse_yaml("a: &wire {rate: 1}\nb: *wire\nc: [*wire, *wire]\n", "a.yaml");
  EXPECT_EQ(root.find("b")->find("rate")->text, "1");
  EXPECT_EQ(root.find("c")->items.size(), 2);
}

TEST(Yaml, DeepNestingIsRefusedAndNotACrash) {
  for (const int depth : {40, 1000, 100'000}) {
    const std::string deep = "a: " + std::string(static_cast<std::size_t>(depth), '[') +
                             std::string(static_cast<std::size_t>(depth), ']');
    EXPECT_NE(error_of(deep), "") << depth;
  }
}

TEST(Override, NothingOfItHasALineOfTheFile) {
  Value root = parse_yaml("a: 1\n", "a.yaml");
  override_value(root, "list=[{b: 1}, [2]]");
  const Value& list = *root.find("list");
  EXPECT_EQ(list.line, 0);
  EXPECT_EQ(list.items[0].line, 0);
  EXPECT_EQ(list.items[0].find("b")->line, 0);
  EXPECT_EQ(list.items[1].items[0].line, 0);
}

TEST(Override, ATildeTakesAKeyOut) {
  Value root = parse_yaml("workload: {dlrm: {batch: 8}, cache: {lookahead: 2}}", "a.yaml");
  override_value(root, "workload.cache=~");
  override_value(root, "workload.never=~");
  EXPECT_EQ(root.find("workload")->keys.size(), 1U);
  EXPECT_NE(root.find("workload")->find("dlrm"), nullptr);
}

// A tree of maps, lists and scalars, of the characters that YAML gives a meaning.
Value some_tree(RandomStream& random, int depth) {
  const auto word = [&] {
    constexpr std::string_view kLetters = "ab1 .:-#'\"\\{}[],&*!|>%@`~?\n\t\x1b\x7f";
    std::string text;
    for (auto length = random.below(9); length > 0; --length)
      text += kLetters[static_cast<std::size_t>(random.below(kLetters.size()))];
    return text;
  };
  Value value;
  const auto kind = depth == 0 ? 0 : random.below(3);
  if (kind == 0) return Value::scalar(word());
  value.kind = kind == 1 ? Value::Kind::list : Value::Kind::map;
  for (auto size = 1 + random.below(4); size > 0; --size) {
    if (kind == 1) value.items.push_back(some_tree(random, depth - 1));
    if (kind == 2) value.at("k" + word()) = some_tree(random, depth - 1);
  }
  return value;
}

bool same(const Value& a, const Value& b) {
  return a.kind == b.kind && a.text == b.text && std::ranges::equal(a.items, b.items, same) &&
         std::ranges::equal(a.keys, b.keys, [](const Value::Entry& x, const Value::Entry& y) {
           return x.key == y.key && same(x.value, y.value);
         });
}

TEST(Yaml, AnyTreeReadsBackAsItWasWritten) {
  RandomStream random(1, 1);
  for (int i = 0; i < 300; ++i) {
    Value root;
    root.at("root") = some_tree(random, 4);
    const std::string text = to_yaml(root);
    Value again;
    ASSERT_NO_THROW(again = parse_yaml(text, "again.yaml")) << text;
    EXPECT_TRUE(same(again, root)) << text;
  }
}

TEST(Yaml, ATildeTakesAKeyOutAndOverridesMayBeMapsAndLists) {
  Value root = parse_yaml("a: {b: 1, c: 2}\n", "a.yaml");
  override_value(root, "a.b=~");
  EXPECT_EQ(root.find("a")->find("b"), nullptr);
  EXPECT_NE(root.find("a")->find("c"), nullptr);
  override_value(root, "a.d={e: [1, 2]}");
  EXPECT_EQ(root.find("a")->find("d")->find("e")->items.size(), 2u);
  EXPECT_THROW(override_value(root, "a.d=[1"), UserError);
  EXPECT_THROW(override_value(root, "a..d=1"), UserError);
}

TEST(Yaml, AnEntryOfAnEmptyListIsTold) {
  Value root = parse_yaml("a: []\n", "a.yaml");
  EXPECT_NE(user_error([&] { override_value(root, "a.0=1"); }).find("the list is empty"), std::string::npos);
}

TEST(Yaml, AFileThatIsTooLongIsRefusedBeforeItIsRead) {
  EXPECT_NE(error_of("name: " + std::string(17 << 20, 'x') + "\n").find("is larger than 16 MiB"),
            std::string::npos);
}

TEST(Yaml, ManyKeysAreNotComparedWithEachOther) {
  std::string yaml;
  for (int i = 0; i < 50'000; ++i) yaml += "key" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(parse_yaml(yaml, "a.yaml").keys.size(), 50'000u);
  EXPECT_NE(error_of(yaml + "key7: 2\n").find("key7: duplicate key"), std::string::npos);
}

}  // namespace
}  // namespace overture::setup
