// The player of collectives that are told step by step. A rank sends a chunk as soon as it has received all
// that earlier steps send it of that chunk, and what it sent of that chunk in its step before has arrived:
// the root of a tree feeds one child after the other, not all of them with a share of its link. A barrier's
// messages take no link, and do not wait for each other.
#pragma once

#include <map>

#include "overture/system/phase_run.h"
#include "overture/system/steps.h"

namespace overture::system {

class StepRun final : public PhaseRun {
 public:
  StepRun(PhaseContext& context, const Phase& phase, std::function<void()> finished);

  void start() override;
  std::string stuck() const override;

 private:
  // Of one coordinate: what it sends, and how much it receives.
  struct Role {
    std::vector<std::int32_t> sends;  // transfers
    std::vector<std::int32_t> needs;  // of each: messages that it waits for
    std::vector<std::int32_t> receives;
  };
  struct Member {
    std::vector<std::int32_t> missing;  // of each send
    std::vector<bool> sent;
    std::size_t left = 0;  // arrivals and sends to come
  };

  using BySource = std::map<std::pair<int, int>, std::vector<std::int32_t>>;  // transfers by rank and chunk

  void plan();
  std::int32_t wait_for_arrivals(const Transfer& of, std::int32_t place, const BySource& arrivals);
  std::int32_t wait_for_own(const Transfer& of, std::int32_t place, const BySource& sends);
  void prepare(int p, std::size_t send);
  void post(int p, std::size_t send);
  void taken(int p, std::int32_t transfer);
  void release(int p, const std::vector<std::int32_t>& sends);
  void one_less(int p);
  Bytes size(std::int32_t transfer) const;
  const Transfer& transfer(std::int32_t number) const {
    return steps_->transfers[static_cast<std::size_t>(number)];
  }
  const Role& role(int p) const { return roles_[static_cast<std::size_t>(coordinate(p))]; }
  Member& member(int p) { return members_[static_cast<std::size_t>(p)]; }
  const Member& member(int p) const { return members_[static_cast<std::size_t>(p)]; }

  bool receive_posted(int, std::int32_t) const override { return true; }
  bool send_posted(int receiver, std::int32_t number) const override;
  Rank sender_of(int receiver, std::int32_t number) const override;
  Bytes message_size(std::int32_t number) const override { return size(number); }
  void arrived(int receiver, std::int32_t number) override;

  std::shared_ptr<const Steps> steps_;
  std::vector<Role> roles_;
  std::vector<std::vector<std::int32_t>> dependents_;  // of each transfer: sends of its receiver, by place
  std::vector<std::vector<std::int32_t>> followers_;   // of each transfer: sends of its sender, by place
  std::vector<std::int32_t> place_;                    // of each transfer among its sender's sends
  std::vector<Member> members_;
};

}  // namespace overture::system
