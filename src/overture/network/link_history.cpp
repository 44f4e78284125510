#include "overture/network/link_history.h"

#include <algorithm>

#include "overture/base/check.h"
#include "overture/base/error.h"

namespace overture::network {

void require_sound(const MonitorConfig& config) {
  if (config.interval <= Duration::zero()) throw UserError("monitor: the interval must be above 0");
  if (config.samples < 2 || config.samples % 2 != 0 || config.samples > 1'000'000) {
    throw UserError("monitor: samples must be an even number from 2 to 1000000");
  }
}

MonitorConfig bounded(MonitorConfig config, std::size_t links) {
  constexpr std::size_t kMostStates = 4'000'000;
  const auto most = static_cast<int>(kMostStates / std::max<std::size_t>(links, 4));
  config.samples = std::max(2, std::min(config.samples, most) / 2 * 2);
  return config;
}

LinkHistory::LinkHistory(const MonitorConfig& config, std::size_t links)
    : interval_(config.interval), most_(config.samples), links_(links) {}

void LinkHistory::add(const std::vector<LinkState>& links) {
  check(links.size() == links_, "a sample has every link");
  states_.insert(states_.end(), links.begin(), links.end());
  if (++samples_ == most_) thin();
}

// Pairs become one: what was sent by the later moment, and the longer queue.
void LinkHistory::thin() {
  for (std::int64_t kept = 0; kept < samples_ / 2; ++kept) {
    for (std::size_t link = 0; link < links_; ++link) {
      LinkState joined = at(2 * kept + 1, link);
      joined.queued = std::max(joined.queued, at(2 * kept, link).queued);
      states_[static_cast<std::size_t>(kept) * links_ + link] = joined;
    }
  }
  samples_ /= 2;
  interval_ *= 2;
  states_.resize(static_cast<std::size_t>(samples_) * links_);
}

double LinkHistory::utilisation(std::int64_t sample, std::size_t link, Bandwidth rate) const {
  const Bytes before = sample == 0 ? Bytes{} : at(sample - 1, link).sent;
  const Duration busy = transfer_time(at(sample, link).sent - before, rate);
  return static_cast<double>(busy.count()) / static_cast<double>(interval_.count());
}

}  // namespace overture::network
