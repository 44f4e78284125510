// Keeps an eye on messages that no path is left for: once routes change no more, a run need not wait for
// them, and says which they are. For every backend whose parts may fail.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace overture::network {

// What is left of a network after the last of its faults.
class LastPaths {
 public:
  virtual ~LastPaths() = default;
  // From when on nothing changes any more, ps.
  virtual std::int64_t settled() const = 0;
  // After that: can nothing get from one host to the other?
  virtual bool cut_off(int from, int to) = 0;
  // Why not.
  virtual std::string reason(int from, int to) = 0;
};

class Undeliverable {
 public:
  // `paths` may be null: then all is delivered in the end. Else it outlives this.
  explicit Undeliverable(LastPaths* paths) : paths_(paths) {}

  // Message numbers may be used again once the message is delivered.
  void posted(std::uint32_t message, int from, int to);
  void delivered(std::uint32_t message);
  // Of the messages under way at `now`, those that can never arrive.
  std::size_t count(std::int64_t now);
  // Each of them: who sends to whom, and why it does not arrive.
  std::vector<std::string> tell(std::int64_t now);

 private:
  struct Pair {
    int from = -1;
    int to = -1;
    bool lost = false;
  };

  void look(Pair& pair);

  LastPaths* paths_;
  std::vector<Pair> pairs_;  // by message; from -1: delivered
  bool settled_ = false;
  std::size_t lost_ = 0;
};

}  // namespace overture::network
