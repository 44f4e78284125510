#include "overture/study/codesign/search.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <thread>
#include <tuple>

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
    result_.complete = false;
    describe_all();
    if (model_.stopped()) return std::move(result_);
    sift();
    std::size_t at = 0;
    while (at < waiting_.size() && go_on(at)) at = simulate_round(at);
    result_.complete = at == waiting_.size() && !model_.stopped();
    find_front();
    return std::move(result_);
  }

 private:
  bool go_on(std::size_t done) const {
    return !model_.stopped() && (!options_.progress || options_.progress(done, waiting_.size()));
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

  [[noreturn]] void none_can_run() const {
    const std::string why = result_.problems.empty() ? "there are none" : result_.problems.front();
    const std::size_t line = why.find('\n');  // what would work is behind it
    throw UserError({.file = model_.search().file},
                    fmt::format("none of {} candidates can run: {}", all_.size(), why.substr(0, line)),
                    line == std::string::npos ? "" : why.substr(why.find_first_not_of(' ', line + 1)));
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
    if (able.empty()) none_can_run();
    for (const Candidate* candidate : able) {
      if (within_budget(*candidate)) waiting_.push_back(candidate);
    }
    result_.over_budget = able.size() - waiting_.size();
    if (waiting_.empty()) nothing_meets_the_budget(able);
    most_promising_first();
    keep_my_part();
  }

  // Of every kind of network at every price the one with the lowest bound, the cheapest first; then the
  // second one of each, and so on: what comes early rules out most of what comes late.
  void most_promising_first() {
    std::map<std::pair<std::size_t, double>, std::vector<const Candidate*>> alike;
    for (const Candidate* candidate : waiting_)
      alike[{candidate->point.network, candidate->dollars}].push_back(candidate);
    std::vector<std::tuple<std::size_t, double, const Candidate*>> turns;
    for (auto& [kind, candidates] : alike) {
      std::ranges::stable_sort(candidates, {},
                               [](const Candidate* c) { return c->per_million(c->bound_us); });
      for (std::size_t turn = 0; turn < candidates.size(); ++turn)
        turns.emplace_back(turn, kind.second, candidates[turn]);
    }
    std::ranges::stable_sort(turns, {}, [](const auto& one) {
      return std::tuple(std::get<0>(one), std::get<1>(one), std::get<2>(one)->point.number);
    });
    for (std::size_t i = 0; i < turns.size(); ++i) waiting_[i] = std::get<2>(turns[i]);
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

  // Whether one that was simulated costs no more and is faster than this one can be; as fast will do if it
  // costs less.
  bool is_dominated(const Candidate& candidate) const {
    const double bound = candidate.per_million(candidate.bound_us);
    auto above = fastest_.upper_bound(candidate.dollars);
    if (above == fastest_.begin()) return false;
    --above;
    if (above->second < bound) return true;
    if (above->first == candidate.dollars) {
      if (above == fastest_.begin()) return false;
      --above;
    }
    return above->second <= bound;
  }

  // Keeps `fastest_` falling: dearer ones count only if they are faster.
  void remember(double dollars, double time) {
    auto next = fastest_.upper_bound(dollars);
    if (next != fastest_.begin() && std::prev(next)->second <= time) return;
    while (next != fastest_.end() && next->second >= time) next = fastest_.erase(next);
    fastest_[dollars] = time;
  }

  // The next so many that nothing simulated is sure to beat. Returns where the round after it begins.
  std::size_t simulate_round(std::size_t from) {
    std::vector<const Candidate*> round;
    std::size_t at = from;
    for (; at < waiting_.size() && round.size() < kRound; ++at) {
      if (is_dominated(*waiting_[at])) {
        ++result_.dominated;
      } else {
        round.push_back(waiting_[at]);
      }
    }
    std::vector<Tried> tried(round.size());
    std::vector<std::string> problems(round.size());
    std::mutex writing;
    in_parallel(round.size(), options_.jobs, [&](std::size_t i) {
      tried[i].candidate = *round[i];
      try {
        tried[i].time = time_of(*round[i], writing);
      } catch (const UserError& error) {
        problems[i] = error.what();
      }
    });
    if (model_.stopped()) return from;
    journal_.flush();
    for (std::size_t i = 0; i < tried.size(); ++i) take(std::move(tried[i]), problems[i]);
    return at;
  }

  // Known, or simulated now and in the journal at once: what was simulated is not lost, however the search
  // ends.
  StepTime time_of(const Candidate& candidate, std::mutex& writing) {
    const std::uint64_t key = key_of(candidate);
    {
      const std::lock_guard lock(writing);
      if (const auto known = journal_.find(key)) return *known;
    }
    const StepTime time = model_.simulate(candidate.point);
    if (model_.stopped()) return time;
    const std::lock_guard lock(writing);
    journal_.add(key, time);
    journal_.flush();
    ++result_.simulated_now;
    return time;
  }

  void take(Tried tried, const std::string& problem) {
    if (!problem.empty()) {
      ++result_.cannot_run;
      if (result_.problems.size() < kShownProblems) result_.problems.push_back(problem);
      return;
    }
    remember(tried.candidate.dollars, tried.per_million_us());
    result_.tried.push_back(std::move(tried));
  }

  // A point is on the front if it is faster than all before it.
  void find_front() {
    std::ranges::sort(result_.tried, {}, [](const Tried& tried) {
      return std::pair(tried.candidate.dollars, tried.candidate.point.number);
    });
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
  std::map<double, double>
      fastest_;  // by dollars: the least time for a million samples of what costs no more
  SearchResult result_;
};

// Times of points: known, or simulated now, on several threads; none for one that cannot run.
class PointTimes {
 public:
  PointTimes(const CandidateModel& model, const SearchResult& result) : model_(model) {
    for (const Tried& tried : result.tried) known_[tried.candidate.point.number] = tried.per_million_us();
  }

  void find(const std::vector<std::uint64_t>& numbers, int jobs) {
    std::vector<std::uint64_t> missing;
    for (const std::uint64_t number : numbers) {
      if (known_.try_emplace(number).second) missing.push_back(number);
    }
    std::vector<std::optional<double>> times(missing.size());
    in_parallel(missing.size(), jobs, [&](std::size_t i) { times[i] = simulated(missing[i]); });
    for (std::size_t i = 0; i < missing.size(); ++i) known_[missing[i]] = times[i];
  }

  std::optional<double> operator[](std::uint64_t number) const { return known_.at(number); }

 private:
  std::optional<double> simulated(std::uint64_t number) const {
    const Candidate candidate = model_.describe(number);
    if (!candidate.problem.empty()) return std::nullopt;
    try {
      return candidate.per_million(model_.simulate(candidate.point).step_us);
    } catch (const UserError&) {
      return std::nullopt;
    }
  }

  const CandidateModel& model_;
  std::map<std::uint64_t, std::optional<double>> known_;
};

// The fastest of each kind of network that was simulated.
Sensitivity networks_around(const setup::SearchSetup& search, const SearchResult& result,
                            const Tried& around) {
  Sensitivity networks{.key = "network", .values = {}};
  for (std::size_t n = 0; n < search.networks.size(); ++n) {
    std::optional<double> fastest;
    for (const Tried& tried : result.tried) {
      if (tried.candidate.point.network != n) continue;
      if (!fastest || tried.per_million_us() < *fastest) fastest = tried.per_million_us();
    }
    if (fastest) networks.values.emplace_back(*fastest / around.per_million_us(), search.networks[n].name);
  }
  return networks;
}

}  // namespace

SearchResult run_search(const CandidateModel& model, const SearchOptions& options) {
  return SearchRun(model, options).run();
}

std::vector<Sensitivity> sensitivities(const CandidateModel& model, const SearchResult& result,
                                       const Tried& around, int jobs) {
  const setup::SearchSetup& search = model.search();
  const setup::SearchPoint& point = around.candidate.point;
  const std::vector<const setup::SearchAxis*> axes = axes_of(search, point.network);
  std::vector<std::vector<std::uint64_t>> numbers(axes.size());  // by axis and value
  std::vector<std::uint64_t> all_numbers;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    for (std::size_t v = 0; v < axes[a]->count(); ++v) {
      std::vector<std::size_t> values = point.values;
      values[a] = v;
      numbers[a].push_back(number_of(search, point.network, values));
      all_numbers.push_back(numbers[a].back());
    }
  }
  PointTimes times(model, result);
  times.find(all_numbers, jobs);
  std::vector<Sensitivity> all;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    Sensitivity one{.key = axes[a]->key, .values = {}};
    for (std::size_t v = 0; v < axes[a]->count(); ++v) {
      if (const auto time = times[numbers[a][v]])
        one.values.emplace_back(*time / around.per_million_us(), axes[a]->label(v));
    }
    if (one.values.size() > 1) all.push_back(std::move(one));
  }
  Sensitivity networks = networks_around(search, result, around);
  if (networks.values.size() > 1) all.push_back(std::move(networks));
  return all;
}

std::vector<std::string> what_matters(const CandidateModel& model, const SearchResult& result, int jobs) {
  std::vector<std::string> texts(result.front.size());
  in_parallel(texts.size(), jobs, [&](std::size_t i) {
    const Tried& tried = result.tried[result.front[i]];
    texts[i] = model.what_matters(tried.candidate.point, tried.time);
  });
  return texts;
}

const Tried* best_under(const SearchResult& result, double dollars) {
  const Tried* best = nullptr;
  for (const std::size_t i : result.front) {
    if (result.tried[i].candidate.dollars <= dollars) best = &result.tried[i];
  }
  return best;
}

}  // namespace overture::study
