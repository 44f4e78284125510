#include "overture/report/results_folder.h"

#include <bit>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/json.h"

namespace overture::report {

Json summary_head(const RunFacts& facts) {
  Json head{{"name", facts.name}, {"overture", facts.version}, {"kind", facts.kind}};
  head["seed"] = facts.seed ? Json(*facts.seed) : Json();
  if (!facts.why.empty()) head["why"] = facts.why;
  return head;
}

std::string summary_text(const Json& summary) {
  return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_summary(Json summary, const Digest& digest, const std::string& setup_yaml,
                   const std::filesystem::path& folder) {
  summary["digest"] = digest.text();
  summary["setup_yaml"] = setup_yaml;
  write_file(folder / "setup.yaml", setup_yaml);
  write_file(folder / "summary.json", summary_text(summary));
}

void make_results_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw UserError({.file = folder.string()}, "cannot be made: " + error.message());
}

void Digest::add(std::int64_t value) {
  for (int byte = 0; byte < 8; ++byte)
    value_ = (value_ ^ static_cast<std::uint8_t>(value >> (8 * byte))) * 0x100000001b3;
}

void Digest::add_bits(double value) { add(std::bit_cast<std::int64_t>(value)); }

void Digest::add(std::string_view text) {
  for (const char c : text) add(std::int64_t{static_cast<unsigned char>(c)});
}

std::string Digest::text() const { return fmt::format("{:016x}", value_); }

}  // namespace overture::report
