// What a sender does about loss: selective acknowledgement (RFC 6675), proportional rate reduction (RFC
// 6937), retransmission timeouts (RFC 6298). With SACK, limited transmit (RFC 3042) needs no code of its own:
// what was selectively acknowledged is no longer in flight and makes room for new data.
#include <algorithm>

#include "overture/network/packet/tcp.h"

namespace overture::network::packet {

void Tcp::on_troubled_ack(std::uint32_t id, Flow& flow, std::uint64_t ack, bool echo,
                          const SackBlocks* sack) {
  if (ack < flow.unacked || flow.unacked == flow.next) return;  // late: nothing new in it
  if (sack == nullptr && ack == flow.unacked && flow.losses == kNone) return;
  Scoreboard& board = scoreboard(flow);
  std::uint64_t delivered = 0;
  const bool advanced = ack > flow.unacked;
  if (advanced) {
    if (config_.control == CongestionControl::dctcp) observe_marks(flow, ack - flow.unacked, echo);
    delivered += board.acknowledge(ack);
    advance(flow, ack);
    free_acknowledged(flow);
  }
  for (int i = 0; sack != nullptr && i < sack->count; ++i) {
    const Interval& block = sack->blocks[static_cast<std::size_t>(i)];
    delivered += board.sack(block.begin, block.end);
  }
  if (!advanced && delivered > 0) ++flow.duplicates;  // RFC 6675: a duplicate tells something new
  board.detect(config_.duplicate_acks);
  react(flow, board, delivered, advanced);
  if (advanced && flow.unacked != flow.next) set_deadline(id, flow);
  if (flow.state == CongestionState::open && !board.any_sacked()) {
    release_scoreboard(flow);
    return pump(id, flow);
  }
  pump_troubled(id, flow, board);
}

void Tcp::react(Flow& flow, Scoreboard& board, std::uint64_t delivered, bool advanced) {
  if (flow.state != CongestionState::open && flow.unacked >= flow.recover) {
    if (flow.state == CongestionState::recovery) flow.cwnd = flow.ssthresh;
    flow.state = CongestionState::open;
    advanced = false;  // the window starts to grow with the next one
  }
  switch (flow.state) {
    case CongestionState::open:
      if (flow.duplicates >= config_.duplicate_acks || board.first_lost()) {
        enter_recovery(flow, board);
      } else if (advanced) {
        grow_window(flow);
      }
      break;
    case CongestionState::recovery: reduce_proportionally(flow, board, delivered); break;
    case CongestionState::loss:
      if (advanced) grow_window(flow);
      break;
  }
}

void Tcp::enter_recovery(Flow& flow, Scoreboard& board) {
  ++counts_.recoveries;
  flow.state = CongestionState::recovery;
  flow.recover = flow.next;
  flow.timed = 0;
  const auto outstanding = static_cast<std::uint32_t>(flow.next - flow.unacked);
  const auto in_flight = static_cast<std::uint32_t>(board.in_flight());
  flow.ssthresh = std::max(std::min(flow.cwnd, in_flight) / 2, 2 * segment_);  // RFC 5681, (4)
  losses_[flow.losses].reduction = {.at_start = outstanding};
  board.lose_first();
  flow.cwnd =
      static_cast<std::uint32_t>(board.in_flight()) + segment_;  // the first retransmission always leaves
}

void Tcp::reduce_proportionally(Flow& flow, const Scoreboard& board, std::uint64_t delivered) {
  Reduction& reduction = losses_[flow.losses].reduction;
  reduction.delivered += delivered;
  const std::uint64_t pipe = board.in_flight();
  std::int64_t room = 0;
  if (pipe > flow.ssthresh) {
    room = static_cast<std::int64_t>((reduction.delivered * flow.ssthresh + reduction.at_start - 1) /
                                     reduction.at_start) -
           static_cast<std::int64_t>(reduction.sent);
  } else {  // slow-start reduction bound
    const std::int64_t owed =
        static_cast<std::int64_t>(reduction.delivered) - static_cast<std::int64_t>(reduction.sent);
    const std::int64_t bound = std::max(owed, static_cast<std::int64_t>(delivered)) + segment_;
    room = std::min<std::int64_t>(flow.ssthresh - static_cast<std::int64_t>(pipe), bound);
  }
  flow.cwnd = static_cast<std::uint32_t>(pipe + static_cast<std::uint64_t>(std::max<std::int64_t>(room, 0)));
}

void Tcp::pump_troubled(std::uint32_t id, Flow& flow, Scoreboard& board) {
  const std::uint64_t limit = std::min(flow.cwnd, flow.window);
  Reduction& reduction = losses_[flow.losses].reduction;
  for (;;) {
    const Scoreboard::Segment* const lost = board.next_lost();
    const bool again = lost != nullptr;
    if (!again && flow.next == flow.boundary && !next_message(flow)) return;
    const std::uint64_t offset = again ? lost->begin : flow.next;
    const auto length =
        again ? lost->length
              : static_cast<std::uint32_t>(std::min<std::uint64_t>(segment_, flow.boundary - flow.next));
    if (board.in_flight() + length > limit) return;
    reduction.sent += length;
    transmit(id, flow, offset, length);
    if (again) {
      board.resend_next();
      ++counts_.retransmissions;
    } else {
      board.append(offset, length);
      flow.next += length;
    }
  }
}

void Tcp::on_timeout(std::uint32_t id, Flow& flow) {
  ++counts_.timeouts;
  Scoreboard& board = scoreboard(flow);
  const auto in_flight = static_cast<std::uint32_t>(board.in_flight());
  flow.ssthresh = std::max(in_flight / 2, 2 * segment_);
  flow.cwnd = segment_;
  flow.state = CongestionState::loss;
  flow.recover = flow.next;
  flow.duplicates = 0;
  flow.timed = 0;
  if (flow.backoff < 63) ++flow.backoff;
  board.lose_all();
  set_deadline(id, flow);
  pump_troubled(id, flow, board);
}

// The flow's scoreboard; a new one knows all segments that are outstanding.
Scoreboard& Tcp::scoreboard(Flow& flow) {
  if (flow.losses != kNone) return losses_[flow.losses].board;
  flow.losses = losses_.take();
  flow.troubled = true;
  Scoreboard& board = losses_[flow.losses].board;
  board.clear();
  std::uint32_t message = flow.first_message;
  for (std::uint64_t offset = flow.unacked; offset < flow.next;) {
    while (messages_[message].end <= offset) message = messages_[message].next;
    const std::uint64_t end = segment_end(messages_[message], offset);
    board.append(offset, static_cast<std::uint32_t>(end - offset));
    offset = end;
  }
  return board;
}

std::uint64_t Tcp::segment_end(const MessageState& message, std::uint64_t offset) const {
  return std::min(message.end, message.begin + ((offset - message.begin) / segment_ + 1) * segment_);
}

void Tcp::release_scoreboard(Flow& flow) {
  losses_.give_back(flow.losses);
  flow.losses = kNone;
  flow.troubled = false;
}

}  // namespace overture::network::packet
