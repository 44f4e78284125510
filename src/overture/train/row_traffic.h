// What a training would send, counted without training: the config of lookahead/traffic.h for a training's
// tables, cache, trainers and servers.
#pragma once

#include "overture/lookahead/traffic.h"
#include "overture/train/config.h"

namespace overture::train {

// The config outlives nothing: all is copied. Needs servers, and may have more trainers than can train.
lookahead::TrafficConfig traffic_of(const TrainConfig& config);

}  // namespace overture::train
