// Memory beyond the NPU: one for each NPU, one for each node of several, or one pool. A shared one serves one
// transaction at a time, in the order in which they came.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "overture/astra2/config.h"
#include "overture/system/cycle_clock.h"

namespace overture::astra2 {

class RemoteMemory {
 public:
  using Done = std::function<void(int npu, std::uint32_t node)>;

  // `clock` gives an NPU's; it and `config` outlive the memory.
  RemoteMemory(const MemoryFile& config, int npus, std::function<system::CycleClock&(int npu)> clock,
               Done done);

  void access(int npu, std::uint32_t node, std::uint64_t size);

 private:
  struct Access {
    int npu;
    std::uint32_t node;
    std::uint64_t size;
  };
  struct Server {
    bool busy = false;
    std::deque<Access> waiting;
  };

  std::size_t server_of(int npu) const;
  void serve(std::size_t server, const Access& access);
  void next(std::size_t server);
  Duration time(std::uint64_t size) const;

  const MemoryFile& config_;
  std::function<system::CycleClock&(int npu)> clock_;
  Done done_;
  std::vector<Server> servers_;
};

}  // namespace overture::astra2
