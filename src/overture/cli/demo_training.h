// The second half of `overture demo`: a small dataset, trained on with and without the cache.
#pragma once

#include <filesystem>

namespace overture::cli {

// Writes the dataset and both models below `folder`, compares them and prints what the cache did. False if a
// training was interrupted: then there is nothing to compare.
bool demo_training(const std::filesystem::path& folder);

}  // namespace overture::cli
