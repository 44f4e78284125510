// A training run of our own trainer (train/trainer.h) as a TaskGraph: what every party computes and sends,
// step by step, in the order in which the trainer does it. Where the times and sizes come from is another
// matter: a recording has measured them (formats/recording/recorded_run.h), or a plan and a calibrated
// machine give them (setup/training_setup.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "overture/base/work.h"
#include "overture/lookahead/traffic.h"
#include "overture/workload/task_graph.h"

namespace overture::workload {

// A piece of work and how long it takes.
struct Chore {
  Work work = Work::other;
  WorkNumbers numbers{};
  Duration length{};
};

struct TrainedStep {
  struct Trainer {
    Bytes order{};                    // that the oracle sends it
    Duration begin{};                 // reads it, packs rows that leave, asks for rows to come
    std::vector<Chore> chores{};      // gathers, forward, backward, updates or packs gradients
    Duration dense{};                 // adds up its share of dense gradients, takes the sums, updates
    std::array<Duration, 2> apply{};  // by lookahead::Round: gradients of the rows that it owns
    std::array<Duration, 2> take{};   // rows that others own
    Duration end{};
  };
  struct Store {
    int trainer = 0;
    int server = 0;
    Bytes size{};
    Duration length{};  // at the server
  };
  struct Request {
    int trainer = 0;
    int server = 0;
    std::int64_t for_batch = 0;
    Bytes ask{};
    Bytes answer{};
    Duration serve{};
    Duration take{};
  };

  std::int64_t batch = 0;
  Duration oracle{};  // reads, plans, packs orders
  std::vector<Trainer> trainers{};
  std::vector<Store> stores{};  // of a clean-up
  std::vector<Request> requests{};
  // Payloads, trainer to trainer; by round.
  std::array<std::vector<Bytes>, 2> gradients{};
  std::array<std::vector<Bytes>, 2> updates{};
};

struct TrainedRun {
  int trainers = 1;
  int servers = 1;
  Bytes dense{};                     // gradients that trainers sum
  std::vector<TrainedStep> steps{};  // one after the other
};

// On a network of so many ranks. With one for each party, trainers come first, then servers, then the oracle.
// With fewer, but one for every trainer, servers are beside the trainers and the oracle is beside the first.
// Throws UserError when there are too few. Rows that were asked for before the first step are there.
TaskGraph trained_tasks(const TrainedRun& run, int ranks);

// When the trainers have ended every step, of a timeline of that graph: the task that ends step `i` of
// trainer 0.
std::string end_label();

}  // namespace overture::workload
