// Runs the points of the grid for real, and predicts them. A point has a folder: train.yaml, the recording of
// its best run, and the setup, network and machine with which it was predicted, so that anybody can do it
// again.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <vector>

#include "overture/formats/recording/recorded_run.h"
#include "overture/model/machine.h"
#include "overture/recording/recording.h"
#include "overture/simulation/simulation.h"
#include "overture/study/live/points.h"

namespace overture::study {

struct LiveOptions {
  std::filesystem::path program;
  std::filesystem::path folder;
  bool injected = false;  // links of the trainer's own, between threads; otherwise namespaces
  int steps = 80;         // that count, or come just before; as many follow as the planner looks ahead
  int most_repeats = 4;   // until the two fastest agree
  bool keep = false;      // points that the folder has measured already count
};

// Where the time of a step of trainer 0 goes, in milliseconds.
enum class LivePart : std::uint8_t { compute, rows, sharing, waiting };
inline constexpr std::size_t kLiveParts = 4;
std::string_view name(LivePart part);
using LiveParts = std::array<double, kLiveParts>;

struct Measured {
  double milliseconds = 0;        // a step, in the fastest run
  std::vector<double> repeats{};  // all runs; the fastest alone for a point that was kept
  LiveParts parts{};
  double stolen = 0;  // share of the time in which trainer 0 worked that it had no core
};
struct Predicted {
  double milliseconds = 0;
  LiveParts parts{};
  simulation::SimulationResult result{};
};

std::filesystem::path point_folder(const LiveOptions& options, std::size_t number);

// The data of all points, unless it is there and kept.
void make_live_data(const LiveOptions& options, bool quick);

// Trains until two runs agree, or takes the kept run of the same setup. Throws UserError when a run fails.
Measured measure(const LivePoint& point, std::size_t number, const LiveOptions& options);

// The machine as a point finds it, from recordings of points that calibrate: costs are those of points with
// as many trainers, which share the machine's memory as its own do, and of all others where these have none.
// Over links that hold bytes back, a byte costs what it cost on such links.
struct LiveCalibration {
  LivePoint point;
  recording::Recording recording;
};
model::Machine machine_at(const LivePoint& point, std::span<const LiveCalibration> calibrations);

// By the point's train.yaml alone and the machine.
Predicted predict(const LivePoint& point, std::size_t number, const model::Machine& machine,
                  const LiveOptions& options);

// What was recorded, on the network of its own machine.
Predicted replay(const LivePoint& point, std::size_t number, const model::Machine& machine,
                 const LiveOptions& options);

}  // namespace overture::study
