// What a planned training sends: for every step, which trainer sends how many rows to whom, and how many
// bytes that is on the wire. The planner's own decisions, counted; nothing is assumed about the data. Both
// halves use it: the simulator makes messages of it, and a test holds it against the messages of real
// training, byte for byte. Any number of trainers: sets of users are lists here, not bits.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "overture/base/units.h"
#include "overture/lookahead/planner.h"

namespace overture::lookahead {

// Steps that may be under way at once: enough that trainers never wait for a plan, few enough that stopping
// is quick.
constexpr std::size_t kStepsUnderWay = 3;

// Payloads of the trainer's messages, in the layout of rpc/wire.h: an array is its length and its bytes, each
// filled up to eight.
constexpr std::int64_t kMessageHeader = 32;  // on the wire, beside the payload
constexpr std::int64_t kOrderHead = 32;      // of a step's message, before its arrays
constexpr std::int64_t array_size(std::int64_t bytes) { return 8 + (bytes + 7) / 8 * 8; }
constexpr std::int64_t fetch_size(std::int64_t rows) { return 8 + array_size(8 * rows); }
constexpr std::int64_t numbers_size(std::int64_t numbers) { return array_size(4 * numbers); }  // also of rows
constexpr std::int64_t store_size(std::int64_t rows, std::int64_t numbers) {
  return array_size(8 * rows) + numbers_size(numbers);
}
constexpr std::int64_t updates_size(std::int64_t rows, std::int64_t numbers) {
  return array_size(16 * rows) + numbers_size(numbers);
}

// Rows of one message, and their numbers.
struct RowLoad {
  std::int32_t rows = 0;
  std::int32_t numbers = 0;

  void add(std::int32_t more) {
    ++rows;
    numbers += more;
  }
  friend bool operator==(const RowLoad&, const RowLoad&) = default;
};

// Rows that the next batch uses cannot wait; the others have until the one after it.
enum class Round : std::uint8_t { at_once, late };
inline constexpr std::array kRounds{Round::at_once, Round::late};

// All that is sent for one step. Matrices have a line for every sender.
struct StepTraffic {
  std::int32_t batch = 0;
  bool clean_up = false;
  int trainers = 0;
  int servers = 0;
  std::array<std::vector<std::int32_t>, 2> gradients;    // numbers, trainer to trainer; by Round
  std::array<std::vector<RowLoad>, 2> updates;           // trainer to trainer; by Round
  std::vector<RowLoad> stores;                           // trainer to server; in a clean-up all are sent
  std::map<std::int32_t, std::vector<RowLoad>> fetches;  // by the batch that needs them; trainer to server
  // Of every trainer: what its order says.
  std::vector<std::int32_t> evicted;
  std::vector<std::int32_t> fetched;
  std::vector<std::int32_t> rows;
  std::vector<std::int64_t> data;  // bytes of its share of the batch, as they are sent
  // What it does with them: lookups of its samples; numbers of the gradients that it gives, to itself too;
  // rows that it owns, with the numbers of all gradients for them. The last two by Round.
  std::vector<std::int64_t> lookups;
  std::array<std::vector<std::int64_t>, 2> given;
  std::array<std::vector<RowLoad>, 2> owned;

  // Payloads. A fetch of no rows is not sent; everything else is, even empty.
  Bytes gradient_message(Round round, int from, int to) const {
    return Bytes{numbers_size(gradients[static_cast<std::size_t>(round)][pair(from, to, trainers)])};
  }
  Bytes update_message(Round round, int from, int to) const {
    const RowLoad& load = updates[static_cast<std::size_t>(round)][pair(from, to, trainers)];
    return Bytes{updates_size(load.rows, load.numbers)};
  }
  Bytes store_message(int trainer, int server) const {
    const RowLoad& load = stores[pair(trainer, server, servers)];
    return Bytes{store_size(load.rows, load.numbers)};
  }
  Bytes order_message(int trainer) const;

  static std::size_t pair(int from, int to, int width) {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(width) + static_cast<std::size_t>(to);
  }
  friend bool operator==(const StepTraffic&, const StepTraffic&) = default;
};

// The servers that hold a part of a row, and how many of its numbers each.
struct ServedPart {
  int server = 0;
  std::int32_t numbers = 0;
};
using ServersOf = std::function<void(Row row, std::vector<ServedPart>& parts)>;

struct TrafficConfig {
  PlannerConfig planner;  // of any number of trainers
  int servers = 1;
  std::vector<std::int32_t> gradient_numbers;  // of a row of every table
  std::vector<std::int32_t> row_numbers;       // the same with what the optimizer remembers
  ServersOf servers_of;
  std::int32_t first = 0;  // steps [first, first + steps) are counted
  std::int32_t steps = 1;
};

// What a plan decides does not depend on how wide rows are: where all are alike and servers hold whole rows,
// one plan of rows of one number each, widened, is that of rows of any width.
TrafficConfig of_one_number(TrafficConfig config);
// Gradients then have `gradient` numbers, rows `row`.
void widen(StepTraffic& step, std::int32_t gradient, std::int32_t row);

// Fed as the planner is (planner.h), until done().
class TrafficPlanner {
 public:
  // Throws UserError when the config makes no sense.
  explicit TrafficPlanner(TrafficConfig config);

  void begin_batch();
  void add(int trainer, std::int64_t table, std::span<const std::int64_t> ids);
  // How many bytes the labels, features and lookups of a trainer take in its order.
  void add_data(int trainer, std::int64_t bytes);
  void end_batch() { planner_.end_batch(); }
  void end_of_stream() { planner_.end_of_stream(); }

  // Plans on as far as it can. True when a batch must be added first.
  bool wants_batch();
  // All counted steps are known.
  bool done() const { return done_; }
  // Batches after which nothing counted can change.
  std::int32_t batches_needed() const {
    return config_.first + config_.steps + config_.planner.lookahead - 1;
  }

  const PlannerConfig& config() const { return config_.planner; }
  // Good when done(); fewer than asked for if the stream ended before.
  const std::vector<StepTraffic>& steps() const { return steps_; }
  // Rows of the counted steps by when their gradients are brought together, and rows that were kept.
  struct Totals {
    std::int64_t rows = 0;
    std::int64_t lookups = 0;
    std::int64_t hits = 0;
    std::array<std::int64_t, 3> by_sync{};  // by Sync
    std::int64_t resident = 0;              // the most
  };
  const Totals& totals() const { return totals_; }

 private:
  struct Run {  // of lookups by one trainer
    int trainer;
    std::int64_t lookups;
  };
  struct BatchOfRuns {
    std::vector<Run> runs;
    std::vector<std::int64_t> data;
  };
  // What is known of the row in a slot.
  struct Resident {
    std::int32_t owner = 0;
    std::int32_t used = -1;     // the batch that used it last
    std::int32_t fetched = -1;  // the step that asked for it
  };

  void count_plan();
  void find_users(const BatchOfRuns& batch);
  int owner_of(std::size_t row) const;
  void count_evictions(StepTraffic* step);
  void count_row(std::size_t number, StepTraffic* step);
  void count_fetch(const PlannedRow& row, std::span<const std::int32_t> users, const Resident& resident);
  void count_updates(const PlannedRow& row, std::span<const std::int32_t> users, const Resident& resident);
  StepTraffic* counted(std::int32_t step);
  Resident& resident(std::uint32_t slot);
  std::int32_t numbers(const std::vector<std::int32_t>& by_table, Row row) const {
    return by_table[static_cast<std::size_t>(table(row))];
  }

  TrafficConfig config_;
  Planner planner_;
  StepPlan plan_;
  std::deque<BatchOfRuns> batches_;        // added but not planned
  std::vector<std::uint32_t> first_user_;  // of every row of the plan, in users_
  std::vector<std::int32_t> users_;        // of the plan's rows, ascending
  std::vector<std::int32_t> last_user_;
  std::vector<std::uint32_t> next_;
  std::vector<Resident> residents_;  // by slot
  std::vector<ServedPart> parts_;
  std::vector<StepTraffic> steps_;
  Totals totals_;
  bool done_ = false;
};

}  // namespace overture::lookahead
