// The binary of MLPerf's DLRM (facebookresearch/dlrm, data_loader_terabyte.py): 40 little-endian int32 a
// sample, label, 13 counts, 26 ids; nothing else, so only its size tells that it is whole.
#pragma once

#include <filesystem>
#include <memory>

#include "overture/data/row.h"

namespace overture::data {

constexpr std::size_t kMlperfNumbers = 40;
constexpr std::int64_t kMlperfSampleBytes = 160;

std::unique_ptr<RowSource> open_mlperf(const std::filesystem::path& path);

}  // namespace overture::data
