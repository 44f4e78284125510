#include "overture/setup/steps_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/csv.h"
#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/formats/msccl.h"

namespace overture::setup {
namespace {

constexpr std::string_view kHeader = "step,from,to,chunk,action";
constexpr std::int64_t kLargestNumber = 1'000'000;

system::Transfer parse_transfer(const CsvTable& table, const CsvRow& row) {
  if (row.cells.size() != 5)
    throw UserError(table.where(row), fmt::format("has {} columns, not 5", row.cells.size()),
                    std::string(kHeader));
  const auto number = [&](std::size_t column) {
    return static_cast<int>(
        whole_number(row.cells[column], table.where(row, table.header.cells[column]), 0, kLargestNumber));
  };
  const std::string& action = row.cells[4];
  if (action != "reduce" && action != "copy")
    throw UserError(table.where(row, "action"), fmt::format("unknown action \"{}\"", action),
                    suggest(action, {"reduce", "copy"}));
  return {.step = number(0),
          .from = number(1),
          .to = number(2),
          .chunk = number(3),
          .reduce = action == "reduce"};
}

// The last rank's data for itself are the last chunks, and nobody sends them.
void add_kept(system::Steps& steps) {
  const std::int64_t pairs = std::int64_t{steps.ranks} * steps.ranks;
  if (pairs == 0 || pairs > kLargestNumber) return;
  steps.chunks = static_cast<int>((steps.chunks + pairs - 1) / pairs * pairs);
}

// Ranks are counted by the highest number: one that nobody else names is most likely a mistype.
void require_all_ranks(const system::Steps& steps, const std::string& file) {
  std::vector<bool> named(static_cast<std::size_t>(steps.ranks));
  for (const system::Transfer& transfer : steps.transfers)
    named[static_cast<std::size_t>(transfer.from)] = named[static_cast<std::size_t>(transfer.to)] = true;
  const auto missing = std::ranges::find(named, false);
  if (missing == named.end()) return;
  throw UserError({.file = file},
                  fmt::format("names rank {}, but rank {} neither sends nor receives", steps.ranks - 1,
                              missing - named.begin()),
                  "ranks are numbered from 0 without a gap");
}

}  // namespace

system::Steps parse_steps(system::CollectiveKind kind, std::string_view text, const std::string& file) {
  const CsvTable table = parse_csv(text, file, kHeader);
  if (table.header.cells != std::vector<std::string>{"step", "from", "to", "chunk", "action"})
    throw UserError(table.where(table.header), fmt::format("the first line must be {}", kHeader));
  system::Steps steps;
  for (const CsvRow& row : table.rows) {
    const system::Transfer& transfer = steps.transfers.emplace_back(parse_transfer(table, row));
    steps.ranks = std::max({steps.ranks, transfer.from + 1, transfer.to + 1});
    steps.chunks = std::max(steps.chunks, transfer.chunk + 1);
  }
  require_all_ranks(steps, file);
  if (kind == system::CollectiveKind::all_to_all) add_kept(steps);
  std::ranges::stable_sort(steps.transfers, {}, &system::Transfer::step);
  if (const Result<bool> result = verify(kind, steps); !result)
    throw UserError({.file = file}, fmt::format("is no {}: {}", name(kind), result.error()));
  return steps;
}

std::shared_ptr<const system::Steps> read_steps(system::CollectiveKind kind,
                                                const std::filesystem::path& file) {
  const std::string text = read_file(file);
  return std::make_shared<const system::Steps>(file.extension() == ".xml"
                                                   ? formats::parse_msccl(kind, text, file.string())
                                                   : parse_steps(kind, text, file.string()));
}

}  // namespace overture::setup
