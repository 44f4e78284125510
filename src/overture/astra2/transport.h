// Messages between NPUs as ASTRA-sim 2's front end sends them: matched by tag, ends and size, perhaps after a
// handshake (rendezvous). Where one NPU stands for all, what it sends comes back as what a peer sends it.
#pragma once

#include <cstdint>

#include "overture/astra2/postbox.h"
#include "overture/base/pool.h"
#include "overture/network/network.h"

namespace overture::astra2 {

class Transport {
 public:
  // Both outlive it.
  Transport(network::Network& network, sim::EventQueue& events, bool rendezvous)
      : network_(network), postbox_(events), rendezvous_(rendezvous) {}

  // `sent`, if any, is called when the message has arrived, before its receiver is.
  void send(const Letter& letter, Action sent = {});
  void receive(const Letter& letter, Action received);
  // NPU 0 stands for all: what it sends to `letter.to` arrives as what `peer` sends it. `wire` is the NPU
  // whose links the message takes.
  void send_mirrored(const Letter& letter, int peer, int wire);

  const Postbox& postbox() const { return postbox_; }
  std::uint64_t messages() const { return messages_; }

 private:
  struct Flight {
    Letter letter;
    Action then;
  };
  void transmit(const Letter& letter, Action sent);
  void arrived(std::uint32_t flight);

  network::Network& network_;
  Postbox postbox_;
  bool rendezvous_;
  Pool<Flight> flights_;
  std::uint64_t messages_ = 0;
};

}  // namespace overture::astra2
