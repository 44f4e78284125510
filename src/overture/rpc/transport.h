// Transport: one party's way to the others. Messages of one pair arrive in the order in which they were sent,
// each exactly once; those of different pairs may overtake each other. The seam behind which messages go
// through memory (in_process.h) or between processes and machines. A transport can fail: then everybody
// learns who is gone, and why.
#pragma once

#include <string>
#include <variant>

#include "overture/rpc/message.h"

namespace overture::rpc {

// A party that will send nothing any more, and why.
struct Gone {
  Address who{};
  std::string why;
};

using Received = std::variant<Message, Gone>;

// For one thread at a time.
class Transport {
 public:
  virtual ~Transport() = default;

  // Takes the message and returns; sets where it comes from. How much is under way is bounded by the roles,
  // which answer before they get more. What is sent to a party that is gone is lost.
  virtual void send(Message message) = 0;

  // Waits for a message, or says who is gone. After that the run is over: it says the same again.
  virtual Received receive() = 0;

  // Lets all others know that this party is gone, and why. The first who fails is the one that everybody
  // hears of.
  virtual void fail(const std::string& why) = 0;
};

}  // namespace overture::rpc
