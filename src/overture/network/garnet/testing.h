// For the tests of this folder: small networks in round numbers, and what arrives when.
#pragma once

#include <vector>

#include "overture/network/garnet/config.h"
#include "overture/network/network.h"
#include "overture/sim/event_queue.h"

namespace overture::network::garnet {

// A ring of `ranks` inside one package, flits of 64 bytes, packets of four of them.
inline GarnetConfig ring_of(int ranks) {
  GarnetConfig config{.size = {ranks, 1, 1}, .local_rings = 1, .flit_width = 512, .packet = Bytes{256}};
  config.local = {.width = 512, .latency = 10};
  config.package = {.width = 512, .latency = 20};
  config.vcs = 16;
  config.buffers.assign(static_cast<std::size_t>(config.vnets()), 8);
  return config;
}

// Sends at given cycles and notes the cycles of arrival, by the order of sending.
class Traffic {
 public:
  Traffic(Network& network, sim::EventQueue& events) : network_(network), events_(events) {}

  void send_at(std::int64_t cycle, const Message& message) {
    const std::size_t number = messages_.size();
    messages_.push_back(message);
    arrivals_.push_back(-1);
    events_.at(Time{kCycle * cycle}, [this, number] {
      network_.send(messages_[number],
                    [this, number] { arrivals_[number] = events_.now().time_since_epoch() / kCycle; });
    });
  }
  std::vector<std::int64_t> run() {
    events_.run();
    return arrivals_;
  }

 private:
  Network& network_;
  sim::EventQueue& events_;
  std::vector<Message> messages_;
  std::vector<std::int64_t> arrivals_;
};

inline Message message(int from, int to, std::int64_t bytes, int lane = 0) {
  return {.from = Rank{from}, .to = Rank{to}, .size = Bytes{bytes}, .lane = lane};
}

}  // namespace overture::network::garnet
