#include "astra_case.h"

namespace overture::testing {
namespace {

constexpr std::string_view kNetwork = R"({
  "topology-name": "Hierarchical",
  "topologies-per-dim": ["Ring", "Switch"],
  "dimension-type": ["N", "P"],
  "dimensions-count": 2,
  "units-count": [4, 3],
  "links-count": [2, 1],
  "link-latency": [1, 2],
  "link-bandwidth": [32, 16],
  "nic-latency": [0, 5],
  "router-latency": [0, 7],
  "hbm-latency": [500, 500],
  "hbm-bandwidth": [370, 370],
  "hbm-scale": [0, 0]
}
)";

constexpr std::string_view kRing = R"({
  "topology-name": "Hierarchical",
  "topologies-per-dim": ["Ring"],
  "dimension-type": ["N"],
  "dimensions-count": 1,
  "units-count": [4],
  "links-count": [2],
  "link-latency": [1],
  "link-bandwidth": [32],
  "nic-latency": [0],
  "router-latency": [0],
  "hbm-latency": [0],
  "hbm-bandwidth": [1],
  "hbm-scale": [0]
}
)";

constexpr std::string_view kSystem = R"(scheduling-policy: LIFO
endpoint-delay: 10
active-chunks-per-dimension: 1
preferred-dataset-splits: 4
all-reduce-implementation: ring_direct
reduce-scatter-implementation: ring_direct
all-gather-implementation: ring_direct
all-to-all-implementation: ring_direct
collective-optimization: localBWAware
)";

constexpr std::string_view kWorkload = R"(DATA
2
first -1 100 NONE 0 100 NONE 0 100 ALLREDUCE 4096 10
second -1 200 NONE 0 200 NONE 0 200 ALLREDUCE 8192 10
)";

}  // namespace

std::string changed(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) {
    ADD_FAILURE() << "the text to change has no \"" << from << "\"";
    return text;
  }
  return text.replace(at, from.size(), to);
}

AstraCase::AstraCase() : network(kNetwork), system(kSystem), workload(kWorkload) {}

OneCollective::OneCollective(std::string_view kind, std::int64_t bytes, int splits) {
  network = kRing;
  for (int i = 0; i < 4; ++i) system = changed(system, "ring_direct", "ring");
  system = changed(system, "splits: 4", "splits: " + std::to_string(splits));
  workload =
      "MICRO\n1\nonly -1 0 NONE 0 0 NONE 0 0 " + std::string(kind) + ' ' + std::to_string(bytes) + " 0\n";
}

Words AstraCase::file_flags() const {
  return {"astra", "--network-configuration=" + network_file, "--system-configuration=" + system_file,
          "--workload-configuration=" + workload_file};
}

void AstraCase::write_files() const {
  scratch_.write("network.json", network);
  scratch_.write("system.txt", system);
  scratch_.write("workload.txt", workload);
}

Outcome AstraCase::run(const Words& more_flags) const {
  write_files();
  Words words = file_flags();
  words.push_back("--path=results/");
  words.insert(words.end(), more_flags.begin(), more_flags.end());
  return run_overture(words, {.folder = folder()});
}

void expect_refused(const Outcome& outcome, const std::vector<std::string>& says) {
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
  EXPECT_EQ(outcome.out, "");
  EXPECT_LT(outcome.cpu, std::chrono::seconds{5});
  EXPECT_LT(outcome.err.size(), 2000U);
  const auto lines = lines_of(outcome.err);
  ASSERT_FALSE(lines.empty()) << outcome.text();
  EXPECT_TRUE(lines[0].starts_with("error: ")) << outcome.err;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_TRUE(lines[i].starts_with("  ")) << "more than one message:\n" << outcome.err;
  }
  for (const std::string& words : says) {
    EXPECT_NE(outcome.err.find(words), std::string::npos) << "does not say \"" << words << "\":\n"
                                                          << outcome.err;
  }
}

std::int64_t finish_cycles(const Outcome& outcome) {
  constexpr std::string_view kLabel = "all passes finished at time: ";
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(outcome.err, "");
  const std::size_t at = outcome.out.find(kLabel);
  if (at == std::string::npos) {
    ADD_FAILURE() << outcome.text();
    return -1;
  }
  return std::stoll(outcome.out.substr(at + kLabel.size()));
}

}  // namespace overture::testing
