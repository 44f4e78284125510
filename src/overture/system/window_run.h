// The player of ring, direct and halving-doubling schedules. A packet is prepared (it passes the endpoint),
// then gives a credit; a credit sends the next message; every arrival prepares one packet more.
#pragma once

#include "overture/system/phase_run.h"

namespace overture::system {

class WindowRun final : public PhaseRun {
 public:
  WindowRun(PhaseContext& context, const Phase& phase, std::function<void()> finished);

  void start() override;
  std::string stuck() const override;

 private:
  struct Member {
    std::int32_t prepared = 0;
    std::int32_t sent = 0;
    std::int32_t received = 0;
    std::int32_t credits = 0;
  };

  void prepare(int p);
  void passed(int p, std::int32_t packet);
  void ready(int p);
  void try_send(int p);
  bool may_send(const Member& me) const { return me.sent < schedule_.messages() && me.credits > 0; }
  Member& member(int p) { return members_[static_cast<std::size_t>(p)]; }
  const Member& member(int p) const { return members_[static_cast<std::size_t>(p)]; }

  bool receive_posted(int receiver, std::int32_t number) const override {
    return number < member(receiver).sent;
  }
  bool send_posted(int receiver, std::int32_t number) const override;
  Rank sender_of(int receiver, std::int32_t number) const override;
  Bytes message_size(std::int32_t number) const override { return schedule_.size(number); }
  void arrived(int receiver, std::int32_t number) override;

  Schedule schedule_;
  std::vector<Member> members_;
};

}  // namespace overture::system
