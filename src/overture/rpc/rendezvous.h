// How the parties of a mesh find each other: everybody tells party 0 where it can be reached, and gets the
// places of all once all have come.
#pragma once

#include <string>
#include <vector>

#include "overture/rpc/mesh.h"
#include "overture/rpc/zmq_socket.h"

namespace overture::rpc {

// Party 0's side. Stays open, to tell latecomers that they are too many.
class Host {
 public:
  Host(void* context, const MeshConfig& config);

  // The endpoints of all, by party; `own_port` is where party 0 takes messages. Throws UserError.
  std::vector<std::string> gather(int own_port);
  void* socket() { return socket_.get(); }
  // Sends away those who come when all are there.
  void refuse_latecomers();

 private:
  struct Guest {
    std::string identity;
    std::string endpoint;
  };

  // Takes a guest; an empty text, or why not.
  std::string welcome(const std::vector<Buffer>& frames, const std::string& address);
  [[noreturn]] void refuse_all(const std::string& why);
  void answer(const std::string& identity, const std::string& verdict, const std::string& text);
  std::string missing() const;

  const MeshConfig config_;
  ZmqSocket socket_;
  std::vector<Guest> guests_;        // by party; those who have not come have no endpoint
  std::vector<std::string> others_;  // identities of those who were refused
  int came_ = 0;
};

// The others' side. Throws UserError, or std::runtime_error when party 0 was there and is gone.
std::vector<std::string> visit(void* context, const MeshConfig& config, int own_port);

}  // namespace overture::rpc
