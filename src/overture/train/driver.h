// Runs one party over one transport, in the calling thread, until it is done.
#pragma once

#include <stdexcept>

#include "overture/rpc/transport.h"
#include "overture/train/party.h"
#include "overture/train/recorder.h"

namespace overture::train {

// Another party is gone; says which and why.
class PartyGone : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// Another party has sent what it must not.
class BadPeer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Whatever the party throws, the others learn of it before it is thrown on. Throws PartyGone and BadPeer.
// `recorder`, which may be null, notes everything; its file is there when the party is done.
void drive(Party& party, rpc::Transport& transport, const Parties& parties, Recorder* recorder = nullptr);
// Of the party at `self`, recorded if the config says so.
void drive(Party& party, rpc::Transport& transport, const TrainConfig& config, rpc::Address self,
           std::int64_t first_step);

}  // namespace overture::train
