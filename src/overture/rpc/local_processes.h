// LocalProcesses: which of the other parties' processes on this machine have ended. MPI itself does not tell.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace overture::rpc {

// Of a process, as its peers know it.
struct ProcessPlace {
  std::int64_t machine = 0;
  std::int64_t process = 0;

  static ProcessPlace here();
};

class LocalProcesses {
 public:
  // By rank. Those that cannot be seen from here, on other machines or in other containers, are left out.
  explicit LocalProcesses(const std::vector<ProcessPlace>& places);

  // The first that has ended though it has not left.
  std::optional<int> ended() const;
  void left(int rank) { watched_[static_cast<std::size_t>(rank)] = 0; }

 private:
  std::vector<std::int64_t> watched_;  // process ids; 0: not watched
};

}  // namespace overture::rpc
