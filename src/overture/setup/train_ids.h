// Raw click logs hold hashes, not rows of tables. Before the first training on one, its ids are collected and
// get a row each (data/id_dictionary.h); the model keeps them.
#pragma once

#include <cstdint>
#include <functional>

#include "overture/setup/train_setup.h"

namespace overture::setup {

// Is the data raw, and nothing said of where its ids go?
bool needs_ids(const TrainSetup& setup);

// Of the samples that are trained on; those that are held out may have others, which count as unknown.
// `go_on` is told how many samples have been read, and may stop it. Throws UserError.
data::IdDictionary collect_ids(const TrainSetup& setup, const std::function<bool(std::int64_t)>& go_on);

}  // namespace overture::setup
