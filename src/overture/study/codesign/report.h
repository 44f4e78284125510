// What a search leaves for its reader: the front with what limits each point, what packets say of it, how far
// each axis moves the best one, the best under any budget, and the setup of every point to copy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "overture/study/codesign/search.h"
#include "overture/study/study_report.h"

namespace overture::study {

// A point of the front, played with packets.
struct PacketCheck {
  std::size_t front = 0;  // which point of the front
  std::string what;       // "transport=roce"; empty where there is only one way
  std::string folder;     // of its run, inside of the search's
  std::optional<double> step_us;
  std::string problem;  // why there is no time
};

struct SearchFindings {
  const CandidateModel& model;
  const SearchResult& result;
  std::vector<PacketCheck> checks;
  std::vector<std::string> matters;        // of every point of the front
  std::vector<Sensitivity> sensitivities;  // around the fastest
};

// The fastest way that packets found for a point of the front; null when there is none.
const PacketCheck* best_check(const SearchFindings& findings, std::size_t front);

// What differs from candidate to candidate, in words: "batch 65536, sharding row_wise, rate 400 Gbps".
std::string words_of(const setup::SearchSetup& search, const setup::SearchPoint& point);

std::string headline_of(const SearchFindings& findings);
StudyReport make_search_report(const SearchFindings& findings);

// For the terminal, at most 80 columns.
std::string front_table(const SearchFindings& findings);
// The best under each of some budgets.
std::string budget_table(const SearchFindings& findings, const std::vector<double>& dollars);

// The price list as a file that can be read back.
std::string prices_yaml(const network::Prices& prices);

std::string money(double dollars);  // "12.3 k$"

}  // namespace overture::study
