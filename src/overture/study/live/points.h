// The grid of `overture validate --live`: trainings that are small enough for one machine and differ in what
// matters: model, batch, trainers, servers, lookahead, links.
#pragma once

#include <string>
#include <vector>

#include "overture/base/units.h"

namespace overture::study {

enum class LiveModel : std::uint8_t { dlrm, wide_and_deep };

struct LivePoint {
  LiveModel model = LiveModel::dlrm;
  int batch = 512;
  int trainers = 1;
  int servers = 1;
  int lookahead = 20;
  Bandwidth link{};  // 0: unlimited
  bool calibrates = false;

  int parties() const { return 1 + trainers + servers; }
  std::string name() const;
};

// Points that calibrate are at most a third. `quick`: six small ones, for tests.
std::vector<LivePoint> live_grid(bool quick);

// In the folder of all points. A file, since made-up data comes in blocks, which other parties would feel.
inline constexpr const char* kLiveData = "data.ovd";

// As `overture train` reads it. `injected`: the link is the trainer's own; otherwise the network has it.
std::string train_yaml(const LivePoint& point, int steps, bool injected);

}  // namespace overture::study
