#include "overture/astra2/transport.h"

namespace overture::astra2 {
namespace {

// The receiver's handshake: its size, and how its tag differs from that of the message.
constexpr std::uint64_t kHandshake = 8192;
constexpr std::int32_t kHandshakeTag = 1'000'000'000;

Letter handshake_of(const Letter& letter) {
  return {.size = kHandshake, .tag = letter.tag + kHandshakeTag, .from = letter.to, .to = letter.from};
}

}  // namespace

void Transport::transmit(const Letter& letter, Action sent) {
  ++messages_;
  network_.send({.from = Rank{letter.from},
                 .to = Rank{letter.to},
                 .size = Bytes{static_cast<std::int64_t>(letter.size)}},
                [this, flight = flights_.keep({letter, sent})] { arrived(flight); });
}

void Transport::arrived(std::uint32_t id) {
  Flight flight = flights_.release(id);
  if (flight.then) flight.then();
  postbox_.arrive(flight.letter);
}

void Transport::send(const Letter& letter, Action sent) {
  if (!rendezvous_) return transmit(letter, sent);
  postbox_.expect(handshake_of(letter), [this, kept = flights_.keep({letter, sent})] {
    const Flight waiting = flights_.release(kept);
    transmit(waiting.letter, waiting.then);
  });
}

void Transport::receive(const Letter& letter, Action received) {
  if (!rendezvous_) return postbox_.expect(letter, received);
  transmit(handshake_of(letter), [this, kept = flights_.keep({letter, received})] {
    const Flight waiting = flights_.release(kept);
    postbox_.expect(waiting.letter, waiting.then);
  });
}

void Transport::send_mirrored(const Letter& letter, int peer, int wire) {
  ++messages_;
  const Letter arrives{.size = letter.size, .tag = letter.tag, .from = peer, .to = letter.from};
  network_.send(
      {.from = Rank{letter.from}, .to = Rank{wire}, .size = Bytes{static_cast<std::int64_t>(letter.size)}},
      [this, flight = flights_.keep({arrives, {}})] { arrived(flight); });
}

}  // namespace overture::astra2
