#include "overture/network/undeliverable.h"

#include <algorithm>

#include <fmt/format.h>

namespace overture::network {

void Undeliverable::posted(std::uint32_t message, int from, int to) {
  if (paths_ == nullptr) return;
  if (message >= pairs_.size()) pairs_.resize(message + 1);
  pairs_[message] = {.from = from, .to = to};
  if (settled_) look(pairs_[message]);
}

void Undeliverable::delivered(std::uint32_t message) {
  if (paths_ == nullptr) return;
  lost_ -= pairs_[message].lost ? 1 : 0;
  pairs_[message] = {};
}

void Undeliverable::look(Pair& pair) {
  if (pair.from < 0) return;
  pair.lost = paths_->cut_off(pair.from, pair.to);
  lost_ += pair.lost ? 1 : 0;
}

std::size_t Undeliverable::count(std::int64_t now) {
  if (paths_ == nullptr || now < paths_->settled()) return 0;
  if (!settled_) std::ranges::for_each(pairs_, [this](Pair& pair) { look(pair); });
  settled_ = true;
  return lost_;
}

std::vector<std::string> Undeliverable::tell(std::int64_t now) {
  std::vector<std::string> lines;
  if (count(now) == 0) return lines;
  for (const Pair& pair : pairs_) {
    if (pair.lost)
      lines.push_back(fmt::format("h{} to h{}: {}", pair.from, pair.to, paths_->reason(pair.from, pair.to)));
  }
  return lines;
}

}  // namespace overture::network
