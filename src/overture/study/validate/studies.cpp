#include "overture/study/validate/studies.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/json.h"
#include "overture/base/table.h"
#include "overture/study/validate/program.h"

namespace overture::study {
namespace {

namespace fs = std::filesystem;

struct KnownStudy {
  const char* name;
  std::vector<std::string> quick;  // arguments of a run of seconds; none: it takes longer
};

std::vector<KnownStudy> known_studies() {
  return {{"astra-tutorial", {"--compute-scales", "1,0.5"}},
          {"hoti-dlrm", {"--gpus", "16", "--systems", "HierOpt", "--axes", "none", "-s", "system.chunks=8"}},
          {"opera-dlrm", {"--as-published", "--nodes", "16", "--variants", "baseline"}}};
}

Verdict verdict_of(const std::string& word) {
  return word == name(Verdict::met)       ? Verdict::met
         : word == name(Verdict::not_met) ? Verdict::not_met
                                          : Verdict::open;
}

StudyScore score_of(const KnownStudy& known, const fs::path& results, const fs::path& program,
                    const fs::path& scratch) {
  StudyScore score{.study = known.name};
  const fs::path earlier = results / known.name / "study.json";
  if (fs::exists(earlier)) {
    score.claims = read_claims(earlier);
    score.from = (results / known.name).string();
    return score;
  }
  score.from = fmt::format("not run: overture study {}", known.name);
  if (known.quick.empty()) return score;
  std::vector<std::string> words{"study", known.name};
  words.insert(words.end(), known.quick.begin(), known.quick.end());
  words.insert(words.end(), {"-o", (scratch / known.name).string()});
  run_program(program, scratch, words);
  score.claims = read_claims(scratch / known.name / "study.json");
  score.from = "run just now, in part";
  return score;
}

long count_of(const StudyScore& score, Verdict verdict) {
  return std::ranges::count(score.claims, verdict, &Claim::verdict);
}

}  // namespace

std::vector<Claim> read_claims(const fs::path& file) try {
  std::vector<Claim> claims;
  const Json report = parse_json_or_throw(read_file(file));
  for (const Json& each : report.at("claims")) {
    const auto text = [&](const char* key) { return each.at(key).get<std::string>(); };
    claims.push_back({.id = text("id"),
                      .text = text("text"),
                      .published = text("published"),
                      .ours = text("ours"),
                      .verdict = verdict_of(text("verdict")),
                      .why = text("why")});
  }
  return claims;
} catch (const Json::exception&) {
  throw UserError({.file = file.string()}, "is not a report of a study", "run the study again");
}

std::vector<StudyScore> study_scores(const fs::path& results, const fs::path& program,
                                     const fs::path& scratch) {
  std::vector<StudyScore> scores;
  for (const KnownStudy& known : known_studies())
    scores.push_back(score_of(known, results, program, scratch));
  return scores;
}

std::string scores_table(const std::vector<StudyScore>& scores) {
  Table table({"study", "claims", "met", "not met", "open", "from"});
  for (const StudyScore& score : scores) {
    const bool run = !score.claims.empty();
    const auto count = [&](Verdict verdict) {
      return run ? fmt::format("{}", count_of(score, verdict)) : "-";
    };
    table.add({score.study, run ? fmt::format("{}", score.claims.size()) : "-", count(Verdict::met),
               count(Verdict::not_met), count(Verdict::open), score.from});
  }
  return table.text();
}

std::string scores_csv(const std::vector<StudyScore>& scores) {
  std::string text = "study,id,claim,published,ours,verdict,why\n";
  for (const StudyScore& score : scores) {
    for (const Claim& claim : score.claims) text += score.study + "," + claim_row(claim);
  }
  return text;
}

}  // namespace overture::study
