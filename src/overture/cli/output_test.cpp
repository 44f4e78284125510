#include "overture/cli/output.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "overture/base/json.h"
#include "overture/base/testing.h"
#include "overture/cli/arguments.h"
#include "overture/cli/run_progress.h"
#include "overture/cli/testing.h"

namespace overture::cli {
namespace {

TEST(Output, TheFolderThatWasGivenIsTaken) {
  Output output;
  EXPECT_EQ(output.folder_or("results/usual"), "results/usual");
  output.folder = "mine";
  EXPECT_EQ(output.folder_or("results/usual"), "mine");
}

TEST(Output, FlagsOfAllCommandsThatLeaveAFolder) {
  Output output;
  const auto add = [&](Command& root) {
    Command command = root.add("go", "Go");
    add_output(command, output, "results/go");
    command.runs([&] {
      print_where(output.folder_or("results/go"), output);
      return 0;
    });
  };
  EXPECT_EQ(printed({"go"}, add), "results: results/go\nreport: results/go/report.html\n");
  EXPECT_EQ(printed({"go", "-o", "x", "--overwrite", "--no-report"}, add), "results: x\n");
  EXPECT_TRUE(output.overwrite);
  EXPECT_TRUE(has(printed({"go", "--help"}, add), "Folder for the results (default: results/go)"));
}

TEST(Output, AFolderOfAnotherKindOrSetupIsNotTaken) {
  const TestFolder folder;
  const auto claim_as = [&](const std::string& kind, const std::string& yaml, bool overwrite = false) {
    Output output;
    output.overwrite = overwrite;
    return user_error([&] { claim(output, folder / "run", kind, yaml); });
  };
  EXPECT_EQ(claim_as("flows", "a: 1\n"), "");
  folder.write("run/summary.json", R"({"kind": "flows", "setup_yaml": "a: 1\n"})");
  EXPECT_EQ(claim_as("flows", "a: 1\n"), "");
  EXPECT_NE(claim_as("flows", "a: 2\n"), "");
  EXPECT_NE(claim_as("train", "a: 1\n"), "");
  EXPECT_EQ(claim_as("train", "a: 1\n", true), "");
  EXPECT_FALSE(std::filesystem::exists(folder / "run/summary.json")) << "what the other run left is gone";
}

TEST(WriteOrPrint, WithoutAFileTheTextIsPrinted) {
  const TestFolder folder;
  CapturedOutput output;
  write_or_print("", "to the terminal\n");
  write_or_print((folder / "f.txt").string(), "into the file\n");
  EXPECT_EQ(output.finish(), "to the terminal\n");
  EXPECT_EQ(bytes_of(folder / "f.txt"), "into the file\n");
}

TEST(RunProgress, TellsInItsFolderHowFarItIs) {
  const TestFolder folder;
  RunProgress progress({.folder = folder.path(),
                        .kind = "train",
                        .name = "mine",
                        .what = "steps",
                        .total = 10,
                        .line = false});
  const Json json = parse_json(bytes_of(folder / "progress.json"));
  EXPECT_EQ(json["kind"], "train");
  EXPECT_EQ(json["done"], 0);
  EXPECT_EQ(json["total"], 10);
  EXPECT_FALSE(json.contains("seconds_left")) << "nothing is known yet";
  progress.finish();
  EXPECT_FALSE(std::filesystem::exists(folder / "progress.json"));
  EXPECT_EQ(folder.files(), 0u);
}

TEST(RunProgress, GoesWithItsObjectAndWritesNothingWithoutAFolder) {
  const TestFolder folder;
  { const RunProgress progress({.folder = folder.path(), .kind = "flows"}); }
  EXPECT_EQ(folder.files(), 0u);
  RunProgress nowhere({.folder = "", .kind = "flows"});
  nowhere.update(5);
}

// Nobody depends on it: a folder that cannot be written does not stop the run.
TEST(RunProgress, AFolderThatIsNotThereIsNoMistake) {
  RunProgress progress({.folder = "/nowhere/at/all", .kind = "flows"});
  progress.update(1);
  progress.finish();
}

TEST(CapturedOutputTest, AfterItsEndNothingIsKept) {
  CapturedOutput output;
  std::printf("one");
  EXPECT_EQ(output.finish(), "one");
  EXPECT_EQ(output.finish(), "");
}

TEST(CapturedOutputTest, KeepsMoreThanAPipeHolds) {
  const std::string large(300'000, 'x');
  CapturedOutput output;
  std::fwrite(large.data(), 1, large.size(), stdout);
  EXPECT_EQ(output.finish(), large);
}

TEST(CountsText, NumbersOnTheCommandLineNameTheirOption) {
  EXPECT_EQ(user_error([] { parse_count("-1", "--samples"); }),
            "--samples: \"-1\" is not a whole number from 0 up, such as 250, 64k, 1.5M or 1e6");
  EXPECT_EQ(user_error([] { parse_real("1,5", "--scale"); }), "--scale: \"1,5\" is not a number");
  EXPECT_DOUBLE_EQ(parse_real("-1e-3", "--scale"), -0.001);
}

}  // namespace
}  // namespace overture::cli
