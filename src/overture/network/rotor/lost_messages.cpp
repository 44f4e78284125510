#include "overture/network/rotor/lost_messages.h"

#include <fmt/format.h>

namespace overture::network::rotor {

bool LastLowLatencyPaths::cut_off(int from, int to) {
  if (faults_.cut_off(from, to)) return true;
  const int a = opera_.tor_of(from);
  const int b = opera_.tor_of(to);
  if (a == b) return false;
  if (!paths_) paths_.emplace(opera_, 1, [this](int tor, int rotor) { return faults_.stays_up(tor, rotor); });
  for (int slice = 0; slice < opera_.slices(); ++slice) {
    if (paths_->count(slice, a, b) > 0 && paths_->count(slice, b, a) > 0) return false;
  }
  return true;
}

std::string LastLowLatencyPaths::reason(int from, int to) {
  if (faults_.cut_off(from, to)) return faults_.reason(from, to);
  return fmt::format("no slice has a path left from tor{} to tor{} and back", opera_.tor_of(from),
                     opera_.tor_of(to));
}

LostMessages::LostMessages(RotorFaults* faults, const topology::Opera& opera)
    : low_paths_(faults == nullptr ? std::nullopt
                                   : std::optional<LastLowLatencyPaths>(std::in_place, *faults, opera)),
      bulk_(faults),
      low_(low_paths_ ? &*low_paths_ : nullptr) {}

void LostMessages::posted(std::uint32_t message, int from, int to, bool low_latency) {
  if (message >= is_low_.size()) is_low_.resize(message + 1);
  is_low_[message] = low_latency;
  of(message).posted(message, from, to);
}

void LostMessages::delivered(std::uint32_t message) { of(message).delivered(message); }

std::vector<std::string> LostMessages::tell(std::int64_t now) {
  std::vector<std::string> lines = bulk_.tell(now);
  const std::vector<std::string> low = low_.tell(now);
  lines.insert(lines.end(), low.begin(), low.end());
  return lines;
}

}  // namespace overture::network::rotor
