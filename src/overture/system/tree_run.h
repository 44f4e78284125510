// The player of the double binary tree: data up one of the two trees, reduced on the way, and down again.
#pragma once

#include "overture/system/phase_run.h"

namespace overture::system {

class TreeRun final : public PhaseRun {
 public:
  TreeRun(PhaseContext& context, const Phase& phase, std::function<void()> finished);

  void start() override;
  std::string stuck() const override;

 private:
  // A message is numbered by where it comes from, seen from its receiver.
  enum Source : std::int32_t { left_child, right_child, parent };
  // What passes a rank's endpoint: a leaf's own data, a child's, the parent's.
  enum class Data : std::uint8_t { own, of_child, of_parent };

  struct Member {
    TreeNode node;
    std::int8_t children_arrived = 0;
    std::int8_t children_reduced = 0;
    std::uint8_t receives_posted = 0;  // a bit per Source
    std::uint8_t sends_posted = 0;     // what its relatives have sent to it, a bit per Source
    bool finished = false;

    int children() const { return (node.left >= 0 ? 1 : 0) + (node.right >= 0 ? 1 : 0); }
  };

  void expect(int p, Source source);
  void send(int p, int to_coordinate, Source as);
  void send_up(int p);
  void send_down_and_finish(int p);
  void pass(int p, Data data, const Preparation& preparation);
  void passed(int p, Data data, bool reduce);
  void handle(int p, Data data);
  void finish(int p);
  Rank relative(int p, int coordinate) const { return neighbour(p, coordinate - this->coordinate(p)); }
  Member& member(int p) { return members_[static_cast<std::size_t>(p)]; }
  const Member& member(int p) const { return members_[static_cast<std::size_t>(p)]; }

  bool receive_posted(int receiver, std::int32_t number) const override;
  bool send_posted(int receiver, std::int32_t number) const override;
  Rank sender_of(int receiver, std::int32_t number) const override;
  Bytes message_size(std::int32_t) const override { return phase_.input; }
  void arrived(int receiver, std::int32_t number) override;

  std::vector<Member> members_;
};

}  // namespace overture::system
