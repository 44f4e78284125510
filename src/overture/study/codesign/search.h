// The search: costs and bounds of all candidates, a simulation of those that may be on the front, and what is
// on it. Candidates go by in rounds, the most promising first, in an order that only the search decides: so
// it tries the same ones on any number of threads. What was simulated stands in a journal and is not
// simulated again.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "overture/study/codesign/candidate.h"

namespace overture::study {

struct SearchOptions {
  int jobs = 1;
  std::size_t part = 0;  // of `parts`: every parts-th candidate is this machine's
  std::size_t parts = 1;
  std::filesystem::path folder;  // of the journals
  std::string version;           // of the program: journals of another one do not count
  // What has been done of how much; false: stop.
  std::function<bool(std::size_t done, std::size_t total)> progress;
};

struct Tried {
  Candidate candidate;
  StepTime time;

  double per_million_us() const { return candidate.per_million(time.step_us); }
};

struct SearchResult {
  std::size_t candidates = 0;
  std::size_t cannot_run = 0;
  std::size_t over_budget = 0;
  std::size_t dominated = 0;          // by their bound: not simulated
  std::vector<Tried> tried;           // in the order of their cost
  std::vector<std::size_t> front;     // of `tried`: none is both cheaper and faster; the cheapest first
  std::vector<std::string> problems;  // different ones, a few
  bool complete = true;               // not stopped
  std::size_t simulated_now = 0;      // not from the journal
};

// Throws UserError when nothing meets the budget, with the cheapest and what it is made of, and when no
// candidate can run.
SearchResult run_search(const CandidateModel& model, const SearchOptions& options);

// Around one point: every other value of every axis, alone. Simulates what is not known yet.
struct Sensitivity {
  std::string key;
  std::vector<std::pair<double, std::string>> values;  // time over the point's own, and which value
};
std::vector<Sensitivity> sensitivities(const CandidateModel& model, const SearchResult& result,
                                       const Tried& around, int jobs = 1);

// Of every point of the front, CandidateModel::what_matters().
std::vector<std::string> what_matters(const CandidateModel& model, const SearchResult& result, int jobs = 1);

// The fastest of the front that costs at most so much; null when none does.
const Tried* best_under(const SearchResult& result, double dollars);

}  // namespace overture::study
