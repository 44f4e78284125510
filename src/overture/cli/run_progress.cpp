#include "overture/cli/run_progress.h"

#include <fstream>
#include <system_error>

#include <nlohmann/json.hpp>

#include "overture/base/json.h"

namespace overture::cli {

RunProgress::RunProgress(About about) : about_(std::move(about)), line_(about_.what, about_.total) {
  write({}, {});
}

RunProgress::~RunProgress() { finish(); }

bool RunProgress::due() const { return (about_.line && line_.due()) || file_is_due(); }

void RunProgress::update(const SoFar& so_far, const std::string& facts) {
  if (about_.line) line_.update(so_far);
  if (file_is_due()) write(so_far, facts);
}

void RunProgress::finish() {
  if (!open_) return;
  open_ = false;
  line_.finish();
  std::error_code error;
  if (!about_.folder.empty()) std::filesystem::remove(about_.folder / "progress.json", error);
}

// Nobody depends on it: what cannot be written is left out, and a reader may meet an old one.
void RunProgress::write(const SoFar& so_far, const std::string& facts) {
  written_ = Clock::now();
  if (about_.folder.empty()) return;
  const double seconds = std::chrono::duration<double>(written_ - started_).count();
  Json progress{{"kind", about_.kind}, {"name", about_.name},   {"what", about_.what},
                {"done", so_far.done}, {"total", about_.total}, {"seconds", seconds}};
  const double counted =
      about_.total > 0 ? static_cast<double>(so_far.done) / static_cast<double>(about_.total) : 0;
  const double share = so_far.share >= 0 ? so_far.share : counted;
  if (share > 0 && share < 1) progress["seconds_left"] = seconds * (1 - share) / share;
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
