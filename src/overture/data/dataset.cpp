#include "overture/data/dataset.h"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/data/bagpipe.h"
#include "overture/data/binary_reader.h"
#include "overture/data/binary_writer.h"
#include "overture/data/byte_source.h"
#include "overture/data/criteo.h"
#include "overture/data/folded_reader.h"
#include "overture/data/line_rows.h"
#include "overture/data/mlperf.h"
#include "overture/data/npz.h"
#include "overture/data/row_reader.h"
#include "overture/data/text_writers.h"

namespace overture::data {
namespace {

const std::vector<std::string>& format_names() {
  static const std::vector<std::string> names{"overture", "criteo", "bagpipe", "npz", "mlperf"};
  return names;
}

std::unique_ptr<RowSource> open_rows(const std::filesystem::path& path, Format format, bool labels) {
  switch (format) {
    case Format::criteo:
      return std::make_unique<LineRows>(std::vector{path}, labels ? parse_criteo : parse_unlabelled_criteo,
                                        criteo_shape());
    case Format::bagpipe: return open_bagpipe(path, labels);
    case Format::npz: return open_npz(path);
    default: return open_mlperf(path);
  }
}

// The text of a first line, if it is one, tells the two texts apart.
std::optional<Format> detect_text(std::string_view start) {
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return std::nullopt;
  if (start[first] == '{') return Format::bagpipe;
  if (start[0] == '0' || start[0] == '1' || start[0] == '\t') {
    if (start.substr(0, start.find('\n')).find('\t') != std::string_view::npos) return Format::criteo;
  }
  return std::nullopt;
}

}  // namespace

Format parse_format(std::string_view text, const std::string& key) {
  const auto& names = format_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text == names[i]) return static_cast<Format>(i);
  }
  throw UserError({.key = key}, fmt::format("unknown format \"{}\"", text), suggest(text, names));
}

std::string to_string(Format format) { return format_names()[static_cast<std::size_t>(format)]; }

Format detect_format(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) return Format::bagpipe;
  std::array<char, 4096> buffer{};
  const std::size_t got = read_fully(*open_bytes(path), buffer.data(), buffer.size());
  const std::string_view start(buffer.data(), got);
  if (got == 0) throw UserError({.file = path.string()}, "is empty", "give a file with at least one sample");
  if (start.starts_with(kBinaryMagic)) return Format::overture;
  if (start.starts_with("PK\x03\x04")) return Format::npz;
  if (const auto text = detect_text(start)) return *text;
  if (path.extension() == ".bin") return Format::mlperf;
  if (path.extension() == ".tsv") return Format::criteo;  // its first line is bad
  if (start.substr(0, start.find('\n')).find(',') != std::string_view::npos)
    throw UserError(
        {.file = path.string()}, "has commas between its values; click logs like Criteo's have tabs",
        fmt::format("if a line is a label, 13 counts and 26 hexadecimal hashes: tr , '\\t' < {} > "
                    "clicks.tsv (with `tail -n +2` where the first line has names)",
                    path.string()));
  throw UserError({.file = path.string()}, "is a dataset of no known format",
                  "known: overture, criteo, bagpipe, npz, mlperf; name it by data.format in a setup "
                  "(-s data.format=criteo), or by --from for `overture convert`");
}

std::unique_ptr<SampleReader> open_dataset(const std::filesystem::path& path, const DatasetOptions& options) {
  const Format format = options.format ? *options.format : detect_format(path);
  if (options.max_bad_rows < 0) throw UserError({.key = "--max-bad-rows"}, "must not be negative");
  if (format == Format::overture) {
    auto reader = std::make_unique<BinaryReader>(path);
    const IdOptions& ids = options.ids;
    if (!ids.changes_ids() && (ids.table_rows.empty() || ids.table_rows == reader->shape().table_rows))
      return reader;
    return std::make_unique<FoldedReader>(std::move(reader), ids, path.string());
  }
  return std::make_unique<RowReader>(
      open_rows(path, format, options.labels),
      RowReader::Options{.ids = options.ids, .max_bad_rows = options.max_bad_rows}, path.string());
}

std::unique_ptr<Batches> open_batches(const std::filesystem::path& path, const DatasetOptions& dataset,
                                      const BatchOptions& batches) {
  return std::make_unique<Batches>([path, dataset] { return open_dataset(path, dataset); }, batches);
}

Format output_format(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (!path.has_filename() || std::filesystem::is_directory(path)) return Format::bagpipe;
  if (ending == ".jsonl") return Format::bagpipe;
  if (ending == ".tsv") return Format::criteo;
  if (ending == ".bin") return Format::mlperf;
  if (ending == ".ovd" || ending == ".ovt") return Format::overture;
  const bool read = ending == ".npz" || ending == ".gz" || ending == ".zst";
  throw UserError({.file = path.string()},
                  ending.empty() ? "has no ending that names its format"
                  : read         ? fmt::format("{} files are only read, not written", ending)
                                 : fmt::format("{} files are not written", ending),
                  "what we write: .ovd (Overture's own), .tsv (Criteo), .jsonl (Bagpipe), .bin (MLPerf), or "
                  "a folder; or name the format with --to");
}

std::unique_ptr<SampleWriter> create_dataset(const std::filesystem::path& path, Format format,
                                             const Shape& shape) {
  switch (format) {
    case Format::overture: return std::make_unique<BinaryWriter>(path, shape);
    case Format::bagpipe: return make_bagpipe_writer(path, shape);
    case Format::criteo: return make_criteo_writer(path, shape);
    case Format::mlperf: return make_mlperf_writer(path, shape);
    case Format::npz: break;
  }
  throw UserError({.file = path.string()}, "npz files are only read, not written");
}

}  // namespace overture::data
