// The small DLRM of the golden data (tests/golden/htsim/dlrm_S16.csv), replayed on Opera: 64 tables on 16
// nodes, all-to-alls around the concatenation, and all-reduces by distributed parameter servers.
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "overture/network/rotor/rotor_network.h"
#include "overture/topology/dynexp_file.h"

namespace overture::network::rotor {
namespace {

using namespace literals;

constexpr int kNodes = 16;
constexpr int kTables = 64;
constexpr Bytes kPooled{524'288};  // of one table for one node's samples, 8 bytes an element

Duration milliseconds(double ms) { return Duration{static_cast<std::int64_t>(ms * 1e9)}; }

// Tasks with what they wait for. A node computes one at a time, in the order in which they become ready.
class Replay {
 public:
  Replay(sim::EventQueue& events, RotorNetwork& network) : events_(events), network_(network) {}

  int compute(int node, Duration time) { return add({.node = node, .time = time}); }
  int message(int from, int to, Bytes size) { return add({.node = from, .to = to, .size = size}); }
  // Done as soon as what it waits for is.
  int barrier() { return add({}); }
  void after(int before, int task) {
    tasks_[before].next.push_back(task);
    ++tasks_[task].waits;
  }

  Time run() {
    const auto count = static_cast<int>(tasks_.size());
    for (int task = 0; task < count; ++task) {
      if (tasks_[task].waits == 0) events_.at(Time{}, [this, task] { start(task); });
    }
    events_.run();
    EXPECT_EQ(done_, count);
    return last_;
  }
  int messages() const { return messages_; }

 private:
  struct Task {
    int node = -1;
    int to = -1;
    Duration time{};
    Bytes size;
    std::vector<int> next;
    int waits = 0;
  };

  int add(Task task) {
    tasks_.push_back(std::move(task));
    return static_cast<int>(tasks_.size()) - 1;
  }
  void start(int id) {
    const Task& task = tasks_[id];
    if (task.to >= 0) {
      ++messages_;
      network_.send({.from = Rank{task.node}, .to = Rank{task.to}, .size = task.size},
                    [this, id] { end(id); });
    } else if (task.node >= 0) {
      Time& free_at = free_at_[task.node];
      free_at = std::max(free_at, events_.now()) + task.time;
      events_.at(free_at, [this, id] { end(id); });
    } else {
      end(id);
    }
  }
  void end(int id) {
    ++done_;
    last_ = events_.now();
    for (const int next : tasks_[id].next) {
      if (--tasks_[next].waits == 0) start(next);
    }
  }

  sim::EventQueue& events_;
  RotorNetwork& network_;
  std::vector<Task> tasks_;
  Time free_at_[kNodes]{};
  int done_ = 0;
  int messages_ = 0;
  Time last_{};
};

// An all-reduce by distributed parameter servers: everybody sends a part to everybody, twice.
void all_reduce(Replay& replay, const std::vector<int>& backward, std::int64_t bytes) {
  int before = replay.barrier();
  for (const int task : backward) replay.after(task, before);
  for (int round = 0; round < 2; ++round) {
    const int after = replay.barrier();
    for (int from = 0; from < kNodes; ++from) {
      for (int to = 0; to < kNodes; ++to) {
        if (from == to) continue;
        const int part = replay.message(from, to, Bytes{bytes / kNodes});
        replay.after(before, part);
        replay.after(part, after);
      }
    }
    before = after;
  }
}

// One task per node.
using Layer = std::vector<int>;

Layer layer(Replay& replay, double ms) {
  Layer tasks;
  for (int node = 0; node < kNodes; ++node) tasks.push_back(replay.compute(node, milliseconds(ms)));
  return tasks;
}

void chain(Replay& replay, const std::vector<Layer>& layers) {
  for (std::size_t i = 1; i < layers.size(); ++i) {
    for (int node = 0; node < kNodes; ++node) replay.after(layers[i - 1][node], layers[i][node]);
  }
}

void build(Replay& replay) {
  struct Dense {
    int in;
    int out;
  };
  const std::vector<Dense> bottom(4, {1024, 1024});
  const std::vector<Dense> top{{5120, 1024}, {1024, 1024}, {1024, 1024}, {1024, 1}};
  const auto forward_ms = [](const Dense& d) {
    return std::max(0.02, 2.0 * 128 * d.in * d.out / 35e12 * 1e3);
  };

  std::vector<int> table_forward;
  std::vector<int> table_backward;
  for (int table = 0; table < kTables; ++table) {
    table_forward.push_back(replay.compute(table % kNodes, milliseconds(0.3125)));
    table_backward.push_back(replay.compute(table % kNodes, milliseconds(0.625)));
    replay.after(table_forward.back(), table_backward.back());
  }
  std::vector<Layer> forward;
  std::vector<Layer> backward;
  std::vector<Dense> dense;
  for (const auto* part : {&bottom, &top}) {
    for (const Dense& d : *part) {
      forward.push_back(layer(replay, forward_ms(d)));
      backward.push_back(layer(replay, 2 * forward_ms(d)));
      dense.push_back(d);
    }
    if (part == &top) continue;
    forward.push_back(layer(replay, 0.5));  // concatenation
    backward.push_back(layer(replay, 0.5));
    dense.push_back({0, 0});
  }
  for (std::size_t i = 0; i < forward.size(); ++i) {
    for (int node = 0; node < kNodes; ++node) replay.after(forward[i][node], backward[i][node]);
    if (dense[i].in == 0) continue;
    all_reduce(replay, backward[i], std::int64_t{4} * dense[i].in * dense[i].out);
    all_reduce(replay, backward[i], std::int64_t{4} * dense[i].out);
  }
  const Layer& concat_forward = forward[bottom.size()];
  const Layer& concat_backward = backward[bottom.size()];
  for (int table = 0; table < kTables; ++table) {
    for (int node = 0; node < kNodes; ++node) {
      const int home = table % kNodes;
      if (node == home) {
        replay.after(table_forward[table], concat_forward[node]);
        replay.after(concat_backward[node], table_backward[table]);
        continue;
      }
      const int there = replay.message(home, node, kPooled);
      replay.after(table_forward[table], there);
      replay.after(there, concat_forward[node]);
      const int back = replay.message(node, home, kPooled);
      replay.after(concat_backward[node], back);
      replay.after(back, table_backward[table]);
    }
  }
  chain(replay, forward);
  std::ranges::reverse(backward);
  chain(replay, backward);
}

double reference_ms(const std::string& network) {
  std::ifstream file(OVERTURE_GOLDEN "/htsim/dlrm_S16.csv");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(network)) continue;
    const std::size_t number = line.find(',', line.find(',') + 1) + 1;
    return std::stod(line.substr(number)) / 1e9;
  }
  ADD_FAILURE() << "no row for " << network;
  return 0;
}

double replay_ms(const RotorConfig& config) {
  const auto dynexp = topology::read_dynexp(OVERTURE_GOLDEN "/htsim/topologies/opera_N4_k8_100G.txt");
  sim::EventQueue events;
  RotorNetwork network(dynexp.opera, config, events);
  Replay replay(events, network);
  build(replay);
  const Time end = replay.run();
  EXPECT_EQ(replay.messages(), 9600);
  return to_us(end.time_since_epoch()) / 1000;
}

TEST(GoldenDlrm, S16OnOpera) {
  const double reference = reference_ms("opera");
  const double ours = replay_ms(dlrm_study_rotor());
  std::printf("S16 on Opera: %.3f ms, reference %.3f ms\n", ours, reference);
  EXPECT_NEAR(ours, reference, 0.03 * reference);
}

}  // namespace
}  // namespace overture::network::rotor
