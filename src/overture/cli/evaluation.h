// How good a trained model is on the held-out part of its data; for `overture train` and `overture evaluate`.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "overture/base/json.h"
#include "overture/data/batch.h"
#include "overture/data/batches.h"
#include "overture/data/metrics.h"

namespace overture::cli {

// A logit per sample of a batch.
using Predict = std::function<std::span<const float>(const data::Batch&)>;

// The same, but an id that the model does not know is told with the file that has it.
Predict naming_the_file(Predict predict, std::string file);

// Of the samples read until Ctrl-C, if it comes. `share` tells how much of the source has been read, from 0
// to 1, for the line of progress; negative: unknown.
data::Metrics evaluate(
    data::BatchSource& source, const Predict& predict,
    const std::function<double()>& share = [] { return -1.0; });

// Such a share of a dataset.
double share_read(const data::Batches& source);

// All of them, as in summaries.
Json metrics_json(const data::Metrics& metrics);

// roc.csv and calibration.csv in the folder, for the report.
void write_quality(const data::Metrics& metrics, const std::filesystem::path& folder);

// Label and value, for people.
std::vector<std::pair<std::string, std::string>> metric_lines(const data::Metrics& metrics, bool held_out);

}  // namespace overture::cli
