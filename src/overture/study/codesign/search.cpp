#include "overture/study/codesign/search.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/hash.h"
#include "overture/study/codesign/journal.h"

namespace overture::study {
namespace {

// Candidates that are simulated before the next ones are compared with what came out.
constexpr std::size_t kRound = 64;
constexpr std::size_t kShownProblems = 5;

// Each index once, on several threads; `act` is called from all of them.
void in_parallel(std::size_t count, int jobs, const std::function<void(std::size_t)>& act) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) act(i);
  };
  std::vector<std::thread> threads;
  for (int t = 1; t < std::min<int>(jobs, static_cast<int>(count)); ++t) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

class SearchRun {
 public:
  SearchRun(const CandidateModel& model, const SearchOptions& options)
      : model_(model), options_(options), journal_(options.folder, options.part, options.parts) {}

  SearchResult run() {
    describe_all();
    sift();
    std::size_t at = 0;
    while (at < waiting_.size() && go_on(at)) at = simulate_round(at);
    result_.complete = at == waiting_.size();
    find_front();
    return std::move(result_);
  }

 private:
  bool go_on(std::size_t done) const {
    return !options_.progress || options_.progress(done, waiting_.size());
  }

  void describe_all() {
    const std::vector<std::uint64_t> numbers = setup::drawn_points(model_.search());
    all_.resize(numbers.size());
    in_parallel(numbers.size(), options_.jobs, [&](std::size_t i) { all_[i] = model_.describe(numbers[i]); });
    result_.candidates = all_.size();
  }

  bool within_budget(const Candidate& candidate) const {
    const setup::SearchSetup& search = model_.search();
    return (search.dollars == 0 || candidate.dollars <= search.dollars) &&
           (search.watts == 0 || candidate.watts <= search.watts);
  }

  // Those that can run within the budget, the cheapest first; of equal ones the first.
  void sift() {
    std::vector<const Candidate*> able;
    for (const Candidate& candidate : all_) {
      if (candidate.problem.empty()) {
        able.push_back(&candidate);
        continue;
      }
      ++result_.cannot_run;
      if (result_.problems.size() < kShownProblems &&
          std::ranges::find(result_.problems, candidate.problem) == result_.problems.end())
        result_.problems.push_back(candidate.problem);
    }
    if (able.empty())
      throw UserError({.file = model_.search().file},
                      fmt::format("none of {} candidates can run: {}", all_.size(),
                                  result_.problems.empty() ? "" : result_.problems.front()));
    for (const Candidate* candidate : able) {
      if (within_budget(*candidate)) waiting_.push_back(candidate);
    }
    result_.over_budget = able.size() - waiting_.size();
    if (waiting_.empty()) nothing_meets_the_budget(able);
    std::ranges::stable_sort(waiting_, {}, &Candidate::dollars);
    keep_my_part();
  }

  void keep_my_part() {
    std::vector<const Candidate*> mine;
    for (std::size_t i = options_.part; i < waiting_.size(); i += options_.parts) mine.push_back(waiting_[i]);
    waiting_ = std::move(mine);
  }

  [[noreturn]] void nothing_meets_the_budget(const std::vector<const Candidate*>& able) const {
    const Candidate& cheapest =
        **std::ranges::min_element(able, {}, [](const Candidate* c) { return c->dollars; });
    const Candidate& coolest =
        **std::ranges::min_element(able, {}, [](const Candidate* c) { return c->watts; });
    const setup::SearchSetup& search = model_.search();
    const std::vector<network::CostPart> bill = model_.bill(cheapest.point);
    const auto most = std::ranges::max_element(bill, {}, &network::CostPart::dollars);
    std::string limit = search.dollars > 0 ? fmt::format("{:.0f} $", search.dollars) : "";
    if (search.watts > 0) limit += fmt::format("{}{:.0f} W", limit.empty() ? "" : " and ", search.watts);
    std::string what =
        fmt::format("none of {} candidates is within {}: the cheapest, on {}, costs {:.0f} $ ", able.size(),
                    limit, search.networks[cheapest.point.network].name, cheapest.dollars);
    if (most != bill.end()) what += fmt::format("({:.0f} $ of it for {})", most->dollars, most->part);
    what += fmt::format(" and draws {:.0f} W; the least power is {:.0f} W, on {}", cheapest.watts,
                        coolest.watts, search.networks[coolest.point.network].name);
    throw UserError({.file = search.file, .key = "budget"}, what,
                    "raise the budget, or allow smaller, slower or more oversubscribed networks");
  }

  std::uint64_t key_of(const Candidate& candidate) const {
    std::string all = options_.version + '\n' + model_.setup_text();
    for (const std::string& override : candidate.point.overrides) all += '\n' + override;
    return fnv1a(all);
  }

  // The next so many that no cheaper one is sure to beat. Returns where the round after it begins.
  std::size_t simulate_round(std::size_t from) {
    std::vector<const Candidate*> round;
    std::size_t at = from;
    for (; at < waiting_.size() && round.size() < kRound; ++at) {
      if (best_us_ && waiting_[at]->per_million(waiting_[at]->bound_us) >= *best_us_) {
        ++result_.dominated;
      } else {
        round.push_back(waiting_[at]);
      }
    }
    std::vector<Tried> tried(round.size());
    std::vector<std::string> problems(round.size());
    std::vector<std::uint8_t> fresh(round.size());
    in_parallel(round.size(), options_.jobs, [&](std::size_t i) {
      tried[i].candidate = *round[i];
      if (const auto known = journal_.find(key_of(*round[i]))) {
        tried[i].time = *known;
        return;
      }
      try {
        tried[i].time = model_.simulate(round[i]->point);
        fresh[i] = 1;
      } catch (const UserError& error) {
        problems[i] = error.what();
      }
    });
    for (std::size_t i = 0; i < tried.size(); ++i) take(std::move(tried[i]), problems[i], fresh[i] != 0);
    journal_.flush();
    return at;
  }

  void take(Tried tried, const std::string& problem, bool fresh) {
    if (!problem.empty()) {
      ++result_.cannot_run;
      if (result_.problems.size() < kShownProblems) result_.problems.push_back(problem);
      return;
    }
    if (fresh) {
      journal_.add(key_of(tried.candidate), tried.time);
      ++result_.simulated_now;
    }
    const double time = tried.per_million_us();
    if (!best_us_ || time < *best_us_) best_us_ = time;
    result_.tried.push_back(std::move(tried));
  }

  // In the order of cost; a point is on the front if it is faster than all before it.
  void find_front() {
    std::vector<std::size_t> order(result_.tried.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      const auto rank = [&](std::size_t i) {
        return std::pair(result_.tried[i].candidate.dollars, result_.tried[i].per_million_us());
      };
      return rank(a) < rank(b);
    });
    std::optional<double> fastest;
    for (const std::size_t i : order) {
      const double time = result_.tried[i].per_million_us();
      if (fastest && time >= *fastest) continue;
      fastest = time;
      result_.front.push_back(i);
    }
  }

  const CandidateModel& model_;
  const SearchOptions& options_;
  SearchJournal journal_;
  std::vector<Candidate> all_;
  std::vector<const Candidate*> waiting_;
  std::optional<double> best_us_;  // for a million samples, of those so far: they are the cheaper ones
  SearchResult result_;
};

// The time of a point that was tried, or of a simulation now; none for one that cannot run.
std::optional<double> time_at(const CandidateModel& model, const SearchResult& result, std::uint64_t number) {
  for (const Tried& tried : result.tried) {
    if (tried.candidate.point.number == number) return tried.per_million_us();
  }
  const Candidate candidate = model.describe(number);
  if (!candidate.problem.empty()) return std::nullopt;
  try {
    return candidate.per_million(model.simulate(candidate.point).step_us);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

}  // namespace

SearchResult run_search(const CandidateModel& model, const SearchOptions& options) {
  return SearchRun(model, options).run();
}

std::vector<Sensitivity> sensitivities(const CandidateModel& model, const SearchResult& result,
                                       const Tried& around) {
  const setup::SearchSetup& search = model.search();
  const setup::SearchPoint& point = around.candidate.point;
  const std::vector<const setup::SearchAxis*> axes = axes_of(search, point.network);
  std::vector<Sensitivity> all;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    Sensitivity one{.key = axes[a]->key, .values = {}};
    for (std::size_t v = 0; v < axes[a]->count(); ++v) {
      std::vector<std::size_t> values = point.values;
      values[a] = v;
      const auto time = time_at(model, result, number_of(search, point.network, values));
      if (time) one.values.emplace_back(*time / around.per_million_us(), axes[a]->label(v));
    }
    if (one.values.size() > 1) all.push_back(std::move(one));
  }
  Sensitivity networks{.key = "network", .values = {}};
  for (std::size_t n = 0; n < search.networks.size(); ++n) {
    std::optional<double> fastest;
    for (const Tried& tried : result.tried) {
      if (tried.candidate.point.network != n) continue;
      if (!fastest || tried.per_million_us() < *fastest) fastest = tried.per_million_us();
    }
    if (fastest) networks.values.emplace_back(*fastest / around.per_million_us(), search.networks[n].name);
  }
  if (networks.values.size() > 1) all.push_back(std::move(networks));
  return all;
}

const Tried* best_under(const SearchResult& result, double dollars) {
  const Tried* best = nullptr;
  for (const std::size_t i : result.front) {
    if (result.tried[i].candidate.dollars <= dollars) best = &result.tried[i];
  }
  return best;
}

}  // namespace overture::study
