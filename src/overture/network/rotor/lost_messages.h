// Which messages of a network of rotors can never arrive. Bulk needs circuits one after the other, in any
// slices; low-latency packets need a whole path in one slice, so they can be cut off where bulk is not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "overture/network/rotor/rotor_faults.h"
#include "overture/network/undeliverable.h"
#include "overture/topology/opera_paths.h"

namespace overture::network::rotor {

// What is left for low-latency packets after the last fault.
class LastLowLatencyPaths final : public LastPaths {
 public:
  // Both outlive it.
  LastLowLatencyPaths(RotorFaults& faults, const topology::Opera& opera) : faults_(faults), opera_(opera) {}

  std::int64_t settled() const override { return faults_.settled(); }
  bool cut_off(int from, int to) override;
  std::string reason(int from, int to) override;

 private:
  RotorFaults& faults_;
  const topology::Opera& opera_;
  std::optional<topology::OperaPaths> paths_;  // found when somebody asks
};

class LostMessages {
 public:
  // `faults` may be null: then all is delivered in the end. Else both outlive this.
  LostMessages(RotorFaults* faults, const topology::Opera& opera);
  LostMessages(const LostMessages&) = delete;
  LostMessages& operator=(const LostMessages&) = delete;

  // As in Undeliverable.
  void posted(std::uint32_t message, int from, int to, bool low_latency);
  void delivered(std::uint32_t message);
  std::size_t count(std::int64_t now) { return bulk_.count(now) + low_.count(now); }
  std::vector<std::string> tell(std::int64_t now);

 private:
  Undeliverable& of(std::uint32_t message) { return is_low_[message] ? low_ : bulk_; }

  std::optional<LastLowLatencyPaths> low_paths_;
  Undeliverable bulk_;
  Undeliverable low_;
  std::vector<bool> is_low_;  // by message
};

}  // namespace overture::network::rotor
