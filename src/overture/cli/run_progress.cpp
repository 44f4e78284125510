#include "overture/cli/run_progress.h"

#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/json.h"

namespace overture::cli {

RunProgress::RunProgress(About about) : about_(std::move(about)), line_(about_.what, about_.total) {
  write(0, {});
}

RunProgress::~RunProgress() { finish(); }

void RunProgress::update(std::int64_t done, const std::string& facts) {
  if (about_.line) line_.update(done);
  if (Clock::now() - written_ < std::chrono::seconds(1)) return;
  write(done, facts);
}

void RunProgress::finish() {
  if (!open_) return;
  open_ = false;
  line_.finish();
  std::error_code error;
  if (!about_.folder.empty()) std::filesystem::remove(about_.folder / "progress.json", error);
}

// Nobody depends on it: what cannot be written is left out, and a reader may meet an old one.
void RunProgress::write(std::int64_t done, const std::string& facts) {
  written_ = Clock::now();
  if (about_.folder.empty()) return;
  const double seconds = std::chrono::duration<double>(written_ - started_).count();
  Json progress{{"kind", about_.kind}, {"name", about_.name},   {"what", about_.what},
                {"done", done},        {"total", about_.total}, {"seconds", seconds}};
  if (done > 0 && about_.total > done)
    progress["seconds_left"] = seconds * static_cast<double>(about_.total - done) / static_cast<double>(done);
  if (!facts.empty()) progress.update(parse_json("{" + facts + "}"));
  const std::filesystem::path file = about_.folder / "progress.json";
  const std::filesystem::path partial = about_.folder / "progress.json.part";
  std::error_code error;
  {
    std::ofstream out(partial);
    out << progress.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
    if (!out) return;
  }
  std::filesystem::rename(partial, file, error);
}

}  // namespace overture::cli
