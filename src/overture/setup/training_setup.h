// A training of ours in a setup, `workload: {recording: DIR}` or `workload: {training: ...}`: its keys, and
// the run that they describe. A recording gives measured times and bytes; a train setup and a calibrated
// machine give planned bytes and predicted times.
#pragma once

#include <optional>
#include <string>

#include "overture/model/machine.h"
#include "overture/setup/train_setup.h"
#include "overture/setup/visitors.h"
#include "overture/workload/trained_run.h"

namespace overture::setup {

struct TrainingSetup {
  std::string setup;    // of `overture train`, beside this one
  std::string machine;  // machine.yaml
  std::optional<int> trainers;
  std::optional<int> servers;
  std::optional<int> lookahead;
  std::optional<int> batch_size;
  std::optional<int> first;
  int steps = 0;
  int cores = 0;

  // Something that a recording has not measured.
  bool changes() const { return trainers || servers || lookahead || batch_size; }
};

template <class V>
void describe(V& v, TrainingSetup& t) {
  v.from("ours; what is not given is as in the train setup or the recording");
  v.field("setup", t.setup, "Setup of `overture train`, beside this file; a recording has its own");
  v.field("machine", t.machine,
          "machine.yaml of `overture calibrate`, beside this file; without it, a recording's own costs");
  v.field("trainers", t.trainers, "Replaces the train setup's value");
  v.field("servers", t.servers, "Replaces the train setup's value");
  v.field("lookahead", t.lookahead, "Replaces the train setup's cache.lookahead");
  v.field("batch_size", t.batch_size, "Replaces the train setup's value");
  v.field("first", t.first, "First step that is played; of a recording: past the warm-up unless given");
  v.field("steps", t.steps,
          "Number of steps to play; 0: all of a recording; 20, or as many as there are, if anything changes");
  v.field("cores", t.cores,
          "Cores of one machine that all parties share; 0: every party has its own machine");
}

// What a train setup would do on a machine, from its `first` step on. Its data is read and planned. Throws
// UserError.
workload::TrainedRun predicted_run(const TrainSetup& setup, const model::Machine& machine, int first,
                                   int steps);

struct TrainingGraph {
  workload::TaskGraph graph{0};
  std::string note;
  int steps = 0;
};
// On a network of so many ranks. `recording` may be empty. Files are found beside `file`, the setup's own.
TrainingGraph make_training_graph(const std::string& recording, const TrainingSetup& training,
                                  const std::string& file, int ranks);

// The steps of a run from which on it no longer depends on how it began: caches are full, links are busy.
int warm_up(const TrainSetup& setup, int steps);

}  // namespace overture::setup
