// Raw click logs hold hashes, not rows of tables. Before the first training on one, its ids are collected and
// get a row each (data/id_dictionary.h); the model keeps them. Other files hold rows, but may not say how
// many there are: these are counted.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "overture/setup/train_setup.h"

namespace overture::setup {

// The format of the data's file; nothing if there is no file.
std::optional<data::Format> data_format(const TrainSetup& setup);

// Is the data raw, and nothing said of where its ids go?
bool needs_ids(const TrainSetup& setup);

// Of the samples that are trained on; those that are held out may have others, which count as unknown.
// `go_on` is told how many samples have been read, and may stop it. Throws UserError.
data::IdDictionary collect_ids(const TrainSetup& setup, const std::function<bool(std::int64_t)>& go_on);

// Does neither the data nor the setup say how many rows the tables have?
bool needs_rows(const TrainSetup& setup);

// Of every table: one more than the largest id of all samples. `go_on` is as above. Throws UserError.
std::vector<std::int64_t> count_rows(const TrainSetup& setup, const std::function<bool(std::int64_t)>& go_on);

}  // namespace overture::setup
