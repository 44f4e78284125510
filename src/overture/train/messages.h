// Who takes part in training, and what they send each other. docs/reference/train.md draws the exchange.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "overture/rpc/message.h"

namespace overture::train {

enum class Kind : std::uint32_t {
  // between processes, before training begins
  hello,    // to the oracle: version and setup that a process was started with
  welcome,  // from the oracle: the setup of all, the shape of the data, the checkpoint to start from
  ready,    // to the oracle: tables and model are made
  // from the oracle
  step,     // to trainers: a StepPart
  predict,  // to a trainer: a StepPart that is only computed forward
  save,     // to trainers, who pass it on to servers: write a checkpoint to this folder; text. None: write
            // nothing, but let the servers have all rows as they are now
  stop,     // to all: nothing will follow
  kept,     // to trainers: what one of them asked to be saved is a checkpoint; its folder
  // from trainers
  fetch,       // to servers: send these rows; the clean-up they belong to, rows
  store,       // to servers: rows that leave the cache at a clean-up; rows, numbers
  write_back,  // to servers: as store, but for `save`; folder, whether it is the last part, rows, numbers
  dense_gradients,  // to trainers: of the share of parameters that they add up; numbers
  dense_shares,     // to trainers: the parameters that this one has changed; numbers
  gradients,        // to trainers: of rows that they own; numbers
  updates,          // to trainers: rows as they are now; rows, slots, numbers
  late_gradients,   // the same two for rows that the next batch does not use, behind that batch
  late_updates,
  finished,          // to the oracle: a StepAccount
  predictions,       // to the oracle: the logits of what was to be predicted
  ask_save,          // to the oracle, by the first trainer: save after so many batches, which it has done
  left,              // to the oracle and all trainers: this one has done so many batches and takes no more
  dense_state,       // to the oracle: a share of parameters and optimizer state, or bytes that only the
                     // trainer's own program understands
  pooled,            // to trainers, where trainers hold the tables: what their samples look up; numbers
  pooled_gradients,  // to trainers that hold the tables: of what they pooled; numbers
  // from servers, or trainers that hold the tables
  rows,   // to trainers: what they asked for; numbers
  saved,  // to the oracle: all rows are here, and in the folder if there is one
};

struct Parties {
  int trainers = 1;
  int servers = 1;

  rpc::Address oracle() const { return rpc::Address{0}; }
  rpc::Address trainer(int rank) const { return rpc::Address{1 + rank}; }
  rpc::Address server(int number) const { return rpc::Address{1 + trainers + number}; }
  int count() const { return 1 + trainers + servers; }
  int rank(rpc::Address trainer) const { return rpc::index(trainer) - 1; }
  int server_number(rpc::Address server) const { return rpc::index(server) - 1 - trainers; }
  // Such as "trainer 2".
  std::string name(rpc::Address party) const;
};

inline rpc::Message make_message(Kind kind, rpc::Address to, std::int64_t step) {
  return {.to = to, .kind = static_cast<std::uint32_t>(kind), .step = step};
}
inline std::string Parties::name(rpc::Address party) const {
  if (party == oracle()) return "the oracle";
  const bool is_trainer = rank(party) < trainers;
  return (is_trainer ? "trainer " : "server ") +
         std::to_string(is_trainer ? rank(party) : server_number(party));
}

// As enumerators are spelled.
std::string_view name(Kind kind);

inline Kind kind_of(const rpc::Message& message) { return static_cast<Kind>(message.kind); }

// What a role wants to be sent.
using Outbox = std::vector<rpc::Message>;

// What a trainer does with its time.
enum class Activity : std::int64_t { compute, wait_for_plan, wait_for_rows, wait_for_peers };

// From when to when, in nanoseconds of the wall clock: processes of one machine agree on it.
struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  Activity what = Activity::compute;
};

// What a trainer says of a step, before its spans: times in seconds.
struct TrainerReport {
  double loss = 0;  // summed over its samples
  double compute = 0;
  double waited_for_plan = 0;
  double waited_for_rows = 0;
  double waited_for_peers = 0;
  std::int64_t rows_fetched = 0;
  std::int64_t bytes_fetched = 0;
  std::int64_t rows_stored = 0;
  std::int64_t bytes_stored = 0;
};

}  // namespace overture::train
