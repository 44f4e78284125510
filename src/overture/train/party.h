// Party: oracle, embedding server or trainer, as the driver sees them. A party takes messages and makes
// messages; it owns no thread, knows no clock and no transport.
#pragma once

#include "overture/base/work.h"
#include "overture/train/messages.h"

namespace overture::train {

// A stretch of time, in nanoseconds of the wall clock.
struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  double seconds() const { return 1e-9 * static_cast<double>(end - begin); }
};

class Party {
 public:
  virtual ~Party() = default;

  // Throws rpc::BadMessage when a peer has sent what it must not, here or when the message is used.
  virtual void take(rpc::Message message, Outbox& out) = 0;
  // Does the next piece of work if everything for it is there; false when it must wait for a message.
  virtual bool advance(Outbox& out) = 0;
  // It neither sends nor expects any more.
  virtual bool done() const = 0;

  // When the last wait for a message was, and the last piece of work; told by drivers that know the time: of
  // a wait before the message has changed the party.
  virtual void waited(const Interval& /*when*/) {}
  virtual void worked(const Interval& /*when*/) {}
  // From now on it marks the pieces of its work; `marks` outlives it, or its last call.
  virtual void watch(Marks& /*marks*/) {}
  // All its work is done by the thread that drives it: then that thread's clock tells what it computed.
  virtual bool computes_here() const { return true; }
};

}  // namespace overture::train
