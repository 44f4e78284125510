#include "overture/cli/watched_sweep.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/base/error.h"
#include "overture/base/interrupt.h"
#include "overture/base/text.h"
#include "overture/cli/command.h"
#include "overture/cli/run_progress.h"

namespace overture::cli {
namespace {

// What is wrong is often wrong with every point.
void print_failures(const study::SweepJob& job, std::vector<study::SweepFailure> failures) {
  while (!failures.empty()) {
    const study::SweepFailure first = failures.front();
    const auto same = std::erase_if(failures, [&](const study::SweepFailure& other) {
      return other.exit_code == first.exit_code && other.message == first.message;
    });
    fmt::print(stderr, "{} failed with exit code {}: {}", fmt::join(job.points[first.point].overrides, ", "),
               first.exit_code, first.message);
    if (!first.message.ends_with('\n')) fmt::print(stderr, "\n");
    if (same > 1) fmt::print(stderr, "  the same happened to {} more\n", same - 1);
  }
}

}  // namespace

JobPart parse_part(const std::string& text) {
  const auto number = [](std::string_view word) { return parse_number<std::size_t>(word).value_or(0); };
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::size_t part = number(std::string_view(text).substr(0, slash));
  const std::size_t parts = slash == text.size() ? 0 : number(std::string_view(text).substr(slash + 1));
  if (part < 1 || part > parts)
    throw UserError({.key = "--part"}, fmt::format("\"{}\" is not a part", text),
                    "write 2/8 for the second of eight parts");
  return {part - 1, parts};
}

std::vector<std::size_t> points_of(const JobPart& part, std::size_t points) {
  std::vector<std::size_t> mine;
  for (std::size_t i = part.number; i < points; i += part.of) mine.push_back(i);
  return mine;
}

int run_watched(const std::string& kind, const std::filesystem::path& folder, const study::SweepJob& job,
                const std::vector<std::size_t>& mine) {
  const Interrupt interrupt;
  RunProgress progress({.folder = folder,
                        .kind = kind,
                        .name = folder.filename().string(),
                        .what = "runs",
                        .total = static_cast<std::int64_t>(mine.size())});
  const auto failures = study::run_sweep(job, mine, [&](std::size_t done) {
    progress.update(static_cast<std::int64_t>(done));
    return !Interrupt::requested();
  });
  progress.finish();
  if (Interrupt::requested()) fmt::print("interrupted; the same command continues from here\n\n");
  print_failures(job, failures);
  if (Interrupt::requested()) return kInterrupted;
  return failures.empty() ? 0 : failures.front().exit_code;
}

}  // namespace overture::cli
