// What a published study leaves for its reader, in one shape for all studies: what was claimed, what we find
// instead, claim by claim, figures with the published points, and every cell with the setup that made it. The
// page (report/html.h) reads study.json and draws it; the terminal prints the scoreboard.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace overture::study {

enum class Verdict : std::uint8_t { met, not_met, open };  // open: not evaluated in this run
std::string_view name(Verdict verdict);                    // "met", "not met", "open"

// One thing that was published.
struct Claim {
  std::string id{};         // "R03"; may be empty
  std::string text{};       // as a sentence
  std::string published{};  // its number with a unit; may be empty
  std::string ours{};
  Verdict verdict = Verdict::open;
  std::string why{};  // why it is not met or open, and what shows it; may be empty
};

struct Figure {
  std::string file;  // scaling-A.svg
  std::string svg;
  std::string title{};
  std::string caption{};  // what to see in it, and what the published points are
};

// A table that goes with the figures, such as matrix.csv.
struct StudyTable {
  std::string file;
  std::string text;
};

struct StudyCell {
  std::string name;
  std::string folder{};                                   // inside of the study's; empty: the cell left none
  std::string command{};                                  // runs this cell alone
  std::string setup{};                                    // YAML to copy
  std::vector<std::pair<std::string, double>> numbers{};  // named with their unit: iteration_us
};

struct StudyReport {
  std::string study;       // "opera-dlrm"
  std::string title{};     // for the top of the page
  std::string source{};    // what was published, by whom and where
  std::string claim{};     // the claim that is examined, in a sentence or two
  std::string headline{};  // what we find, in a sentence or two
  // Words that the tables and figures use in a sense of their own, each with its meaning.
  std::vector<std::pair<std::string, std::string>> terms{};
  std::vector<Claim> claims{};
  std::vector<Figure> figures{};
  std::vector<StudyTable> tables{};
  std::vector<StudyCell> cells{};
};

// Writes study.json, scoreboard.csv (if there are claims), figures and tables, and removes those that an
// earlier run left in the folder and this one does not write. Other files are left alone.
void write_study_report(const StudyReport& report, const std::filesystem::path& folder);

// A line of scoreboard.csv.
std::string claim_row(const Claim& claim);

// Claim by claim, at most 80 columns: verdict, sentence, both numbers, why.
std::string scoreboard(const std::vector<Claim>& claims);

// "7 of 9 claims are met, 1 is not, 1 was not evaluated."
std::string score(const std::vector<Claim>& claims);

}  // namespace overture::study
