// Transport: one party's way to the others. Messages of one pair arrive in the order in which they were sent,
// each exactly once; those of different pairs may overtake each other. The seam behind which messages go
// through memory (in_process.h) or between machines.
#pragma once

#include "overture/rpc/message.h"

namespace overture::rpc {

class Transport {
 public:
  virtual ~Transport() = default;

  // Takes the message and returns; sets where it comes from. How much is under way is bounded by the roles,
  // which answer before they get more.
  virtual void send(Message message) = 0;

  // Waits for a message. False when the transport has been closed: nobody will send any more.
  virtual bool receive(Message& message) = 0;
};

}  // namespace overture::rpc
