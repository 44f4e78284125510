#include <gtest/gtest.h>

#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/cli/testing.h"
#include "overture/setup/search_setup.h"
#include "overture/setup/setup.h"
#include "overture/setup/sweep_setup.h"
#include "overture/setup/train_setup.h"

namespace overture::cli {
namespace {

std::string explained(Words words) {
  words.insert(words.begin(), "explain");
  return printed(words, add_explain);
}

TEST(ExplainCommand, AKeyHasItsMeaningItsValueAndWhereItsDefaultComesFrom) {
  EXPECT_EQ(explained({"passes"}),
            "Setups of `overture simulate`:\n\npasses\n  Training iterations\n  whole number; default 1\n  "
            "default from: "
            "ours\n");
}

TEST(ExplainCommand, EntriesOfListsAreAllAlike) {
  EXPECT_EQ(explained({"network.dimensions.0.size"}), explained({"network.dimensions.12.size"}));
  EXPECT_TRUE(has(explained({"network.dimensions.0.size"}), "network.dimensions[].size\n"));
  EXPECT_EQ(explained({"workload.layers.3.name"}), explained({"workload.layers[].name"}));
}

TEST(ExplainCommand, APartExplainsAllBelowItAndNothingElse) {
  const std::string text = explained({"network.roce"});
  EXPECT_TRUE(has(text, "network.roce.dcqcn.gain\n"));
  EXPECT_FALSE(has(text, "network.tcp"));
  EXPECT_FALSE(has(text, "network.rotor.rate"));
}

TEST(ExplainCommand, AKeyOfSeveralCommandsIsExplainedForEach) {
  const std::string text = explained({"seed"});
  EXPECT_TRUE(has(text, "Setups of `overture simulate`:"));
  EXPECT_TRUE(has(text, "Setups of `overture train`:"));
  EXPECT_TRUE(has(text, "Setups of `overture codesign`:"));
  EXPECT_FALSE(has(explained({"seed", "--train"}), "simulate"));
}

TEST(ExplainCommand, AnUnknownKeyHasASuggestion) {
  const std::string text = refused({"explain", "network.contentoin"}, add_explain);
  EXPECT_EQ(text.rfind("unknown key \"network.contentoin\"\n  did you mean \"network.contention\"?", 0), 0u)
      << text;
}

TEST(ExplainCommand, TheLastWordOfAKeyIsEnoughToFindIt) {
  EXPECT_EQ(refused({"explain", "transport"}, add_explain),
            "unknown key \"transport\"\n  did you mean \"network.transport\"?\n");
}

TEST(ExplainCommand, WithoutAKeyAllAreExplained) {
  const std::string all = explained({});
  std::size_t keys = 0;
  for (const auto& list : {setup::explain_setup(), setup::explain_train_setup(), setup::explain_sweep_setup(),
                           setup::explain_search_setup()}) {
    for (const auto& one : list) {
      EXPECT_TRUE(has(all, "\n" + one.key + "\n")) << one.key;
      ++keys;
    }
  }
  EXPECT_GT(keys, 300u);
}

TEST(ExplainCommand, MarkdownIsATableWithALineForEveryKey) {
  const auto lines = split(explained({"--markdown", "--sweep"}), '\n');
  EXPECT_EQ(lines[0], "| key | value | default | meaning | default from |");
  EXPECT_EQ(lines.size(), setup::explain_sweep_setup().size() + 3);
  for (std::size_t i = 2; i + 1 < lines.size(); ++i) EXPECT_EQ(lines[i].rfind("| `", 0), 0u) << lines[i];
}

TEST(ExplainCommand, CostIsNoKeyButIsExplainedWithItsPrices) {
  const std::string text = explained({"cost"});
  EXPECT_TRUE(has(text, "A topology pays for every cable"));
  EXPECT_TRUE(has(text, "\nswitch_ports\n"));
  EXPECT_EQ(explained({"prices"}), text);
  EXPECT_EQ(explained({"network.prices"}), text);
}

TEST(ExplainCommand, NoLineIsLongerThanATerminal) {
  for (const std::string& line : split(explained({}), '\n')) EXPECT_LE(line.size(), 80u) << line;
}

}  // namespace
}  // namespace overture::cli
