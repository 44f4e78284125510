#include "overture/network/analytical/closed_form.h"

#include <cmath>

#include "overture/base/check.h"

namespace overture::network {

ClosedForm::ClosedForm(const AnalyticalConfig& config, const topology::Hierarchy& machine,
                       sim::EventQueue& events)
    : Network(machine.ranks(), events), machine_(machine) {
  for (const DimensionConfig& d : config.dimensions) {
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
  return Duration{std::llround(longer * 1000)};
}

void ClosedForm::carry(const Message& message, Action delivered) {
  delivered_ += message.size;
  events().after(latency(message), delivered);
}

NetworkRecord ClosedForm::record() { return {.delivered = delivered_}; }

}  // namespace overture::network
