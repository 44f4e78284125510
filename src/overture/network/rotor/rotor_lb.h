// RotorLB's scheduler (opera-htsim, section 1.8): when a rotor has come up, how many packets each host sends
// through it, to whom and for whom. Second hops first, then direct traffic, then what others may relay. It
// works on counts; when each packet leaves is commit.h.
#pragma once

#include <span>
#include <vector>

#include "overture/network/rotor/bulk_queues.h"
#include "overture/network/rotor/config.h"
#include "overture/network/rotor/fair_share.h"
#include "overture/network/rotor/rotor_faults.h"
#include "overture/topology/opera.h"

namespace overture::network::rotor {

// So many packets from one queue of a host, sent to host `via`: their destination, or one that relays.
struct Allocation {
  Waiting kind = Waiting::own;
  int to = 0;
  int via = 0;
  int packets = 0;
};

class RotorLb {
 public:
  // `opera` and `queues` outlive the scheduler.
  RotorLb(const topology::Opera& opera, const RotorConfig& config, BulkQueues& queues);

  // Leaves out what is known to be down; they outlive the scheduler.
  void set_faults(const RotorFaults& faults) { faults_ = &faults; }

  // Plans the slot of the rotor that comes up as `slice` begins.
  void plan(int slice);

  // What `host` sends in that slot.
  std::span<const Allocation> of(int host) const {
    return plans_[static_cast<std::size_t>(host)].allocations;
  }

 private:
  struct Offer {
    int to;
    int packets;
  };
  struct HostPlan {
    std::vector<Allocation> allocations;
    std::vector<Offer> offers;
    int can_send = 0;
    int can_receive = 0;
  };

  int first_host(int tor) const { return tor * hosts_per_tor_; }
  HostPlan& plan_of(int host) { return plans_[static_cast<std::size_t>(host)]; }
  bool idle(int tor) const;
  bool open(int from, int to) const { return faults_ == nullptr || faults_->open(from, to); }
  bool can_relay(int host, int to) const;

  void second_hops(int from, int to);
  void direct(int from, int to);
  void offer(int from, int to);
  void offer_all(int host, int excluded, int also_excluded);
  void offer_some(int host, int excluded, int also_excluded);
  void accept(int from, int to);
  void accept_at(int host, int from, int sharing);
  void allocate(int host, const Allocation& allocation);
  void borrow();
  void give_back();
  int& count(Waiting kind, int host, int to) {
    return queues_.counts(kind, host)[static_cast<std::size_t>(to)];
  }

  const topology::Opera& opera_;
  BulkQueues& queues_;
  const RotorFaults* faults_ = nullptr;
  OperaDefects defects_;
  int hosts_per_tor_;
  int most_;  // packets of a host in a slot
  FairShare share_;
  std::vector<HostPlan> plans_;
  std::vector<int> demand_;
  std::vector<int> rows_;
  std::vector<int> columns_;
  std::vector<int> room_;     // by destination
  std::vector<int> granted_;  // by destination, 0 between uses
  std::vector<int> touched_;
  std::vector<FairShare::Element> elements_;
};

}  // namespace overture::network::rotor
