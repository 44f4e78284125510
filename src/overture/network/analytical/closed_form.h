// ASTRA-sim 1.0's analytical network: every message takes latency + size / bandwidth of the highest dimension
// it crosses, and no two messages ever share a link. Exact to the cycle, and wildly optimistic when a rank
// talks to many at once: an all-to-all gets faster with more ranks.
#pragma once

#include <array>

#include "overture/network/analytical/config.h"

namespace overture::network {

class ClosedForm final : public Network {
 public:
  ClosedForm(const AnalyticalConfig& config, const topology::Hierarchy& machine, sim::EventQueue& events);

  NetworkRecord record() override;

  // How long `message` takes, whatever else is going on.
  Duration latency(const Message& message) const;

 private:
  void carry(const Message& message, Action delivered) override;
  double latency_ns(const Message& message) const;
  Time landing(double latency_ns);

  struct Dimension {
    double latency_ns;
    double bytes_per_ns;
    double nic_ns;
    double router_ns;
    double memory_latency_ns;
    double memory_bytes_per_ns;
    double memory_scale;
  };

  topology::Hierarchy machine_;
  Bytes delivered_;
  bool has_memory_ = false;
  // Of a nanosecond: what each picosecond of it was rounded from last. Endpoints add whole nanoseconds only.
  std::array<double, 1000> fractions_;
  std::vector<Dimension> dimensions_;
};

}  // namespace overture::network
