#include "overture/cli/launch_command.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "overture/base/testing_folder.h"
#include "overture/cli/testing.h"

namespace overture::cli {
namespace {

LaunchOptions options() {
  LaunchOptions launch;
  launch.setup = "run.yaml";
  launch.program = "/opt/overture";
  return launch;
}
const setup::HostsFile kHosts{.oracle = "a", .trainers = {"b", "c"}, .servers = {"d"}};

// Behind the change of the folder.
std::string command(const LaunchOptions& launch, const std::string& role, int worker) {
  const std::string text = launch_command(launch, kHosts, role, worker);
  const std::string before = "cd '" + std::filesystem::current_path().string() + "' && exec ";
  EXPECT_EQ(text.rfind(before, 0), 0u) << text;
  return text.substr(std::min(before.size(), text.size()));
}

TEST(LaunchCommand, TellsEveryPartyItsNumberAndWhereTheOracleIs) {
  EXPECT_EQ(command(options(), "trainer", 2),
            "'/opt/overture' trainer --worker-id 2 --world-size 4 --world-size-trainers 2 --master-ip 'a' "
            "--master-port 18000 --timeout 60");
}

TEST(LaunchCommand, OnlyTheOracleIsToldTheSetup) {
  LaunchOptions launch = options();
  launch.run = {
      .overrides = {"steps=5"}, .output = {.folder = "results/x"}, .weights = "w.npz", .resume = true};
  launch.run.output.no_report = launch.run.record = true;
  const std::string says =
      "'/opt/overture' oracle 'run.yaml' '-s' 'steps=5' '-o' 'results/x' '--weights' 'w.npz' '--resume' "
      "'--no-report' '--record' --worker-id 0";
  EXPECT_EQ(command(launch, "oracle", 0).substr(0, says.size()), says);
  EXPECT_FALSE(has(command(launch, "server", 3), "run.yaml"));
}

TEST(LaunchCommand, TheAddressMayBeAnotherThanTheHostsName) {
  LaunchOptions launch = options();
  launch.master_ip = "10.0.0.1";
  EXPECT_TRUE(has(command(launch, "server", 3), "--master-ip '10.0.0.1'"));
}

// Whatever is in a word, the shell at the other end makes one word of it.
TEST(LaunchCommand, WordsSurviveAShell) {
  const TestFolder folder;
  for (const std::string word : {"a b", "it's", "$HOME", "\"q\"", "a;b", "`ls`", "*", "back\\slash", "''"}) {
    LaunchOptions launch = options();
    launch.program = "/bin/echo";
    launch.setup = word;
    const std::string file = (folder / "said").string();
    ASSERT_EQ(std::system((launch_command(launch, kHosts, "oracle", 0) + " > " + file).c_str()), 0);
    EXPECT_EQ(bytes_of(file).rfind("oracle " + word + " --worker-id 0", 0), 0u) << bytes_of(file);
  }
}

}  // namespace
}  // namespace overture::cli
