// What the numbers of a transport know, of themselves and for the network, beside their keys: the contract of
// a transport for all that stands outside of it. transport.h is its contract for the loops; config.h has the
// list of all transports.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "overture/base/units.h"
#include "overture/network/connection_use.h"
#include "overture/network/setup_change.h"

namespace overture::topology {
struct Topology;
}

namespace overture::network {
struct NetworkRecord;
}

namespace overture::network::packet {

struct PacketConfig;
class Stack;
enum class Pause : std::uint8_t;

template <class T>
concept TransportConfig = requires(const T& numbers, const PacketConfig& config,
                                   const topology::Topology& topology, Pause pause) {
  { T::kWord } -> std::convertible_to<std::string_view>;  // the transport's, and the group of its keys
  { T::kHelp } -> std::convertible_to<std::string_view>;
  { T::kSendsAgain } -> std::convertible_to<bool>;      // what is lost
  { numbers.largest_packet() } -> std::same_as<Bytes>;  // with its header
  { numbers.connection_use() } -> std::same_as<ConnectionUse>;
  // Throws UserError naming the first value that cannot work.
  numbers.require_sound(config);
  // The transport on its fabric (stack.h). `topology` outlives it.
  { T::make(topology, config, pause) } -> std::same_as<std::unique_ptr<Stack>>;
};

// What it may have beside these:
//   Bytes trimmed_packet() const       its switches cut packets, and leave this much of one
//   bool kLossless                     it runs on lossless switches, not on FIFO or trimming queues
//   bool kCountsSending                its switches count a packet in their limits until all of it has left
//   bool kKnowsOnlyConnections         its hosts have nothing that their connections share
//   settings_to_try(config, record)    what may make a run with this record faster (setup_change.h)
//   make_parts(topology, config)       it runs in several parts, a thread each (parallel_stack.h)

}  // namespace overture::network::packet
