#include "overture/system/window_run.h"

#include <fmt/format.h>

namespace overture::system {

WindowRun::WindowRun(PhaseContext& context, const Phase& phase, std::function<void()> finished)
    : PhaseRun(context, phase, std::move(finished)),
      schedule_(phase.kind, phase.algorithm, phase.dimension.size, phase.input, phase.direction),
      members_(static_cast<std::size_t>(participants())) {}

void WindowRun::start() {
  for (int p = 0; p < participants(); ++p) {
    for (int i = 0; i < schedule_.window(); ++i) prepare(p);
  }
}

void WindowRun::prepare(int p) {
  const std::int32_t packet = member(p).prepared++;
  endpoint(p).pass(schedule_.size(packet), schedule_.preparation(packet),
                   [this, p, packet] { passed(p, packet); });
}

void WindowRun::passed(int p, std::int32_t packet) {
  acts(p);
  if (schedule_.preparation(packet).reduce) {
    const Duration time = reduction(schedule_.size(packet));
    if (time > Duration{}) {
      clock().after(time, [this, p] {
        acts(p);
        ready(p);
      });
      return;
    }
  }
  ready(p);
}

void WindowRun::ready(int p) {
  Member& me = member(p);
  ++me.credits;
  const std::int64_t left = schedule_.messages() - me.sent;
  if (schedule_.middle() > 0 && left <= schedule_.middle()) {
    // The second half starts when all of the first has arrived; until then credits pile up.
    if (me.received < schedule_.middle()) return;
    // Only the first time are there credits for more than one message.
    for (int i = 0; i < schedule_.window() && may_send(me); ++i) try_send(p);
  } else {
    try_send(p);
  }
  if (me.sent == schedule_.messages() && me.credits == schedule_.window()) participant_finished();
}

void WindowRun::try_send(int p) {
  Member& me = member(p);
  if (!may_send(me)) return;
  const std::int32_t number = me.sent++;
  --me.credits;
  const Exchange exchange = schedule_.exchange(number, coordinate(p));
  const auto theirs = static_cast<std::int32_t>(schedule_.number_at_receiver(number, coordinate(p)));
  post_send(p, neighbour(p, exchange.to), theirs, exchange.size);
  post_receive(p, neighbour(p, exchange.from), number, exchange.size);
}

void WindowRun::arrived(int receiver, std::int32_t) {
  ++member(receiver).received;
  prepare(receiver);
}

Rank WindowRun::sender_of(int receiver, std::int32_t number) const {
  return neighbour(receiver, schedule_.exchange(number, coordinate(receiver)).from);
}

bool WindowRun::send_posted(int receiver, std::int32_t number) const {
  // Two peers count each other alike: what a message is to its receiver, its answer is to the sender.
  const std::int64_t theirs = schedule_.number_at_receiver(number, coordinate(receiver));
  return theirs < member(participant(sender_of(receiver, number))).sent;
}

// The rank that is furthest behind: the others wait for it, or for those that do.
std::string WindowRun::stuck() const {
  int last = 0;
  for (int p = 1; p < participants(); ++p) {
    if (member(p).received < member(last).received) last = p;
  }
  const std::int32_t received = member(last).received;
  if (received == schedule_.messages()) return "every rank has received everything";
  std::string text = fmt::format("rank {} has received {} of {} messages", index(rank(last)), received,
                                 schedule_.messages());
  // With several under way at once, any of them may be the one that is missing.
  if (schedule_.window() == 1)
    text += fmt::format(" and waits for rank {}", index(sender_of(last, received)));
  return text;
}

}  // namespace overture::system
