// Party: oracle, embedding server or trainer, as the driver sees them. A party takes messages and makes
// messages; it owns no thread, knows no clock and no transport.
#pragma once

#include "overture/train/messages.h"

namespace overture::train {

class Party {
 public:
  virtual ~Party() = default;

  // Throws rpc::BadMessage when a peer has sent what it must not, here or when the message is used.
  virtual void take(rpc::Message message, Outbox& out) = 0;
  // Does the next piece of work if everything for it is there; false when it must wait for a message.
  virtual bool advance(Outbox& out) = 0;
  // It neither sends nor expects any more.
  virtual bool done() const = 0;

  // How long the last wait for a message was, and how long the last piece of work, in seconds; told by
  // drivers that know the time, before what they measured has changed the party.
  virtual void waited(double /*seconds*/) {}
  virtual void worked(double /*seconds*/) {}
};

}  // namespace overture::train
