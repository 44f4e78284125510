// The hold model: each event that runs schedules one more, a random increment later, so that the number of
// pending events stays the same. Ours against a binary heap and a red-black tree of the same events.
#include "overture/sim/event_queue.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <queue>
#include <vector>

#include <benchmark/benchmark.h>

#include "overture/base/action.h"
#include "overture/base/random.h"
#include "overture/base/units.h"

namespace overture::sim {
namespace {

using namespace literals;

// The usual binary heap, with an order number to keep ties in order.
class HeapQueue {
 public:
  Time now() const { return now_; }
  template <class F>
  void after(Duration delay, F action) {
    heap_.emplace(now_ + delay, scheduled_++, action);
  }
  bool step() {
    if (heap_.empty()) return false;
    Event event = heap_.top();
    heap_.pop();
    now_ = event.when;
    event.action();
    return true;
  }

 private:
  struct Event {
    template <class F>
    Event(Time w, std::uint64_t o, F a) : when(w), order(o), action(a) {}
    Time when;
    std::uint64_t order;
    Action action;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.when != b.when ? a.when > b.when : a.order > b.order;
    }
  };
  std::priority_queue<Event, std::vector<Event>, Later> heap_;
  Time now_{};
  std::uint64_t scheduled_ = 0;
};

// What htsim uses: a tree whose equal keys keep their order.
class MapQueue {
 public:
  Time now() const { return now_; }
  template <class F>
  void after(Duration delay, F action) {
    events_.emplace(now_ + delay, action);
  }
  bool step() {
    if (events_.empty()) return false;
    const auto next = events_.begin();
    Action action = next->second;
    now_ = next->first;
    events_.erase(next);
    action();
    return true;
  }

 private:
  std::multimap<Time, Action> events_;
  Time now_{};
};

// Increments are drawn beforehand, so that the benchmark measures no logarithms, into a table that leaves
// most of the first-level cache to the queue.
class Increments {
 public:
  explicit Increments(Duration (*draw)(RandomStream&)) {
    RandomStream random = RandomStreams(1).make("increments");
    for (auto& increment : table_) increment = static_cast<std::uint32_t>(draw(random).count());
  }
  Duration next() {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return Duration{table_[state_ >> 54]};
  }

 private:
  std::array<std::uint32_t, 1024> table_{};
  std::uint64_t state_ = 1;
};

Duration exponential(RandomStream& random) {
  return Duration{static_cast<std::int64_t>(-1e6 * std::log(1 - random.unit()))};  // 1 us on average
}

// A packet of 64 or 1500 bytes at 100 Gbps, a wire of 100 m, a host: few constants, so many ties.
Duration network(RandomStream& random) {
  constexpr std::array<Duration, 4> kDelays{5120_ps, 120ns, 500ns, 1us};
  return kDelays[random.below(kDelays.size())];
}

template <class Queue, Duration (*draw)(RandomStream&)>
class Hold {
 public:
  explicit Hold(std::int64_t pending) {
    RandomStream random = RandomStreams(1).make("start");
    for (std::int64_t i = 0; i < pending; ++i) {
      queue_.after(Duration{static_cast<std::int64_t>(random.below(1'000'000))}, [this] { schedule(); });
    }
    for (std::int64_t i = 0; i < pending; ++i) queue_.step();  // now the times have about their steady spread
  }
  void step() { queue_.step(); }

 private:
  void schedule() {
    queue_.after(increments_.next(), [this] { schedule(); });
  }

  Queue queue_;
  Increments increments_{draw};
};

template <class Queue, Duration (*draw)(RandomStream&)>
void hold(benchmark::State& state) {
  Hold<Queue, draw> model(state.range(0));
  for (auto _ : state) model.step();
}

// A fixed number of iterations, since Google Benchmark would fill the queue anew for each guess.
void sizes(benchmark::internal::Benchmark* bench) {
  bench->Iterations(10'000'000);
  for (const std::int64_t pending : {1, 10, 100, 1'000, 100'000, 10'000'000}) bench->Arg(pending);
}

BENCHMARK_TEMPLATE(hold, EventQueue, exponential)->Apply(sizes);
BENCHMARK_TEMPLATE(hold, HeapQueue, exponential)->Apply(sizes);
BENCHMARK_TEMPLATE(hold, MapQueue, exponential)->Apply(sizes);
BENCHMARK_TEMPLATE(hold, EventQueue, network)->Apply(sizes);
BENCHMARK_TEMPLATE(hold, HeapQueue, network)->Apply(sizes);
BENCHMARK_TEMPLATE(hold, MapQueue, network)->Apply(sizes);

}  // namespace
}  // namespace overture::sim
