// NDP for the low-latency class (Handley et al., SIGCOMM 2017; opera-htsim, section 1.7): a first window of
// packets at once, then a packet per PULL; trimmed packets are asked for again. It takes packets and alarms
// and answers with packets and alarms; links and time are the engine's.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "overture/base/pool.h"
#include "overture/network/rotor/config.h"
#include "overture/network/rotor/packet.h"
#include "overture/network/rotor/statistics.h"

namespace overture::network::rotor {

class LowLatency {
 public:
  // A packet for the NIC of host `packet.from`.
  using Outbox = std::vector<RotorPacket>;
  // Wants a call of timer(id) or pacer(id) at a time; a pacer's is that of its host, or of its message.
  struct Alarm {
    std::int64_t when;
    std::uint32_t id;
    bool of_pacer;
  };

  LowLatency(const RotorConfig& config, int hosts);

  // A message that starts now. Its index is used again once both ends are done with it.
  std::uint32_t start(int from, int to, std::int64_t bytes, std::int64_t now);
  void receive(const RotorPacket& packet, std::int64_t now);
  // From which host to which a message goes; nothing once it is released.
  std::optional<std::pair<int, int>> ends(std::uint32_t id) const {
    const Message& message = messages_[id];
    return message.in_use ? std::optional(std::pair{message.from, message.to}) : std::nullopt;
  }
  void timer(std::uint32_t message, std::int64_t now);
  void pacer(std::uint32_t id, std::int64_t now);

  // To be taken care of, and cleared, after each of the calls above.
  Outbox& outbox() { return outbox_; }
  std::vector<Alarm>& alarms() { return alarms_; }
  std::vector<Finished>& finished() { return finished_; }

  std::uint64_t outstanding() const { return outstanding_; }
  const RotorStatistics& counts() const { return counts_; }

 private:
  // What came back without having been sent again before goes on as a new packet.
  enum class State : std::uint8_t { unsent, in_flight, wanted, returned, acked };
  struct Message {
    int from = 0;
    int to = 0;
    std::int64_t bytes = 0;
    std::uint32_t serial = 0;
    std::uint32_t packets = 0;
    bool timer_set = false;
    bool in_use = false;
    bool ended = false;     // counted as complete
    std::int64_t news = 0;  // when the sender last heard of it
    // Of the sender.
    std::uint32_t next = 0;  // the first packet never sent
    // Answers whose PULLs have not come, and packets of the first window that were not answered: a header
    // that comes back is sent again at once only if neither tells of a PULL to come.
    int answers_ahead = 0;
    int first_window = 0;
    std::uint32_t pulled = 0;  // PULLs honoured
    std::deque<std::uint32_t> again;
    std::vector<State> state;
    // Of the receiver.
    std::uint32_t received = 0;
    std::uint32_t pulls = 0;    // asked for so far
    std::uint32_t pending = 0;  // of them, waiting for the pacer
    std::vector<bool> has;
  };
  struct Pacer {
    std::deque<std::uint32_t> messages;  // each once, in turn
    std::int64_t next = 0;
    bool set = false;
  };

  std::uint16_t packet_size(const Message& message, std::uint32_t number) const;
  void send(std::uint32_t id, std::uint32_t number, bool again);
  bool send_next(std::uint32_t id);
  void answer(PacketKind kind, std::uint32_t id, std::uint32_t number, std::uint32_t pulls = 0);
  std::uint32_t pacer_of(std::uint32_t id) const;
  void answer_and_pull(PacketKind kind, std::uint32_t id, std::uint32_t number, std::int64_t now);
  void pulled(std::uint32_t id, std::uint32_t pulls);
  void came_back(std::uint32_t id, const RotorPacket& packet);
  void receive_data(const RotorPacket& packet, std::int64_t now);
  bool want(std::uint32_t id, std::uint32_t number);
  void end(std::uint32_t id, std::int64_t now);
  void release(std::uint32_t id);
  void set_timer(std::uint32_t id, std::int64_t when);

  RotorConfig config_;
  std::int64_t payload_;
  std::int64_t pull_gap_;
  Pool<Message> messages_;
  std::vector<Pacer> pacers_;
  std::uint32_t serial_ = 0;
  std::uint64_t outstanding_ = 0;
  Outbox outbox_;
  std::vector<Alarm> alarms_;
  std::vector<Finished> finished_;
  RotorStatistics counts_;
};

}  // namespace overture::network::rotor
