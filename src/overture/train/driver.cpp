#include "overture/train/driver.h"

#include <chrono>
#include <utility>

#include "overture/rpc/wire.h"

namespace overture::train {
namespace {

using Clock = std::chrono::steady_clock;

// Measured by the clock that never jumps, told by the one that all processes of a machine share.
std::int64_t wall_nanoseconds() {
  static const auto offset =
      std::chrono::system_clock::now().time_since_epoch() -
      std::chrono::duration_cast<std::chrono::system_clock::duration>(Clock::now().time_since_epoch());
  return std::chrono::nanoseconds(offset + Clock::now().time_since_epoch()).count();
}

void send_all(Outbox& out, rpc::Transport& transport) {
  for (rpc::Message& message : out) transport.send(std::move(message));
  out.clear();
}

void work(Party& party, rpc::Transport& transport, Outbox& out) {
  for (bool more = true; more;) {
    const std::int64_t started = wall_nanoseconds();
    more = party.advance(out);
    if (more) party.worked({started, wall_nanoseconds()});
    send_all(out, transport);
  }
}

void take(Party& party, rpc::Message message, const Parties& parties, Outbox& out) {
  const rpc::Address from = message.from;
  try {
    party.take(std::move(message), out);
  } catch (const rpc::BadMessage& error) {
    throw BadPeer(parties.name(from) + " does not follow the protocol: " + error.what());
  }
}

void drive_on(Party& party, rpc::Transport& transport, const Parties& parties) {
  Outbox out;
  work(party, transport, out);
  while (!party.done()) {
    const std::int64_t started = wall_nanoseconds();
    rpc::Received received = transport.receive();
    if (const auto* gone = std::get_if<rpc::Gone>(&received))
      throw PartyGone(parties.name(gone->who) + " is gone: " + gone->why);
    party.waited({started, wall_nanoseconds()});
    take(party, std::get<rpc::Message>(std::move(received)), parties, out);
    work(party, transport, out);
  }
}

}  // namespace

void drive(Party& party, rpc::Transport& transport, const Parties& parties) {
  try {
    drive_on(party, transport, parties);
  } catch (const PartyGone&) {
    throw;  // everybody hears of it
  } catch (const rpc::BadMessage& error) {
    const std::string why = std::string("a peer does not follow the protocol: ") + error.what();
    transport.fail(why);
    throw BadPeer(why);
  } catch (const std::exception& error) {
    transport.fail(error.what());
    throw;
  }
}

}  // namespace overture::train
