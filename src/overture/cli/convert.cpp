#include <chrono>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/interrupt.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/base/units.h"
#include "overture/cli/arguments.h"
#include "overture/cli/bad_rows.h"
#include "overture/cli/commands.h"
#include "overture/cli/progress.h"
#include "overture/data/bagpipe.h"
#include "overture/data/copy.h"
#include "overture/data/dataset.h"
#include "overture/data/presets.h"

namespace overture::cli {
namespace {

struct ConvertOptions {
  std::string in;
  std::string out;
  std::string from;
  std::string to;
  std::string tables;
  std::string max_ind_range = "0";
  std::string max_bad_rows = "0";
  bool fold_ids = false;
};

// A file with one number a line, or the name of a dataset whose tables are known.
std::vector<std::int64_t> table_rows(const std::string& tables) {
  if (tables.empty()) return {};
  if (std::filesystem::exists(tables)) return data::read_table_info(tables);
  try {
    std::vector<std::int64_t> rows;
    for (const auto& table : data::table_presets(data::parse_likeness(tables))) rows.push_back(table.rows);
    return rows;
  } catch (const UserError&) {
    throw UserError({.key = "--tables"}, fmt::format("there is no file \"{}\"", tables),
                    "a file with the rows of every table, one number a line; or kaggle, avazu, terabyte");
  }
}

data::DatasetOptions dataset_options(const ConvertOptions& options) {
  data::DatasetOptions dataset;
  dataset.format =
      options.from.empty() ? data::detect_format(options.in) : data::parse_format(options.from, "--from");
  dataset.ids = {.max_ind_range = parse_count(options.max_ind_range, "--max-ind-range"),
                 .table_rows = table_rows(options.tables),
                 .fold = options.fold_ids};
  dataset.max_bad_rows = parse_count(options.max_bad_rows, "--max-bad-rows");
  if (dataset.format == data::Format::criteo && !dataset.ids.changes_ids() &&
      dataset.ids.table_rows.empty()) {
    throw UserError({.file = options.in}, "holds hashes of 32 bits, not rows of tables",
                    "map them to rows with --max-ind-range 10M (ids modulo that, as in DLRM), or with "
                    "--tables kaggle --fold-ids");
  }
  return dataset;
}

void print_summary(const ConvertOptions& options, const data::SampleReader& reader,
                   const data::Copied& copied, std::int64_t written, double seconds) {
  const std::int64_t read = reader.position().total;
  const double rate = 1 / std::max(seconds, 1e-3);
  const auto per_second = [&](std::int64_t count) {
    return static_cast<std::int64_t>(static_cast<double>(count) * rate);
  };
  Table table({"what", "value"});
  table.add({"samples", with_commas(copied.samples)});
  table.add({"dense features", std::to_string(reader.shape().dense_features)});
  table.add({"tables", std::to_string(reader.shape().tables())});
  table.add({"lookups", with_commas(copied.lookups)});
  if (copied.samples > 0) {
    const double clicks = static_cast<double>(copied.positives) / static_cast<double>(copied.samples);
    table.add({"clicks", fmt::format("{:.1f} %", 100 * clicks)});
  }
  table.add({"read", to_string(Bytes{read})});
  table.add({"written", to_string(Bytes{written})});
  table.add({"time", fmt::format("{:.1f} s, {}/s, {} samples/s", seconds, to_string(Bytes{per_second(read)}),
                                 with_commas(per_second(copied.samples)))});
  fmt::print("{}\nwritten to {}\n", table.text(), options.out);
}

data::Copied copy(data::SampleReader& reader, data::SampleWriter& writer) {
  const auto samples = reader.samples();
  Progress progress(samples ? "samples" : "MiB", samples ? *samples : reader.position().total >> 20);
  const data::Copied copied = data::copy(reader, writer, [&](const data::Copied& so_far) {
    progress.update(samples ? so_far.samples : reader.position().done >> 20);
    return !Interrupt::requested();
  });
  return copied;
}

int run(const ConvertOptions& options) {
  const Interrupt interrupt;
  const data::Format to =
      options.to.empty() ? data::output_format(options.out) : data::parse_format(options.to, "--to");
  const auto reader = data::open_dataset(options.in, dataset_options(options));
  std::error_code different;
  if (std::filesystem::equivalent(options.in, options.out, different)) {
    throw UserError({.file = options.out}, "is also the input", "write to another file");
  }
  const auto writer = data::create_dataset(options.out, to, reader->shape());
  const auto started = std::chrono::steady_clock::now();
  const data::Copied copied = copy(*reader, *writer);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  print_bad_rows(reader->bad_rows());
  if (!copied.finished) {
    fmt::print(stderr, "nothing was written\n");
    return kInterrupted;
  }
  print_summary(options, *reader, copied, writer->bytes(), took.count());
  return 0;
}

}  // namespace

void add_convert(Command& root) {
  auto options = std::make_shared<ConvertOptions>();
  Command command = root.add("convert", "Convert a dataset to Overture's own format, or to another one");
  command.positional("in", options->in, "Dataset; Criteo's and Bagpipe's text may be compressed (.gz, .zst)")
      .positional("out", options->out,
                  "File to write; .tsv, .jsonl, .bin (MLPerf), a folder (Bagpipe), or ours")
      .option("--from FORMAT", options->from,
              "overture, criteo, bagpipe, npz or mlperf (default: recognised from the file)")
      .option("--to FORMAT", options->to,
              "overture, criteo, bagpipe or mlperf (default: from the file name's ending)")
      .option("--max-ind-range N", options->max_ind_range,
              "Take ids modulo this number, as DLRM does; 0: as they are")
      .option("--tables TABLES", options->tables,
              "Rows of every table: a file with one number a line, or kaggle, avazu, terabyte")
      .flag("--fold-ids", options->fold_ids, "Take ids modulo the rows of their table, instead of an error")
      .option("--max-bad-rows N", options->max_bad_rows, "Bad rows that may be skipped")
      .examples(
          "  overture convert train.txt.gz clicks.ovd --max-ind-range 10M\n"
          "  overture convert train.txt clicks.ovd --tables kaggle --fold-ids \\\n"
          "    --max-bad-rows 100\n"
          "  overture convert kaggle_processed.npz clicks.ovd\n"
          "  overture convert clicks.ovd parts/ --to bagpipe")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
