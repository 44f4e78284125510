#include "overture/network/analytical/closed_form.h"

#include <algorithm>
#include <cmath>

#include "overture/base/check.h"

namespace overture::network {

ClosedForm::ClosedForm(const AnalyticalConfig& config, const topology::Hierarchy& machine,
                       sim::EventQueue& events)
    : Network(machine.ranks(), events), machine_(machine) {
  for (std::size_t i = 0; i < fractions_.size(); ++i) fractions_[i] = static_cast<double>(i) / 1000;
  for (const DimensionConfig& d : config.dimensions) {
    has_memory_ |= d.memory_scale > 0;
    const bool is_switch = d.kind == topology::DimensionKind::switched;
    dimensions_.push_back({.latency_ns = d.link_latency_ns,
                           .bytes_per_ns = link_bytes_per_ns(d) * usable_links(d),
                           .nic_ns = d.nic_latency_ns,
                           .router_ns = is_switch ? d.router_latency_ns : 0,
                           .memory_latency_ns = d.memory_latency_ns,
                           .memory_bytes_per_ns = d.memory_scale > 0 ? d.memory_bytes_per_ns : 1,
                           .memory_scale = d.memory_scale});
  }
}

Duration ClosedForm::latency(const Message& message) const {
  return Duration{std::llround(latency_ns(message) * 1000)};
}

double ClosedForm::latency_ns(const Message& message) const {
  const int d = machine_.dimension_between(message.from, message.to);
  check(d >= 0, "a rank cannot send to itself");
  const Dimension& dimension = dimensions_[static_cast<std::size_t>(d)];
  const auto size = static_cast<double>(message.size.count());
  // The original adds into an integer, so every step is cut to whole nanoseconds.
  double ns = std::trunc(machine_.hops(message.from, message.to, d) * dimension.latency_ns);
  ns = std::trunc(ns + size / dimension.bytes_per_ns);
  ns = std::trunc(ns + 2 * dimension.nic_ns);
  ns = std::trunc(ns + dimension.router_ns);
  const double memory_ns =
      dimension.memory_scale * (dimension.memory_latency_ns + size / dimension.memory_bytes_per_ns);
  const double longer = ns > memory_ns ? ns : memory_ns;
  check_transfer_ns(longer);
  return longer;
}

// The original's time is a double: a sum of fractions ends just before a whole nanosecond or just after it,
// and the cycle follows from that. So sums are made of what the picoseconds were rounded from, and rounding
// never leaves the nanosecond.
Time ClosedForm::landing(double latency_ns) {
  constexpr std::int64_t kPicoseconds = 1000;
  const std::int64_t now = events().now().time_since_epoch().count();
  const double lands = static_cast<double>(now / kPicoseconds) +
                       fractions_[static_cast<std::size_t>(now % kPicoseconds)] + latency_ns;
  const double whole = std::trunc(lands);
  const std::int64_t fraction = std::min(std::llround((lands - whole) * 1000), 999LL);
  fractions_[static_cast<std::size_t>(fraction)] = lands - whole;
  return Time{Duration{static_cast<std::int64_t>(whole) * kPicoseconds + fraction}};
}

void ClosedForm::carry(const Message& message, Action delivered) {
  delivered_ += message.size;
  const double ns = latency_ns(message);
  if (has_memory_) {
    events().at(landing(ns), delivered);
  } else {
    events().after(Duration{Nanoseconds{static_cast<std::int64_t>(ns)}}, delivered);
  }
}

NetworkRecord ClosedForm::record() { return {.delivered = delivered_}; }

}  // namespace overture::network
