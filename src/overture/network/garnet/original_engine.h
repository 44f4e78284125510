// The engine that does what Garnet does to the letter: every router, interface, link and bridge is woken as
// there, what is due in a cycle runs last come, first served, and equal credits leave their heap in its
// order. Slower than SkippingEngine, and needed only for links wider than a flit and for the original's
// numbers where credits are scarce.
#pragma once

#include "overture/network/garnet/astra_fabric.h"
#include "overture/network/garnet/engine.h"
#include "overture/network/garnet/line.h"

namespace overture::network::garnet {

class OriginalEngine final : public GarnetEngine {
 public:
  OriginalEngine(const GarnetConfig& config, Arrived arrived);

  void run(Cycle now) override;

 private:
  OriginalEngine(const GarnetConfig& config, std::unique_ptr<AstraFabric> fabric, Arrived arrived);

  // What is woken: the parts of every line, then the interfaces, then the routers.
  enum Part { near_bridge, link, far_bridge, unit };
  struct Delayed {  // in the pipeline of a router
    Cycle ready = 0;
    Flit flit;
  };

  void push_flit(int number, Flit flit, std::int32_t position, Cycle now) override;
  void push_credit(int number, Credit credit, Cycle now) override;
  void wake_interface(int rank) override;

  void add_lines(const GarnetConfig& config);
  int part(int line, Part which) const { return 4 * line + which; }
  int interface(int rank) const { return 4 * static_cast<int>(lines_.size()) + rank; }
  int router(int number) const { return interface(fabric_->ranks()) + number; }
  int receiver(int line);
  Line& data(int number) { return lines_[static_cast<std::size_t>(2 * number)]; }
  Line& credits(int number) { return lines_[static_cast<std::size_t>(2 * number + 1)]; }

  void schedule(int object, Cycle when);
  void run_object(int object, Cycle now);
  void hand_over(int line, Item item, Cycle now);
  void move(int line, Cycle now);
  void bridge(int line, bool near, Cycle now);
  void split(int line, Item item, bool near, Cycle now);
  void join(int line, Item item, bool near, Cycle now);
  void emit(int line, Item item, bool near, Cycle now);
  void read_flit(int number, Cycle now);
  void read_credit(int number, Cycle now);
  void run_interface(int rank, Cycle now);
  void run_router(int number, Cycle now);

  const AstraFabric& astra_;  // the engine's own
  int pipeline_;
  std::int64_t in_flight_ = 0;  // flits, parts and credits on lines and in pipelines
  bool progress_ = false;       // something was handed over in this cycle
  bool stalled_ = false;        // nothing was, and nothing is in flight: to poll on would be to poll for ever
  std::vector<Line> lines_;     // two for each channel: flits, credits
  std::vector<std::vector<Cycle>> pending_;  // by object: when it is woken
  std::vector<Ring<Delayed>> delayed_;       // by channel
  std::vector<std::uint32_t> due_;
  std::vector<int> woken_;  // interfaces that their ranks wake
};

}  // namespace overture::network::garnet
