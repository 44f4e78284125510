// A fabric and the transport on it, as the engine drives them. The path of the transport's packets through
// the fabric is compiled for both; what is virtual here is called per message or per run.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <variant>
#include <vector>

#include "overture/network/packet/fabric.h"
#include "overture/network/packet/lossless_fabric.h"
#include "overture/network/packet/transport.h"

namespace overture::network::packet {

struct StackPart {
  std::variant<const Fabric*, const LosslessFabric*> fabric;
  const Deliveries* transport;
};

class Stack {
 public:
  virtual ~Stack() = default;

  // As engine.h says.
  virtual void reserve(std::size_t connections) = 0;
  virtual std::uint32_t post(int from, int to, std::int64_t bytes, std::int64_t when) = 0;
  virtual void run(std::int64_t limit) = 0;
  virtual std::int64_t now() const = 0;
  virtual std::int64_t next_time() const = 0;
  virtual std::uint64_t outstanding() const = 0;
  virtual std::vector<Completion>& completions() = 0;
  virtual void set_faults(PacketFaults& faults) = 0;

  // Could parts of it run at the same time? Then it ends as they would: at the end of a window.
  virtual bool ends_with_window() const = 0;

  virtual std::vector<StackPart> parts() const = 0;
  virtual std::size_t connections() const = 0;
  virtual std::size_t memory() const = 0;  // of connections, in bytes
};

// In one place in memory: the transport refers to the fabric.
template <class FabricKind, TransportContract Transport>
class StackOf final : public Stack {
 public:
  StackOf(const topology::Topology& topology, const PacketConfig& config, Pause pause)
      : fabric_(topology, config), transport_(config, topology, fabric_, pause) {}

  void reserve(std::size_t connections) override { transport_.reserve(connections); }
  std::uint32_t post(int from, int to, std::int64_t bytes, std::int64_t when) override {
    return transport_.post(from, to, bytes, when);
  }
  void run(std::int64_t limit) override {
    transport_.resume();
    fabric_.run(transport_, limit);
  }
  std::int64_t now() const override { return fabric_.now(); }
  std::int64_t next_time() const override { return fabric_.next_time(); }
  std::uint64_t outstanding() const override { return static_cast<std::uint64_t>(transport_.outstanding()); }
  std::vector<Completion>& completions() override { return transport_.completions(); }
  void set_faults(PacketFaults& faults) override { fabric_.set_faults(faults); }
  bool ends_with_window() const override { return std::is_same_v<FabricKind, Fabric>; }
  std::vector<StackPart> parts() const override { return {{&fabric_, &transport_}}; }
  std::size_t connections() const override { return transport_.flows(); }
  std::size_t memory() const override { return transport_.memory(); }

 private:
  FabricKind fabric_;
  Transport transport_;
};

}  // namespace overture::network::packet
