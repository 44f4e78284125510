// What `overture simulate` says to workloads that cannot run: one message, exit code 2, before time zero.
#include <fstream>

#include "program.h"
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kExamples = fs::path(OVERTURE_SOURCE_FOLDER) / "examples";

const std::string kNetwork = "network: {dimensions: [{kind: switch, size: 12, bandwidth: 100 Gbps}]}\n";
const std::string kAllReduce =
    "workload:\n"
    "  parallelism: micro\n"
    "  layers: [{name: a, weight_gradient: {communication: {collective: all_reduce, size: 1 MiB}}}]\n";

class BadWorkload : public ::testing::Test {
 protected:
  std::string error(const std::string& yaml, const Words& more = {}) {
    std::ofstream(folder_.path() / "bad.yaml") << yaml;
    Words words{"simulate", "bad.yaml"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_overture(words, {.folder = folder_.path()});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
    EXPECT_TRUE(outcome.out.empty()) << outcome.out;
    return outcome.err;
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name) << text;
  }
  static void has(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }

  TemporaryFolder folder_;
};

TEST_F(BadWorkload, GroupsThatDoNotFit) {
  has(error(
          kNetwork +
          "workload:\n  parallelism: hybrid_transformer\n  model_group: 5\n"
          "  layers: [{name: a, weight_gradient: {communication: {collective: all_reduce, size: 1 MiB}}}]\n"),
      "5");
  has(error(kNetwork + "system: {dimensions: [5, 3]}\n" + kAllReduce),
      "5 x 3 do not multiply to the 12 ranks");
}

TEST_F(BadWorkload, AnAlgorithmThatTheGroupForbids) {
  has(error(kNetwork + "system: {all_reduce: halving_doubling}\n" + kAllReduce), "halving");
}

TEST_F(BadWorkload, ACollectiveFileThatLosesAChunkOrDeadlocks) {
  const std::string two = "network: {dimensions: [{kind: switch, size: 2, bandwidth: 100 Gbps}]}\n";
  const std::string header = "step,from,to,chunk,action\n";
  const std::string system = "system: {all_reduce: 'file:mine.csv'}\n";
  write("mine.csv", header + "0,0,1,0,copy\n1,1,0,0,copy\n");
  has(error(two + system + kAllReduce), "mine.csv: is no all_reduce: step 0");
  write("mine.csv", header + "0,0,1,0,reduce\n");  // rank 0 never gets the sum
  has(error(two + system + kAllReduce), "mine.csv: is no all_reduce");
  write("mine.csv", header + "0,0,1,0,reduce\n1,1,0,0,copy\n");  // for two ranks, and there are twelve
  has(error(kNetwork + system + kAllReduce), "2");
}

TEST_F(BadWorkload, TablesThatDoNotFitANode) {
  const Outcome outcome =
      run_overture({"simulate", (kExamples / "model-a.yaml").string(), "-s", "workload.dlrm.memory=1 GB",
                    "-o", (folder_.path() / "out").string()});
  EXPECT_EQ(outcome.exit_code, 2);
  has(outcome.err, "but a node has");
}

}  // namespace
}  // namespace overture::testing
