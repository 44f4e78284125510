// What a sender does about loss: selective acknowledgement (RFC 6675), proportional rate reduction (RFC
// 6937), retransmission timeouts (RFC 6298), in the order and with the arithmetic of ns-3.37. With SACK,
// limited transmit (RFC 3042) needs no code of its own: what was selectively acknowledged is no longer in
// flight and makes room for new data.
#include <algorithm>
#include <cmath>

#include "overture/network/packet/tcp.h"

namespace overture::network::packet {

void Tcp::on_troubled_ack(std::uint32_t id, Flow& flow, std::uint64_t ack, bool echo,
                          const SackBlocks* sack) {
  if (ack < flow.unacked || flow.unacked == flow.next) return;  // late: nothing new in it
  if (sack == nullptr && flow.losses == kNone) return;          // a packet came twice
  Scoreboard& board = scoreboard(flow);
  AckNews news{.ack = ack, .before = flow.unacked};
  for (int i = 0; sack != nullptr && i < sack->count; ++i) {
    const Interval& block = sack->blocks[static_cast<std::size_t>(i)];
    news.delivered += static_cast<std::uint32_t>(board.sack(block.begin, block.end));
  }
  news.duplicate = news.delivered > 0;  // RFC 6675, 2
  if (news.duplicate) board.detect(config_.duplicate_acks);
  const std::uint64_t acknowledged = ack - flow.unacked;
  if (flow.state == CongestionState::recovery && ack < flow.recover) {
    news.retransmission_arrived = board.resent_until(ack, segment_, acknowledged / segment_);
  }
  if (acknowledged > 0 && control_.on_ack)
    control_.on_ack(config_.controls, flow, segment_, acknowledged, echo);
  news.delivered += static_cast<std::uint32_t>(board.acknowledge(ack));
  advance(flow, ack);
  free_acknowledged(flow);
  losses_[flow.losses].pipe = board.in_flight();
  if (news.duplicate) on_duplicate(id, flow, news);
  if (acknowledged > 0) on_progress(id, flow, news);
  if (flow.state != CongestionState::open || !board.clean()) return pump_troubled(id, flow);
  release_scoreboard(flow);
  pump(id, flow);
}

// An ACK that tells of something beyond a gap (RFC 6675, 5).
void Tcp::on_duplicate(std::uint32_t id, Flow& flow, const AckNews& news) {
  if (flow.state == CongestionState::loss) return;
  if (flow.state == CongestionState::recovery) return reduce_proportionally(flow, news);
  if (flow.duplicates < 255) ++flow.duplicates;
  flow.state = CongestionState::disorder;
  const bool enough =
      flow.duplicates == config_.duplicate_acks && (news.ack >= flow.recover || !flow.recovering);
  if (enough || losses_[flow.losses].board.is_lost(news.ack + segment_)) enter_recovery(id, flow, news);
}

// An ACK of something new.
void Tcp::on_progress(std::uint32_t id, Flow& flow, const AckNews& news) {
  const std::uint64_t segments = segments_of(flow, news.ack - news.before);
  if (!news.duplicate) flow.duplicates = 0;
  const bool covers = news.ack >= flow.recover;
  if (!covers && flow.state == CongestionState::recovery) return on_partial_ack(id, flow, news, segments);
  if (!covers && flow.state == CongestionState::loss) {
    grow_window(flow, segments);
    return restart_timer(id, flow);
  }
  leave_trouble(id, flow, news, segments);
}

// What is next is lost, too, unless it was sent again already. Only the first of these ACKs restarts the
// timer (RFC 6582, 3.2, the "impatient" variant).
void Tcp::on_partial_ack(std::uint32_t id, Flow& flow, const AckNews& news, std::uint64_t segments) {
  if (segments > 0) reduce_proportionally(flow, news);
  if (!losses_[flow.losses].board.resent_until(news.ack + segment_)) retransmit(id, flow);
  if (flow.first_partial) restart_timer(id, flow);
  flow.first_partial = false;
}

void Tcp::leave_trouble(std::uint32_t id, Flow& flow, const AckNews& news, std::uint64_t segments) {
  switch (flow.state) {
    case CongestionState::open: break;
    case CongestionState::disorder:
      if (news.duplicate) return;
      break;
    case CongestionState::recovery:
      flow.cwnd = flow.ssthresh;
      flow.duplicates = 0;
      flow.first_partial = true;
      segments = (news.ack - news.before) / segment_;
      break;
    case CongestionState::loss:
      flow.first_partial = true;
      segments = (news.ack - flow.recover) / segment_;
      break;
  }
  if (news.ack >= flow.recover) flow.recovering = false;
  flow.state = CongestionState::open;
  grow_window(flow, segments);
  restart_timer(id, flow);
}

void Tcp::enter_recovery(std::uint32_t id, Flow& flow, const AckNews& news) {
  ++counts_.recoveries;
  Losses& losses = losses_[flow.losses];
  if (!losses.board.is_lost(flow.unacked)) losses.board.lose_first();
  flow.state = CongestionState::recovery;
  flow.recover = flow.next;
  flow.recovering = true;
  losses.pipe = losses.board.in_flight();
  flow.ssthresh = std::max(losses.pipe / 2, 2 * segment_);  // RFC 5681, (4)
  losses.reduction = {.at_start = static_cast<std::uint32_t>(flow.next - flow.unacked)};
  reduce_proportionally(flow, news);
  retransmit(id, flow);
}

// RFC 6937, with the slow-start reduction bound while retransmissions arrive, else the conservative one.
void Tcp::reduce_proportionally(Flow& flow, const AckNews& news) {
  const Losses& losses = losses_[flow.losses];
  Reduction& reduction = losses_[flow.losses].reduction;
  reduction.delivered += news.delivered;
  std::int32_t room = 0;
  if (losses.pipe > flow.ssthresh) {
    const double share = 1.0 * (reduction.delivered * flow.ssthresh) / reduction.at_start;
    room = static_cast<std::int32_t>(std::ceil(share) - reduction.sent);
  } else {
    std::uint32_t bound = news.delivered;
    if (news.retransmission_arrived)
      bound = std::max(reduction.delivered - reduction.sent, news.delivered) + segment_;
    room = std::min(static_cast<std::int32_t>(bound), static_cast<std::int32_t>(flow.ssthresh - losses.pipe));
  }
  // The first retransmission always leaves.
  room = std::max(room, reduction.sent > 0 ? 0 : static_cast<std::int32_t>(segment_));
  flow.cwnd = losses.pipe + static_cast<std::uint32_t>(room);
}

// Sends one segment, whatever the window.
void Tcp::retransmit(std::uint32_t id, Flow& flow) {
  Scoreboard& board = losses_[flow.losses].board;
  if (Scoreboard::Segment* const lost = board.next_lost()) return resend(id, flow, *lost, segment_);
  if (!send_new(id, flow)) resend(id, flow, board.first(), segment_);
}

void Tcp::pump_troubled(std::uint32_t id, Flow& flow) {
  Losses& losses = losses_[flow.losses];
  for (;;) {
    losses.pipe = losses.board.in_flight();
    const std::uint32_t window = std::min(flow.cwnd, flow.window);
    if (losses.pipe >= window || !send_next(id, flow, window - losses.pipe)) return;
  }
}

// NextSeg of RFC 6675: what is lost; else something new; else, in recovery, what may be lost. Nothing is sent
// if it does not fit.
bool Tcp::send_next(std::uint32_t id, Flow& flow, std::uint32_t available) {
  Scoreboard& board = losses_[flow.losses].board;
  const auto fits = [&](std::uint64_t offset) {
    return available >= segment_ || flow.written - offset <= available;
  };
  if (Scoreboard::Segment* const lost = board.next_lost()) {
    if (!fits(lost->begin)) return false;
    resend(id, flow, *lost, std::min(available, segment_));
    return true;
  }
  if (flow.next != flow.written) return fits(flow.next) && send_new(id, flow);
  if (flow.state != CongestionState::recovery) return false;
  Scoreboard::Segment* const unresent = board.next_unresent();
  if (unresent == nullptr || !fits(unresent->begin)) return false;
  resend(id, flow, *unresent, std::min(available, segment_));
  return true;
}

void Tcp::resend(std::uint32_t id, Flow& flow, Scoreboard::Segment& segment, std::uint32_t most) {
  Losses& losses = losses_[flow.losses];
  losses.pipe = losses.board.in_flight();
  losses.board.resend(segment, most);
  if (flow.state == CongestionState::recovery) losses.reduction.sent += segment.length;
  ++counts_.retransmissions;
  transmit(id, flow, segment.begin, segment.length);
}

// As much as the receiver has room for. False if there is nothing new, or no room.
bool Tcp::send_new(std::uint32_t id, Flow& flow) {
  Losses& losses = losses_[flow.losses];
  if (losses.board.outstanding() >= flow.window) return false;
  const std::uint32_t room = std::min(segment_, flow.window - losses.board.outstanding());
  const auto length = static_cast<std::uint32_t>(std::min<std::uint64_t>(room, flow.written - flow.next));
  if (length == 0) return false;
  losses.pipe = losses.board.in_flight();
  if (length < segment_ && flow.next + length < flow.written) {
    losses.board.append_cut(flow.next, length);
  } else {
    losses.board.append(flow.next, length);
  }
  if (flow.state == CongestionState::recovery) losses.reduction.sent += length;
  transmit(id, flow, flow.next, length);
  flow.next += length;
  if (flow.next == flow.written) messages_[flow.last_message].ends_packet = true;
  return true;
}

void Tcp::on_timeout(std::uint32_t id, Flow& flow) {
  ++counts_.timeouts;
  Scoreboard& board = scoreboard(flow);
  flow.ssthresh = std::max(board.in_flight() / 2, 2 * segment_);
  flow.cwnd = segment_;
  flow.state = CongestionState::loss;
  flow.recover = flow.next;
  flow.recovering = true;
  flow.duplicates = 0;
  flow.times.clear();
  flow.deadline = kNoTimer;
  if (flow.backoff < 63) ++flow.backoff;
  board.lose_all();
  pump_troubled(id, flow);
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
    while (messages_[message].end <= offset ||
           (!messages_[message].ends_packet && messages_[message].next != kNone))
      message = messages_[message].next;
    const std::uint64_t end = std::min({offset + segment_, flow.next, messages_[message].end});
    board.append(offset, static_cast<std::uint32_t>(end - offset));
    offset = end;
  }
  return board;
}

void Tcp::release_scoreboard(Flow& flow) {
  losses_.give_back(flow.losses);
  flow.losses = kNone;
  flow.troubled = false;
}

}  // namespace overture::network::packet
