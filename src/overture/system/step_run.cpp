#include "overture/system/step_run.h"

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/system/algorithms.h"

namespace overture::system {
namespace {

std::shared_ptr<const Steps> steps_of(const Phase& phase) {
  const int ranks = phase.dimension.size;
  if (phase.sizes) return std::make_shared<const Steps>(all_pairs(ranks));
  if (const auto steps = phase.algorithm.kind->steps) return std::make_shared<const Steps>(steps(ranks));
  check(phase.algorithm.steps != nullptr, "an algorithm of steps has them");
  check(phase.algorithm.steps->ranks == ranks, "steps are for as many ranks as the phase has");
  return phase.algorithm.steps;
}

}  // namespace

StepRun::StepRun(PhaseContext& context, const Phase& phase, std::function<void()> finished)
    : PhaseRun(context, phase, std::move(finished)),
      steps_(steps_of(phase)),
      roles_(static_cast<std::size_t>(phase.dimension.size)),
      members_(static_cast<std::size_t>(participants())) {
  plan();
  for (int p = 0; p < participants(); ++p) {
    const Role& mine = role(p);
    member(p) = {.missing = mine.needs,
                 .sent = std::vector<bool>(mine.sends.size()),
                 .left = mine.sends.size() + mine.receives.size()};
  }
}

// Transfers of no bytes are left out.
void StepRun::plan() {
  const std::size_t count = steps_->transfers.size();
  dependents_.resize(count);
  followers_.resize(count);
  place_.resize(count);
  BySource arrivals;  // so far
  BySource sends;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(count); ++i) {
    const Transfer& t = transfer(i);
    if (size(i) <= Bytes{}) continue;
    Role& sender = roles_[static_cast<std::size_t>(t.from)];
    const auto place = static_cast<std::int32_t>(sender.sends.size());
    place_[static_cast<std::size_t>(i)] = place;
    sender.needs.push_back(wait_for_arrivals(t, place, arrivals) + wait_for_own(t, place, sends));
    sender.sends.push_back(i);
    roles_[static_cast<std::size_t>(t.to)].receives.push_back(i);
    arrivals[{t.to, t.chunk}].push_back(i);
    sends[{t.from, t.chunk}].push_back(i);
  }
}

std::int32_t StepRun::wait_for_arrivals(const Transfer& of, std::int32_t place, const BySource& arrivals) {
  const auto found = arrivals.find({of.from, of.chunk});
  if (found == arrivals.end()) return 0;
  std::int32_t needs = 0;
  for (const std::int32_t before : found->second) {
    if (transfer(before).step >= of.step) continue;
    dependents_[static_cast<std::size_t>(before)].push_back(place);
    ++needs;
  }
  return needs;
}

// What was sent in the step before has waited for all that was sent before it.
std::int32_t StepRun::wait_for_own(const Transfer& of, std::int32_t place, const BySource& sends) {
  const auto found = sends.find({of.from, of.chunk});
  if (found == sends.end() || phase_.kind == CollectiveKind::barrier) return 0;
  std::int32_t needs = 0;
  int step = -1;
  for (auto last = found->second.rbegin(); last != found->second.rend(); ++last) {
    const std::int32_t before = *last;
    if (transfer(before).step >= of.step) continue;
    if (needs > 0 && transfer(before).step != step) break;
    step = transfer(before).step;
    followers_[static_cast<std::size_t>(before)].push_back(place);
    ++needs;
  }
  return needs;
}

Bytes StepRun::size(std::int32_t number) const {
  const Transfer& t = transfer(number);
  if (phase_.sizes) return phase_.sizes->at(t.from, t.to);
  return chunk_size(phase_.kind, *steps_, phase_.input, t.chunk);
}

void StepRun::start() {
  for (int p = 0; p < participants(); ++p) {
    for (const std::int32_t number : role(p).receives)
      post_receive(p, sender_of(p, number), number, size(number));
  }
  for (int p = 0; p < participants(); ++p) {
    const std::size_t sends = role(p).sends.size();
    if (sends == 0 && role(p).receives.empty()) participant_finished();
    for (std::size_t i = 0; i < sends; ++i) {
      if (role(p).needs[i] == 0) prepare(p, i);
    }
  }
}

void StepRun::prepare(int p, std::size_t send) {
  endpoint(p).pass(size(role(p).sends[send]), {.own_data = true, .reduce = false, .send_back = false},
                   [this, p, send] { post(p, send); });
}

void StepRun::post(int p, std::size_t send) {
  const std::int32_t number = role(p).sends[send];
  const Transfer& t = transfer(number);
  member(p).sent[send] = true;
  post_send(p, neighbour(p, t.to - t.from), number, size(number));
  one_less(p);
}

void StepRun::arrived(int p, std::int32_t number) {
  release(participant(sender_of(p, number)), followers_[static_cast<std::size_t>(number)]);
  const bool reduce = transfer(number).reduce;
  endpoint(p).pass(
      size(number), {.own_data = false, .reduce = reduce, .send_back = false}, [this, p, number] {
        const Duration reduction = transfer(number).reduce ? reduction_time(size(number)) : Duration{};
        if (reduction > Duration{}) {
          clock().after(reduction, [this, p, number] { taken(p, number); });
        } else {
          taken(p, number);
        }
      });
}

void StepRun::taken(int p, std::int32_t number) {
  release(p, dependents_[static_cast<std::size_t>(number)]);
  one_less(p);
}

// One message less that these sends wait for.
void StepRun::release(int p, const std::vector<std::int32_t>& sends) {
  for (const std::int32_t send : sends) {
    const auto i = static_cast<std::size_t>(send);
    if (--member(p).missing[i] == 0) prepare(p, i);
  }
}

void StepRun::one_less(int p) {
  if (--member(p).left == 0) participant_finished();
}

bool StepRun::send_posted(int receiver, std::int32_t number) const {
  const int sender = participant(sender_of(receiver, number));
  return member(sender).sent[static_cast<std::size_t>(place_[static_cast<std::size_t>(number)])];
}

Rank StepRun::sender_of(int receiver, std::int32_t number) const {
  const Transfer& t = transfer(number);
  return neighbour(receiver, t.from - t.to);
}

std::string StepRun::stuck() const {
  for (int p = 0; p < participants(); ++p) {
    if (member(p).left > 0)
      return fmt::format("rank {} has {} sends and arrivals to come", index(rank(p)), member(p).left);
  }
  return "every rank has finished";
}

}  // namespace overture::system
