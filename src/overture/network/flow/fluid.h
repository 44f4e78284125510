// The fluid itself: lanes of flows that share classes of links, their rates over time, and when which of
// them are through. A lane holds all flows of one class that are under way; since they have the same rate,
// one clock of bytes served stands for all of them, and a change costs the same however many there are.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <vector>

#include "overture/base/pool.h"
#include "overture/base/units.h"
#include "overture/network/flow/flow_set.h"
#include "overture/network/flow/max_min.h"
#include "overture/network/flow/needed_links.h"
#include "overture/network/flow/relay_fill.h"

namespace overture::network::flow {

using LaneId = std::uint32_t;

class Fluid {
 public:
  // Bytes a second that every link of a class can carry at a time.
  using Capacity = std::function<double(std::uint32_t link_class, Time when)>;

  // `steady`: capacities never change, and nothing is relayed. `in_turn`: a flow sends what is started in its
  // lane one after the other, not all at the same time.
  Fluid(Capacity capacity, bool steady, bool in_turn)
      : capacity_(std::move(capacity)), steady_(steady), in_turn_(in_turn) {}

  // An empty lane for the flows of a class. `flows` outlives the lane.
  LaneId add(const FlowSet& flows, std::uint32_t flow_class, double weight);
  // What the flows of `lane` in another class do: the same so far.
  LaneId copy(LaneId lane, std::uint32_t flow_class);
  // Until the next rebuild() the lane goes on as before.
  void set_class(LaneId lane, std::uint32_t flow_class) { lanes_[lane].flow_class = flow_class; }
  void remove(LaneId lane);
  bool is_idle(LaneId lane) const { return lanes_[lane].streams.empty(); }
  // After classes of links or the classes of lanes have changed.
  void rebuild(std::uint32_t link_classes);

  // Every flow of the lane's class has `bytes` to send from now on. `run` is the caller's name for it.
  void start(LaneId lane, double bytes, std::uint32_t run, Time now);
  // Takes a run out of its lane, unfinished: the bytes of each flow that were not sent.
  double withdraw(LaneId lane, std::uint32_t run, Time now);
  // The runs in the lane.
  template <class Visit>
  void for_each_run(LaneId lane, Visit visit) const {
    for (const Stream& stream : lanes_[lane].streams) visit(stream.run);
  }

  // From now on flows over circuits may be relayed; told anew whenever classes of links change. `most_each`
  // in bytes a second. Capacity and direct traffic of `links` are found out here.
  void set_relays(std::vector<RelayLink> links, std::vector<Relays> relays, double most_each);

  void capacity_changed(std::uint32_t link_class) { changed_.push_back(link_class); }
  // Finds the rates that changes since the last time have brought about, where they can be felt.
  void solve(Time now);

  // When the next flows are through; Time::max() if none ever is.
  Time next_end();
  // Calls `visit(flow_class, run, relayed)` for all flows that are through by now, in the order in which they
  // started. `relayed`: most of their last bytes went over two circuits.
  template <class Visit>
  void take_finished(Time now, Visit visit) {
    collect_finished(now);
    for (const Finished& each : finished_) visit(each.flow_class, each.run, each.relayed);
  }

  // From now on what links carry is counted; a network with relays cannot be.
  void count_bytes() { counts_bytes_ = true; }
  // Bytes over each link of every class since the last time, by class.
  std::vector<double> take_bytes(Time now);

  std::size_t active() const { return active_; }
  double rate_on(std::uint32_t link_class) const;
  std::uint64_t streams() const { return streams_; }
  std::uint64_t solutions() const { return solutions_; }
  std::uint64_t solved_lanes() const { return solved_lanes_; }

 private:
  struct Stream {
    double end = 0;  // on the lane's clock of bytes
    std::uint64_t number = 0;
    std::uint32_t run = 0;
    friend bool operator>(const Stream& a, const Stream& b) {
      return a.end != b.end ? a.end > b.end : a.number > b.number;
    }
  };
  struct Lane {
    std::uint64_t number = 0;  // 0: not in use; another one each time it is filled
    const FlowSet* flows = nullptr;
    std::uint32_t flow_class = 0;
    double weight = 1;
    double rate = 0;    // bytes a second of each flow
    double served = 0;  // bytes of each flow by `since`
    double last = 0;    // on this clock: the end of what was started last, if streams take turns
    Time since{};
    Time counted{};                      // until when what it sent is in bytes_
    Time end = Time::max();              // of the first stream
    std::uint64_t first_stream = 0;      // for which `end` holds
    std::uint32_t place = 0;             // in filled_, while it has streams
    bool relayed = false;                // most of its rate goes over two circuits
    std::uint32_t bottleneck = kNoLink;  // the full link to which its rate is due
    bool emptied = false;                // since the last solution; it may go on as if nothing had happened
    std::size_t first_change = 0;        // where its links are in changed_, if it was emptied
    std::size_t end_change = 0;
    std::vector<Stream> streams;  // a heap, the first to end in front
    std::vector<Use> needed;      // its uses of links that have to be looked at, while it has streams
  };
  struct Name {
    LaneId lane = 0;
    std::uint64_t number = 0;
  };
  // A lane on a link, and what a unit of rate of its flows takes there.
  struct User {
    Name name;
    double load = 0;
  };
  struct Due {
    Time when;
    Name lane;
    friend bool operator>(const Due& a, const Due& b) {
      return a.when != b.when ? a.when > b.when : a.lane.number > b.lane.number;
    }
  };
  struct Finished {
    std::uint64_t number = 0;
    std::uint32_t flow_class = 0;
    std::uint32_t run = 0;
    bool relayed = false;
  };

  // Since when a link is needed: which lane was the first, and how many links were before it.
  struct Needed {
    LaneId by = 0;
    std::uint32_t order = 0;
  };

  static constexpr std::size_t kManyLanes = 64;

  LaneId new_lane(Lane lane);
  void add_needed(LaneId lane, std::span<const Needed> since);
  void attach(LaneId lane);
  void detach(LaneId lane);
  void look_at(std::uint32_t link);
  void mark_changed(const Lane& lane);
  void advance(Lane& lane, Time now);
  void count(Lane& lane, Time now);
  void set_rate(LaneId lane, double rate, Time now);
  bool solve_around_changes(Time now);
  void join(LaneId lane, Time now);
  std::uint32_t visit(std::uint32_t link, Time now);
  void solve_joined();
  void join_users(std::size_t link, Time now);
  void keep_rates();
  void leave_joined();
  void find_component(Time now);
  void take_all(Time now);
  void fill(LaneId lane);
  void empty(LaneId lane);
  void settle(LaneId lane);
  bool go_on(LaneId lane, double bytes, std::uint32_t run, Time now);
  bool nothing_changed();
  void note_ends();
  void note_first_ends();
  void note_all_ends();
  bool stands_still(const Lane& lane, Time now);
  void add_demands(Time now);
  void demands_of_component();
  const std::vector<User>& users_now(std::uint32_t link);
  void add_relayed();
  double capacity_now(std::uint32_t link, Time now);
  void collect_finished(Time now);
  void finish_first(LaneId lane, Time now);
  void send_next(LaneId lane, Time now);
  // Streams of the lane that take capacity.
  double sharing(const Lane& lane) const {
    return in_turn_ && !lane.streams.empty() ? 1 : static_cast<double>(lane.streams.size());
  }
  bool in_use(const Name& name) const { return lanes_[name.lane].number == name.number; }
  static const FlowClass& flow_class(const Lane& lane) { return lane.flows->classes()[lane.flow_class]; }
  static const std::vector<Use>& uses(const Lane& lane) { return flow_class(lane).uses; }

  Capacity capacity_;
  bool steady_;
  bool in_turn_;
  NeededLinks needed_;
  Pool<Lane> lanes_;
  std::vector<LaneId> filled_;            // lanes with streams
  std::vector<std::vector<User>> users_;  // by class of links, if needed; some are no more
  std::vector<std::uint32_t> changed_;    // classes of links; kNoLink: forgotten
  std::vector<LaneId> emptied_;           // since the last solution
  bool first_ends_known_ = true;          // while `unsearched_`
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::vector<Finished> finished_;
  bool counts_bytes_ = false;
  std::vector<double> bytes_;  // by class of links
  std::size_t active_ = 0;     // streams
  std::uint64_t lane_count_ = 0;
  std::uint64_t streams_ = 0;
  std::uint64_t solutions_ = 0;
  std::uint64_t solved_lanes_ = 0;

  // Of the last solution.
  MaxMin max_min_;
  std::vector<LaneId> component_;
  int unsearched_ = 0;  // solutions to come for all lanes, without looking for the component
  std::vector<std::uint32_t> component_links_;
  std::vector<std::uint32_t> local_;  // of every class of links: its place there, from 1; 0 if it has none
  std::vector<std::uint64_t> seen_;   // of every lane: the last solution that looked at it, from 1
  struct Known {
    std::uint64_t solution = 0;  // from 1
    double capacity = 0;
  };
  std::vector<Known> known_;  // of every class of links
  std::vector<Use> uses_;
  std::vector<Demand> demands_;
  std::vector<double> capacities_;
  std::vector<double> rates_;
  // Where only what is around the changes is solved: of every lane, its place in component_; of every link in
  // component_links_, what the other lanes take.
  std::vector<std::uint32_t> joined_at_;
  std::vector<double> taken_;

  std::vector<RelayLink> relay_links_;  // by class of links
  std::vector<Relays> relays_;
  std::vector<RelayLink> component_relay_links_;
  std::vector<Relays> component_relays_;
  std::vector<double> left_;
  double most_each_ = 0;
  RelayFill fill_;
  std::vector<RelayedFlows> relayed_;
  std::vector<std::size_t> relayed_demands_;
  std::vector<double> relayed_rates_;
};

}  // namespace overture::network::flow
