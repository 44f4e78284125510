#include "overture/setup/visitors.h"

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/base/testing.h"

namespace overture::setup {
namespace {

// A small setup with every kind of key.
struct Inner {
  int depth = 1;
  std::optional<int> width;
};
struct Item {
  std::string name;
  Bytes size{};
};
struct Outer {
  std::string title = "none";
  double share = 0.5;
  std::vector<int> numbers;
  std::vector<std::string> words;
  Inner always;
  std::optional<Inner> sometimes;
  std::vector<Item> items;
};

template <class V>
void describe(V& v, Inner& inner) {
  v.field("depth", inner.depth, "Depth");
  v.field("width", inner.width, "Width");
}
template <class V>
void describe(V& v, Outer& outer) {
  v.from("ours");
  v.field("title", outer.title, "Title");
  v.from("theirs");
  v.field("share", outer.share, "Share");
  v.integers("numbers", outer.numbers, "Numbers");
  v.words("words", outer.words, "Words");
  v.group("always", "Always there", [&](auto& group) { describe(group, outer.always); });
  v.optional_group("sometimes", outer.sometimes, "Not always there",
                   [](auto& group, Inner& inner) { describe(group, inner); });
  v.list("items", outer.items, "Items", [](auto& item, Item& one) {
    item.required("name", one.name, "Its name");
    item.field("size", one.size, "Its size");
  });
}

Outer read_outer(const std::string& yaml) {
  const Value root = parse_yaml(yaml, "o.yaml");
  Outer outer;
  Reader reader(&root, "o.yaml", "");
  describe(reader, outer);
  reader.finish();
  return outer;
}

std::string write_outer(Outer outer) {
  return to_yaml(Writer::without_defaults(outer, [](Writer& w, Outer& o) { describe(w, o); }));
}

std::string error_of(const std::string& yaml) {
  return user_error([&] { read_outer(yaml); });
}

TEST(Reader, WhatIsAbsentKeepsItsDefault) {
  const Outer outer = read_outer("{}");
  EXPECT_EQ(outer.title, "none");
  EXPECT_EQ(outer.always.depth, 1);
  EXPECT_FALSE(outer.sometimes);
  EXPECT_TRUE(outer.items.empty());
}

TEST(Reader, AnEmptyMapIsEnoughForAGroupThatMayBeLeftOut) {
  const Outer outer = read_outer("sometimes: {}");
  ASSERT_TRUE(outer.sometimes);
  EXPECT_EQ(outer.sometimes->depth, 1);
}

TEST(Reader, AWordMayStandForAListOfOne) {
  const Outer outer = read_outer("words: alone\nnumbers: 3\n");
  EXPECT_EQ(outer.words, std::vector<std::string>{"alone"});
  EXPECT_EQ(outer.numbers, std::vector{3});
}

TEST(Reader, ErrorsHaveTheLineAndTheWholeKey) {
  EXPECT_EQ(error_of("always:\n  depth: x\n"), "o.yaml:2: always.depth: \"x\" is not a whole number");
  EXPECT_EQ(error_of("items:\n  - {name: a}\n  - {size: 1 B}\n"),
            "o.yaml:3: items.1.name: is missing\n  Its name");
  EXPECT_EQ(
      error_of("items:\n  - {name: a, size: 1}\n").rfind("o.yaml:2: items.0.size: \"1\" has no unit", 0), 0u);
  EXPECT_EQ(error_of("items: {name: a}\n"), "o.yaml:1: items: must be a list");
  EXPECT_EQ(error_of("items:\n- a\n"), "o.yaml:2: items.0: must be a map");
  EXPECT_EQ(error_of("always: 1\n"), "o.yaml:1: always: must be a map");
  EXPECT_EQ(error_of("title: [a]\n"), "o.yaml:1: title: must be a single value");
  EXPECT_EQ(error_of("numbers: [1, a]\n"), "o.yaml:1: numbers: \"a\" is not a whole number");
  EXPECT_EQ(error_of("words: [[a]]\n"), "o.yaml:1: words: must be a list of words");
}

TEST(Reader, AnUnknownKeyIsAnErrorAtAnyDepth) {
  EXPECT_EQ(
      error_of("titel: a\n"),
      "o.yaml:1: titel: unknown key\n  did you mean \"title\"? known: title, share, numbers, words, always, "
      "sometimes, items");
  EXPECT_EQ(error_of("always: {dept: 1}\n"),
            "o.yaml:1: always.dept: unknown key\n  did you mean \"depth\"? known: depth, width");
  EXPECT_EQ(error_of("items: [{name: a, hue: red}]\n"),
            "o.yaml:1: items.0.hue: unknown key\n  known: name, size");
}

TEST(Writer, DefaultsAreLeftOutAtAnyDepth) {
  EXPECT_EQ(write_outer({}), "");
  Outer outer;
  outer.always.depth = 2;
  EXPECT_EQ(write_outer(outer), "always:\n  depth: 2\n");
}

TEST(Writer, AGroupThatIsThereIsWrittenEvenIfAllOfItIsDefault) {
  Outer outer;
  outer.sometimes.emplace();
  EXPECT_TRUE(read_outer(write_outer(outer)).sometimes) << write_outer(outer);
}

TEST(Writer, WhatIsRequiredIsWrittenEvenIfItIsTheDefault) {
  Outer outer;
  outer.items.push_back({});
  const Outer again = read_outer(write_outer(outer));
  ASSERT_EQ(again.items.size(), 1u);
  EXPECT_EQ(again.items[0].name, "");
}

bool same(const Inner& a, const Inner& b) { return a.depth == b.depth && a.width == b.width; }

TEST(Visitors, AnythingThatIsWrittenReadsBackAsItWas) {
  RandomStream random = RandomStreams(3).make("visitors");
  const auto inner = [&] {
    Inner one{.depth = static_cast<int>(random.below(4)), .width = std::nullopt};
    if (random.below(2) == 0) one.width = static_cast<int>(random.below(9));
    return one;
  };
  for (int round = 0; round < 300; ++round) {
    Outer outer;
    if (random.below(2) == 0) outer.title = "t: " + std::to_string(random.below(100));
    if (random.below(2) == 0) outer.share = random.unit();
    for (auto n = random.below(3); n > 0; --n)
      outer.numbers.push_back(static_cast<int>(random.below(50)) - 25);
    for (auto n = random.below(3); n > 0; --n) outer.words.push_back("w " + std::to_string(random.below(50)));
    outer.always = inner();
    if (random.below(2) == 0) outer.sometimes = inner();
    for (auto n = random.below(4); n > 0; --n)
      outer.items.push_back({"i#" + std::to_string(n), Bytes{static_cast<std::int64_t>(random.below(5000))}});
    const std::string text = write_outer(outer);
    const Outer again = read_outer(text.empty() ? "{}" : text);
    EXPECT_EQ(again.title, outer.title) << text;
    EXPECT_EQ(again.share, outer.share) << text;
    EXPECT_EQ(again.numbers, outer.numbers) << text;
    EXPECT_EQ(again.words, outer.words) << text;
    EXPECT_TRUE(same(again.always, outer.always)) << text;
    ASSERT_EQ(again.sometimes.has_value(), outer.sometimes.has_value()) << text;
    if (outer.sometimes) {
      EXPECT_TRUE(same(*again.sometimes, *outer.sometimes)) << text;
    }
    ASSERT_EQ(again.items.size(), outer.items.size()) << text;
    for (std::size_t i = 0; i < outer.items.size(); ++i) {
      EXPECT_EQ(again.items[i].name, outer.items[i].name) << text;
      EXPECT_EQ(again.items[i].size, outer.items[i].size) << text;
    }
  }
}

TEST(Explainer, TellsEveryKeyWithItsTypeDefaultAndSource) {
  std::vector<Explanation> told;
  Outer outer;
  Explainer explainer(told, "");
  describe(explainer, outer);
  const auto find = [&](const std::string& key) {
    for (const Explanation& one : told) {
      if (one.key == key) return one;
    }
    return Explanation{};
  };
  EXPECT_EQ(find("title").source, "ours");
  EXPECT_EQ(find("share").source, "theirs");
  EXPECT_EQ(find("share").initial, "0.5");
  EXPECT_EQ(find("always.depth").type, "whole number");
  EXPECT_EQ(find("always.width").initial, "");
  EXPECT_EQ(find("sometimes.depth").help, "Depth");
  EXPECT_TRUE(find("items[].name").required);
  EXPECT_FALSE(find("items[].size").required);
}

}  // namespace
}  // namespace overture::setup
