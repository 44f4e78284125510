// The npz files that facebookresearch/dlrm makes of Criteo's logs: arrays X_int (counts), X_cat (ids), y
// (labels) with a line for each sample, and perhaps `counts` (rows of every table). The three are unpacked
// side by side, a few samples at a time.
#pragma once

#include <filesystem>
#include <memory>

#include "overture/data/row.h"

namespace overture::data {

std::unique_ptr<RowSource> open_npz(const std::filesystem::path& path);

}  // namespace overture::data
