#include "overture/system/tree_run.h"

#include <bit>

#include <fmt/format.h>

namespace overture::system {

TreeRun::TreeRun(PhaseContext& context, const Phase& phase, std::function<void()> finished)
    : PhaseRun(context, phase, std::move(finished)), members_(static_cast<std::size_t>(participants())) {
  for (int p = 0; p < participants(); ++p) {
    member(p).node = tree_node(coordinate(p), phase.dimension.size, phase.tree_root);
  }
}

void TreeRun::start() {
  for (int p = 0; p < participants(); ++p) {
    if (member(p).node.leaf()) {
      pass(p, Data::own, {.own_data = true, .reduce = false, .send_back = false});
      continue;
    }
    expect(p, left_child);
    if (member(p).node.right >= 0) expect(p, right_child);
  }
}

void TreeRun::pass(int p, Data data, const Preparation& preparation) {
  endpoint(p).pass(phase_.input, preparation,
                   [this, p, data, reduce = preparation.reduce] { passed(p, data, reduce); });
}

void TreeRun::passed(int p, Data data, bool reduce) {
  acts(p);
  const Duration time = reduce ? reduction(phase_.input) : Duration{};
  if (time > Duration{}) {
    clock().after(time, [this, p, data] {
      acts(p);
      handle(p, data);
    });
  } else {
    handle(p, data);
  }
}

void TreeRun::handle(int p, Data data) {
  Member& me = member(p);
  switch (data) {
    case Data::own: send_up(p); break;
    case Data::of_child:
      if (++me.children_reduced < me.children()) return;
      if (me.node.root()) {
        send_down_and_finish(p);
      } else {
        send_up(p);
      }
      break;
    case Data::of_parent: send_down_and_finish(p); break;
  }
}

void TreeRun::arrived(int p, std::int32_t number) {
  Member& me = member(p);
  if (number == parent) {
    const bool pass_on = !me.node.leaf();
    pass(p, Data::of_parent, {.own_data = false, .reduce = pass_on, .send_back = pass_on});
    return;
  }
  const bool last_child = ++me.children_arrived == me.children();
  pass(p, Data::of_child, {.own_data = false, .reduce = true, .send_back = last_child});
}

void TreeRun::send_up(int p) {
  const int up = member(p).node.parent;
  const TreeNode& parents = member(participant(relative(p, up))).node;
  send(p, up, parents.left == coordinate(p) ? left_child : right_child);
  expect(p, parent);
}

void TreeRun::send_down_and_finish(int p) {
  const TreeNode node = member(p).node;
  if (node.left >= 0) send(p, node.left, parent);
  if (node.right >= 0) send(p, node.right, parent);
  finish(p);
}

void TreeRun::finish(int p) {
  member(p).finished = true;
  participant_finished();
}

void TreeRun::send(int p, int to_coordinate, Source as) {
  const Rank to = relative(p, to_coordinate);
  // In scope all every group has its own tree, so the relative is looked up by rank.
  member(participant(to)).sends_posted |= static_cast<std::uint8_t>(1 << as);
  post_send(p, to, as, phase_.input);
}

void TreeRun::expect(int p, Source source) {
  member(p).receives_posted |= static_cast<std::uint8_t>(1 << source);
  post_receive(p, sender_of(p, source), source, phase_.input);
}

bool TreeRun::receive_posted(int receiver, std::int32_t number) const {
  return (member(receiver).receives_posted >> number & 1) != 0;
}

bool TreeRun::send_posted(int receiver, std::int32_t number) const {
  return (member(receiver).sends_posted >> number & 1) != 0;
}

Rank TreeRun::sender_of(int receiver, std::int32_t number) const {
  const TreeNode& node = member(receiver).node;
  return relative(receiver, number == left_child    ? node.left
                            : number == right_child ? node.right
                                                    : node.parent);
}

// The rank to which something was sent that never arrived: the others wait for it, or for those that do.
std::string TreeRun::stuck() const {
  std::string text = "every rank has finished";
  bool found = false;
  for (int p = 0; p < participants(); ++p) {
    const Member& me = member(p);
    if (me.finished) continue;
    const bool needs_children = me.children_arrived < me.children();
    const auto from_children = static_cast<unsigned>(me.sends_posted & (1 << left_child | 1 << right_child));
    const bool lost =
        needs_children ? std::popcount(from_children) > me.children_arrived : send_posted(p, parent);
    if (found && !lost) continue;
    found = true;
    text = fmt::format("rank {} waits for its {} in the tree", index(rank(p)),
                       needs_children ? "children" : "parent");
    if (lost) break;
  }
  return text;
}

}  // namespace overture::system
