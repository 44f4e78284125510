// Opens datasets of every format, and makes files of those that we write. What a file is shows in its first
// bytes and, where they do not tell, in its ending.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "overture/data/batches.h"
#include "overture/data/id_map.h"
#include "overture/data/sample_reader.h"
#include "overture/data/sample_writer.h"

namespace overture::data {

enum class Format { overture, criteo, bagpipe, npz, mlperf };

struct DatasetOptions {
  std::optional<Format> format;  // told by the file unless given
  IdOptions ids;
  std::int64_t max_bad_rows = 0;  // rows that may be passed over
  bool labels = true;             // false: text may do without them, and they count as 0
};

// "criteo"; `key` is what the user gave it for.
Format parse_format(std::string_view text, const std::string& key);
std::string to_string(Format format);

// Throws UserError when the file is of no known format.
Format detect_format(const std::filesystem::path& path);

std::unique_ptr<SampleReader> open_dataset(const std::filesystem::path& path,
                                           const DatasetOptions& options = {});

// The batches of a dataset; opens it again for every epoch.
std::unique_ptr<Batches> open_batches(const std::filesystem::path& path, const DatasetOptions& dataset,
                                      const BatchOptions& batches);

// By the ending: .tsv is criteo, .jsonl or a folder ("name/") bagpipe, .bin mlperf, anything else ours.
// Throws UserError for what is only read.
Format output_format(const std::filesystem::path& path);
std::unique_ptr<SampleWriter> create_dataset(const std::filesystem::path& path, Format format,
                                             const Shape& shape);

}  // namespace overture::data
