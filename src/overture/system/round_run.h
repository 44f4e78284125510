// The player of rounds: parameter servers and rings in lock-step. Every round is one exchange of the network,
// which may know a cheaper way to carry a pattern than message by message.
#pragma once

#include "overture/system/phase_run.h"
#include "overture/system/rounds.h"

namespace overture::system {

class RoundRun final : public PhaseRun {
 public:
  RoundRun(PhaseContext& context, const Phase& phase, std::function<void()> finished);

  void start() override;
  std::string stuck() const override;

 private:
  void next_round();
  void exchange();
  void exchanged();

  bool receive_posted(int, std::int32_t) const override { return true; }
  bool send_posted(int, std::int32_t) const override { return true; }
  Rank sender_of(int receiver, std::int32_t) const override { return rank(receiver); }
  Bytes message_size(std::int32_t) const override { return rounds_.each; }
  void arrived(int, std::int32_t) override {}

  Rounds rounds_;
  const std::vector<network::GroupId>& groups_;  // that exchange at the same time
  int round_ = 0;
  std::size_t missing_ = 0;  // groups that are not through with this round
};

}  // namespace overture::system
