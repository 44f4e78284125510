// Mesh: parties that are processes started by hand, on one machine or several, over ZeroMQ. They meet at the
// first party, in any order; then every pair has a connection of its own in each direction. A party that dies
// or cannot be reached any more is noticed by its connections, which look after each other all the time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "overture/rpc/transport.h"

namespace overture::rpc {

struct MeshConfig {
  Address self{};
  int count = 0;                        // of all parties
  std::string master_ip = "127.0.0.1";  // where party 0 is
  int master_port = 18000;
  std::chrono::seconds timeout{60};           // for those who do not come
  std::string terms;                          // must be the same for all, such as how many are trainers
  std::function<std::string(Address)> names;  // of parties, for messages
};

class Mesh final : public Transport {
 public:
  // Waits for all others. Throws UserError: for somebody who does not come, two with one number, another
  // world, another version of what is spoken. All who have come get to know.
  explicit Mesh(const MeshConfig& config);
  ~Mesh() override;

  void send(Message message) override;
  Received receive() override;
  void fail(const std::string& why) override;

 private:
  class Sockets;
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace overture::rpc
