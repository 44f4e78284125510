// Writers of the formats that other programs read: Bagpipe's JSON lines, Criteo's tabs, MLPerf's int32.
#pragma once

#include <filesystem>
#include <memory>

#include "overture/data/sample_writer.h"
#include "overture/data/shape.h"

namespace overture::data {

// A file of JSON lines; or, where the path is a folder ("name/"), part_0.txt and emb_table_info.txt in it.
std::unique_ptr<SampleWriter> make_bagpipe_writer(const std::filesystem::path& path, const Shape& shape);

// Both hold counts, so a dense feature d becomes the whole number nearest to exp(d) - 1. Throw UserError
// unless there are 13 dense features and 26 tables with one id each.
std::unique_ptr<SampleWriter> make_criteo_writer(const std::filesystem::path& path, const Shape& shape);
std::unique_ptr<SampleWriter> make_mlperf_writer(const std::filesystem::path& path, const Shape& shape);

}  // namespace overture::data
