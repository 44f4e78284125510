// The engine that skips the cycles in which nothing changes: a blocked router does not poll, it waits for the
// flit or the credit that unblocks it. A narrow link with its bridges is one server, as is its credit link.
//
// In one cycle every interface first injects and sends, then takes flits and credits; every router takes
// flits and credits, then lets at most one flit through from each input and to each output. All hand-overs
// take a cycle, so the order among routers and interfaces does not matter.
#pragma once

#include "overture/network/garnet/engine.h"

namespace overture::network::garnet {

class SkippingEngine final : public GarnetEngine {
 public:
  SkippingEngine(std::unique_ptr<GarnetFabric> fabric, const EngineSettings& settings, Arrived arrived);

  void run(Cycle now) override;

 private:
  enum Kind : std::uint32_t { interface_wakes, router_wakes, flit_arrives, credit_arrives };

  void push_flit(int number, Flit flit, std::int32_t position, Cycle now) override;
  void push_credit(int number, Credit credit, Cycle now) override;
  void wake_interface(int rank) override { schedule(soonest_, interface_wakes, rank); }

  void schedule(Cycle when, Kind kind, int which) {
    wheel_.add(when, kind | static_cast<std::uint32_t>(which) << 2);
  }
  void sort_out(Cycle now);
  void mark_interface(int rank, Cycle now);
  void mark_router(int router, Cycle now);
  Flit pop_flit(int number);
  void take_credit(int number);
  void rest(int rank, Cycle now);

  bool port_by_port_;
  bool sleepy_;
  // What is due in the current cycle.
  std::vector<std::uint32_t> due_;
  std::vector<int> interfaces_;
  std::vector<int> active_routers_;
  std::vector<int> received_;  // by interfaces
  std::vector<int> entered_;   // routers
  std::vector<int> interface_credits_;
  std::vector<Cycle> interface_marked_;  // the last cycle in which it was
  std::vector<Cycle> router_marked_;
};

}  // namespace overture::network::garnet
