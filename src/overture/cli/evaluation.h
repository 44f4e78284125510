// How good a trained model is on the held-out part of its data; for `overture train` and `overture evaluate`.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "overture/data/batch.h"
#include "overture/data/metrics.h"

namespace overture::cli {

// A logit per sample of a batch.
using Predict = std::function<std::span<const float>(const data::Batch&)>;

data::Metrics evaluate(data::BatchSource& source, const Predict& predict);

// Label and value, for people.
std::vector<std::pair<std::string, std::string>> metric_lines(const data::Metrics& metrics);

}  // namespace overture::cli
