// The routers and network interfaces of a fabric, and what they do in a cycle. How flits and credits travel
// between them, and who is woken when, is up to the two that derive from it: skipping_engine.h, which is
// fast, and original_engine.h, which also does what Garnet does by accident.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "overture/network/garnet/config.h"
#include "overture/network/garnet/fabric.h"
#include "overture/network/garnet/wheel.h"
#include "overture/network/link_load.h"

namespace overture::network::garnet {

struct GarnetStatistics {
  std::int64_t packets = 0;  // delivered
  std::int64_t flits = 0;
  std::int64_t packet_cycles = 0;  // from injection to arrival less one, summed over packets, by their tails
  std::int64_t flit_cycles = 0;
  std::int64_t hops = 0;   // of flits, links between routers
  std::int64_t parts = 0;  // cycles in which links between routers were busy
  std::vector<std::int64_t> packets_of_vnet;
};

// What an engine is told beside its fabric.
struct EngineSettings {
  int flits_per_packet = 1;  // of every packet but, where it is told so, a message's last
  std::int64_t flit_bytes = 16;
  Duration cycle = kCycle;
  // Garnet's interfaces sleep while packets wait, a virtual channel is idle and no flit is left to send:
  // something else must wake them.
  bool sleepy = true;
  // Packets enter a router port by port: that is how they are dealt out to switches.
  bool port_by_port = false;
};

// Packets of a message; the last has as many flits as the others unless it says otherwise.
struct PacketCount {
  std::int64_t packets = 1;
  std::int32_t last_flits = 0;
};

class GarnetEngine {
 public:
  // Told of every tail that arrives, interfaces in ascending order: the message it belongs to.
  using Arrived = std::function<void(std::int32_t message)>;

  GarnetEngine(std::unique_ptr<GarnetFabric> fabric, const EngineSettings& settings, Arrived arrived);
  virtual ~GarnetEngine() = default;
  GarnetEngine(const GarnetEngine&) = delete;
  GarnetEngine& operator=(const GarnetEngine&) = delete;

  // Queues the packets of a message. `message` is the caller's number and comes back with every tail.
  void send(std::int32_t message, int from, int to, int lane, const PacketCount& count);

  // Something happens at the rank in this cycle, which wakes its interface.
  void wake(int rank);

  // The next cycle in which something happens, or none.
  Cycle next() const { return wheel_.next(); }
  // What is sent or woken from now on belongs to cycle `now`, which run() will come to.
  void stand_at(Cycle now) { soonest_ = now; }
  virtual void run(Cycle now) = 0;

  const GarnetStatistics& statistics() const { return statistics_; }

  const std::vector<Channel>& channels() const { return fabric_->channels(); }
  // From now on notes in `load` what links carry: channel c is link `links[c]` there, or
  // none. `load` outlives the engine.
  void watch(LinkLoad& load, std::vector<std::int32_t> links);

 protected:
  struct Queued {
    std::int32_t message;
    std::int32_t last_flits;
    std::int64_t packets;
  };
  // One way from an interface into its router.
  struct Lane {
    Ring<Queued> waiting;          // messages with packets that have no virtual channel yet
    Ring<std::uint16_t> injected;  // virtual channels with flits to send, oldest first
    int pointer = 0;               // virtual channel that is tried first
  };

  // Hands a flit or a credit over to the channel, which it enters in the next cycle. `position` is the flit's
  // in its packet.
  virtual void push_flit(int number, Flit flit, std::int32_t position, Cycle now) = 0;
  virtual void push_credit(int number, Credit credit, Cycle now) = 0;
  virtual void wake_interface(int rank) = 0;  // in cycle soonest_

  Channel& channel(int c) { return channels_[static_cast<std::size_t>(c)]; }
  Lane& lane(int rank, int lane) { return lanes_[static_cast<std::size_t>(fabric_->injection(rank, lane))]; }

  // interface.cpp
  void inject_and_send(int rank, Cycle now);
  void accept(int number, const Flit& flit, Cycle now);

  // router.cpp
  void enter(Channel& c, const Flit& flit);
  bool arbitrate(int number, Cycle now);  // false where nobody could go
  void take(Channel& c, const Credit& credit);
  bool holds_flits(int router);

  std::unique_ptr<GarnetFabric> fabric_;
  std::vector<Channel>& channels_;
  std::vector<Router>& routers_;
  int vcs_;
  Wheel wheel_;
  Cycle soonest_ = 0;
  GarnetStatistics statistics_;

 private:
  struct Packet {  // in a virtual channel of an interface
    std::int32_t message = kNone;
    std::int32_t sent = 0;
    std::int32_t flits = 0;
  };
  struct Request {
    std::int32_t input;  // channel
    std::int32_t vc;
  };

  Packet& packet(int number, int vc) { return packets_[static_cast<std::size_t>(number * vcs_ + vc % vcs_)]; }
  void inject(Lane& mine, int number, Cycle now);
  void send_flit(Lane& mine, int number, Cycle now);
  int choose(Channel& input);
  bool eligible(const Buffer& buffer);
  void grant(int output, int inputs, Cycle now);
  void pass(const Request& winner, int output, Cycle now);
  void note_flit(int output, Cycle now);

  int all_vcs_;
  EngineSettings settings_;
  Arrived arrived_;
  std::vector<Lane> lanes_;
  std::vector<Packet> packets_;   // by injection channel and virtual channel
  std::vector<int> destination_;  // by message

  // Routers: inputs with packets, and what is requested in the current cycle.
  std::vector<std::vector<std::uint64_t>> busy_inputs_;
  std::vector<std::vector<Request>> requests_;  // by output channel
  std::vector<int> requested_;                  // output channels that somebody requests
  std::vector<std::uint64_t> seen_;             // by vnet and output channel: an older packet wants it, too
  std::uint64_t stamp_ = 0;

  LinkLoad* load_ = nullptr;  // null: nobody watches
  std::vector<std::int32_t> links_;
};

EngineSettings settings_of(const GarnetConfig& config);

// The one that the config needs: the original's ways where they are asked for, or where links are wider than
// a flit.
std::unique_ptr<GarnetEngine> make_engine(const GarnetConfig& config, GarnetEngine::Arrived arrived);

}  // namespace overture::network::garnet
