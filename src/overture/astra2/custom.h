// Collectives whose algorithm is a Chakra trace of its own: sends, receives and reductions of one rank, in
// the order that its dependencies allow. Sizes are those of the trace, not of the collective.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "overture/astra2/program.h"
#include "overture/astra2/transport.h"
#include "overture/system/cycle_clock.h"

namespace overture::astra2 {

// Reads every file once.
class CustomPrograms {
 public:
  // Throws UserError for a trace that cannot be an algorithm.
  std::shared_ptr<const Program> get(const std::string& prefix, int position);

 private:
  std::map<std::string, std::shared_ptr<const Program>> programs_;
};

class CustomRun {
 public:
  // `ranks` are those of the group, in order; null: everybody. All references outlive it. `finished` is
  // called once, from an event.
  CustomRun(std::shared_ptr<const Program> program, int npu, const std::vector<int>* ranks,
            Transport& transport, system::CycleClock& clock, std::function<void()> finished);
  void start() { issue_ready(); }
  std::size_t left() const { return left_; }

 private:
  void issue_ready();
  void issue(std::uint32_t node);
  void done(std::uint32_t node);
  int real_rank(std::uint32_t rank) const;

  std::shared_ptr<const Program> program_;
  int npu_;
  const std::vector<int>* ranks_;
  Transport& transport_;
  system::CycleClock& clock_;
  std::function<void()> finished_;
  // ASTRA-sim starts what is ready in the order in which such a set happens to hold it; links that queue
  // messages see that order.
  std::unordered_set<std::uint64_t> ready_;
  std::unordered_map<std::uint64_t, std::uint32_t> place_of_id_;
  std::vector<std::uint32_t> missing_;
  std::size_t ongoing_ = 0;
  std::size_t left_ = 0;
};

}  // namespace overture::astra2
