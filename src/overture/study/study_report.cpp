#include "overture/study/study_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/files.h"
#include "overture/base/json.h"
#include "overture/base/text.h"

namespace overture::study {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStudyFile = "study.json";
constexpr const char* kScoreboard = "scoreboard.csv";

// Quoted where CSV asks for it.
std::string quoted_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string scoreboard_csv(const std::vector<Claim>& claims) {
  std::string text = "id,claim,published,ours,verdict,why\n";
  for (const Claim& claim : claims) text += claim_row(claim);
  return text;
}

std::vector<std::string> files_of(const StudyReport& report) {
  std::vector<std::string> files;
  if (!report.claims.empty()) files.emplace_back(kScoreboard);
  for (const Figure& figure : report.figures) files.push_back(figure.file);
  for (const StudyTable& table : report.tables) files.push_back(table.file);
  return files;
}

// What the study.json of an earlier run lists, and nothing else: the folder may be the user's.
void remove_earlier(const fs::path& folder, const std::vector<std::string>& kept) {
  std::error_code ignored;
  if (!fs::exists(folder / kStudyFile, ignored)) return;
  const Json earlier = parse_json(read_file(folder / kStudyFile));
  if (!earlier.is_object() || !earlier.contains("files") || !earlier["files"].is_array()) return;
  for (const Json& file : earlier["files"]) {
    if (!file.is_string()) continue;
    const fs::path path = file.get<std::string>();
    if (path != path.filename() || std::ranges::find(kept, path.string()) != kept.end()) continue;
    fs::remove(folder / path, ignored);
  }
}

Json claims_json(const std::vector<Claim>& claims) {
  Json list = Json::array();
  for (const Claim& claim : claims)
    list.push_back({{"id", claim.id},
                    {"text", claim.text},
                    {"published", claim.published},
                    {"ours", claim.ours},
                    {"verdict", name(claim.verdict)},
                    {"why", claim.why}});
  return list;
}

Json figures_json(const std::vector<Figure>& figures) {
  Json list = Json::array();
  for (const Figure& figure : figures)
    list.push_back(
        {{"file", figure.file}, {"title", figure.title}, {"caption", figure.caption}, {"svg", figure.svg}});
  return list;
}

// What a reader opens to see the cell: its page, or else its numbers.
std::string link_of(const StudyCell& cell, const fs::path& folder) {
  std::error_code ignored;
  for (const char* file : {"report.html", "summary.json"}) {
    if (!cell.folder.empty() && fs::exists(folder / cell.folder / file, ignored))
      return (fs::path(cell.folder) / file).string();
  }
  return "";
}

Json cells_json(const std::vector<StudyCell>& cells, const fs::path& folder) {
  Json list = Json::array();
  for (const StudyCell& cell : cells) {
    Json numbers = Json::object();
    for (const auto& [key, value] : cell.numbers) numbers[key] = value;
    list.push_back({{"name", cell.name},
                    {"link", link_of(cell, folder)},
                    {"command", cell.command},
                    {"setup", cell.setup},
                    {"numbers", numbers}});
  }
  return list;
}

Json terms_json(const StudyReport& report) {
  Json list = Json::array();
  for (const auto& [term, meaning] : report.terms) list.push_back({{"term", term}, {"meaning", meaning}});
  return list;
}

}  // namespace

std::string claim_row(const Claim& claim) {
  return fmt::format("{},{},{},{},{},{}\n", quoted_cell(claim.id), quoted_cell(claim.text),
                     quoted_cell(claim.published), quoted_cell(claim.ours), name(claim.verdict),
                     quoted_cell(claim.why));
}

std::string_view name(Verdict verdict) {
  return verdict == Verdict::met ? "met" : verdict == Verdict::not_met ? "not met" : "open";
}

void write_study_report(const StudyReport& report, const fs::path& folder) {
  const std::vector<std::string> files = files_of(report);
  remove_earlier(folder, files);
  // Before the files that it lists: when a run is killed in between, the next still knows them.
  write_file(folder / kStudyFile, write_json(Json{{"study", report.study},
                                                  {"title", report.title},
                                                  {"source", report.source},
                                                  {"claim", report.claim},
                                                  {"headline", report.headline},
                                                  {"score", score(report.claims)},
                                                  {"terms", terms_json(report)},
                                                  {"claims", claims_json(report.claims)},
                                                  {"files", files},
                                                  {"figures", figures_json(report.figures)},
                                                  {"cells", cells_json(report.cells, folder)}},
                                             1) +
                                      "\n");
  if (!report.claims.empty()) write_file(folder / kScoreboard, scoreboard_csv(report.claims));
  for (const Figure& figure : report.figures) write_file(folder / figure.file, figure.svg);
  for (const StudyTable& table : report.tables) write_file(folder / table.file, table.text);
}

std::string scoreboard(const std::vector<Claim>& claims) {
  std::size_t widest = 0;
  for (const Claim& claim : claims) widest = std::max(widest, claim.id.size());
  const std::size_t indent = 9 + (widest > 0 ? widest + 2 : 0);
  const std::string margin(indent, ' ');
  std::string text;
  for (const Claim& claim : claims) {
    const std::string id = widest > 0 ? fmt::format("{:<{}}  ", claim.id, widest) : "";
    text += fmt::format("{:<7}  {}{}\n", name(claim.verdict), id, wrap(claim.text, 80, indent));
    std::string numbers;
    if (!claim.published.empty()) numbers = "published " + claim.published;
    if (!claim.ours.empty()) numbers += (numbers.empty() ? "ours " : "; ours ") + claim.ours;
    if (!numbers.empty()) text += margin + wrap(numbers, 80, indent) + "\n";
    if (!claim.why.empty()) text += margin + wrap(claim.why, 80, indent) + "\n";
  }
  return text;
}

std::string score(const std::vector<Claim>& claims) {
  if (claims.empty()) return "";
  const auto count = [&](Verdict verdict) { return std::ranges::count(claims, verdict, &Claim::verdict); };
  std::string text = fmt::format("{} of {} claims are met", count(Verdict::met), claims.size());
  if (const auto failed = count(Verdict::not_met); failed > 0)
    text += fmt::format(", {} {} not", failed, failed == 1 ? "is" : "are");
  if (const auto open = count(Verdict::open); open > 0)
    text += fmt::format(", {} {} not evaluated", open, open == 1 ? "was" : "were");
  return text + ".";
}

}  // namespace overture::study
