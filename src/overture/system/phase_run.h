// Plays one phase of one chunk on the network, message by message, for the ranks that are simulated: rank 0
// alone, rank 0's group, or everybody. All start together; it is over when the last rank is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "overture/base/ids.h"
#include "overture/network/exchange.h"
#include "overture/network/network.h"
#include "overture/system/config.h"
#include "overture/system/endpoint.h"
#include "overture/system/logical_dimensions.h"
#include "overture/system/request.h"
#include "overture/system/schedule.h"
#include "overture/system/tree.h"

namespace overture::system {

// Who is simulated. Where every rank does the same, rank 0 tells all: what it waits for from a peer takes as
// long as the same message would take the other way round the symmetry. Where ranks differ inside a dimension
// but all groups of the dimension are alike, rank 0's group tells all.
enum class Scope : std::uint8_t { rank_0, group, all };

// Ranks that a collective names one by one, in the order of their coordinates.
struct NamedGroup {
  std::vector<Rank> ranks;
  std::unordered_map<Rank, int> coordinate;
};

struct Phase {
  CollectiveKind kind = CollectiveKind::all_reduce;
  Algorithm algorithm;
  LogicalDimension dimension;  // of a named group only its size
  int dimension_index = 0;     // whose queue it waits in
  int queue = 0;               // within the dimension
  int lane = 0;                // the same queue, counted through all dimensions
  int direction = 1;
  TreeRoot tree_root = TreeRoot::largest;
  Bytes input;
  Bytes output;
  std::shared_ptr<const NamedGroup> group{};  // null: all groups along the dimension, as the scope says
  std::shared_ptr<const PairSizes> sizes{};   // all_to_all with a size for every pair, in place of `input`
  network::MessageName name{};                // of its messages
  std::int32_t chunk = 0;                     // counted through all collectives
  int machines = 1;                           // that do the same: the first one's group stands for theirs
};

// Sees what rank 0 sends. For statistics; changes nothing.
using SendObserver = std::function<void(Rank to, Bytes size)>;

// What all phases share. Everything in it outlives them.
struct PhaseContext {
  sim::EventQueue& events;
  CycleClock& clock;
  network::Network& network;
  Scope scope;
  bool rendezvous;
  int all_ranks;
  bool uniform;                       // all ranks do the same in every phase
  std::optional<Duration> reduction;  // see SystemConfig
  Duration endpoint_delay;            // of every round
  RoundRules rounds;
  std::function<Endpoint&(Rank)> endpoint;  // of a rank that is simulated
  SendObserver sent;
  // The groups that play a phase at the same time, as the network knows them. The answer stays where it is.
  std::function<const std::vector<network::GroupId>&(const Phase&)> groups_of;
};

// The groups of a phase that are simulated, each in the order of its coordinates.
std::vector<std::vector<Rank>> groups_of_phase(const Phase& phase, Scope scope, int all_ranks);

class PhaseRun {
 public:
  static std::unique_ptr<PhaseRun> make(PhaseContext& context, const Phase& phase,
                                        std::function<void()> finished);
  virtual ~PhaseRun() = default;
  PhaseRun(const PhaseRun&) = delete;
  PhaseRun& operator=(const PhaseRun&) = delete;

  virtual void start() = 0;

  // Rank 0's messages: how many arrived, and the time from being ready for each to its arrival, summed.
  std::int64_t messages() const { return messages_; }
  Duration waited() const { return waited_; }

  // Who has not finished, for a deadlock report: "rank 3 waits for message 2 of 6".
  virtual std::string stuck() const = 0;

 protected:
  PhaseRun(PhaseContext& context, const Phase& phase, std::function<void()> finished);

  // Participants are numbered from 0; without a named group participant 0 is rank 0.
  int participants() const { return participants_; }
  Rank rank(int participant) const;
  int coordinate(int participant) const {
    return phase_.group ? participant : phase_.dimension.coordinate(rank(participant));
  }
  int participant(Rank rank) const;
  // Who stands `offset` further along the dimension (negative: back), round the end.
  Rank neighbour(int participant, int offset) const;
  CycleClock& clock() { return context_.clock; }
  PhaseContext& context() { return context_; }
  Endpoint& endpoint(int participant) { return *endpoints_[static_cast<std::size_t>(participant)]; }
  Duration reduction(Bytes size) const { return context_.reduction.value_or(reduction_time(size)); }
  // To be called first in whatever the clock or the endpoint runs for a participant.
  void acts(int participant) { context_.network.rank_acts(rank(participant)); }

  // A message is named by its receiver and a number. Sending and being ready to receive come in any order.
  void post_send(int sender, Rank to, std::int32_t number, Bytes size);
  void post_receive(int receiver, Rank from, std::int32_t number, Bytes size);
  virtual bool receive_posted(int receiver, std::int32_t number) const = 0;
  virtual bool send_posted(int receiver, std::int32_t number) const = 0;
  virtual Rank sender_of(int receiver, std::int32_t number) const = 0;
  virtual Bytes message_size(std::int32_t number) const = 0;
  // The message has arrived and the receiver was ready for it.
  virtual void arrived(int receiver, std::int32_t number) = 0;

  void participant_finished();
  void all_finished();

  const Phase phase_;

 private:
  static std::uint64_t key(int receiver, std::int32_t number) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(receiver)) << 32 |
           static_cast<std::uint32_t>(number);
  }
  void transmit(Rank from, int receiver, std::int32_t number, Bytes size);
  void delivered(int receiver, std::int32_t number);
  void cleared(int receiver, std::int32_t number);
  void accept(int receiver, std::int32_t number);
  void post_mirrored_receive(Rank from, std::int32_t number, Bytes size);
  // Rank 0 stands for all, so that what it waits for comes from peers that are not simulated.
  bool mirrored() const { return scope_ == Scope::rank_0 && !phase_.group; }
  network::Message message(Rank from, Rank to, Bytes size) const {
    return {from, to, size, phase_.name, phase_.lane, phase_.chunk, phase_.machines};
  }

  PhaseContext& context_;
  Scope scope_;
  int participants_;
  int finished_count_ = 0;
  std::vector<Endpoint*> endpoints_;
  std::function<void()> finished_;
  std::int64_t messages_ = 0;
  Duration waited_{};
  std::vector<Time> posted_at_;                    // of rank 0's receives, by number
  std::unordered_set<std::uint64_t> early_data_;   // arrived before the receiver was ready
  std::unordered_set<std::uint64_t> early_clear_;  // cleared before the sender was ready; rendezvous only
};

}  // namespace overture::system
