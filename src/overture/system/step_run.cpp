#include "overture/system/step_run.h"

#include <map>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/system/algorithms.h"

namespace overture::system {
namespace {

std::shared_ptr<const Steps> steps_of(const Phase& phase) {
  const int ranks = phase.dimension.size;
  if (phase.sizes) return std::make_shared<const Steps>(all_pairs(ranks));
  if (const auto steps = facts(phase.algorithm.kind).steps)
    return std::make_shared<const Steps>(steps(ranks));
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

// Transfers of no bytes are left out. A send waits for the arrivals of its chunk in earlier steps.
void StepRun::plan() {
  const auto count = static_cast<std::int32_t>(steps_->transfers.size());
  dependents_.resize(static_cast<std::size_t>(count));
  place_.resize(static_cast<std::size_t>(count));
  std::map<std::pair<int, int>, std::vector<std::int32_t>> arrivals;  // by rank and chunk, so far
  for (std::int32_t i = 0; i < count; ++i) {
    const Transfer& t = transfer(i);
    if (size(i) <= Bytes{}) continue;
    Role& sender = roles_[static_cast<std::size_t>(t.from)];
    place_[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(sender.sends.size());
    std::int32_t needs = 0;
    if (const auto found = arrivals.find({t.from, t.chunk}); found != arrivals.end()) {
      for (const std::int32_t before : found->second) {
        if (transfer(before).step >= t.step) continue;
        dependents_[static_cast<std::size_t>(before)].push_back(
            static_cast<std::int32_t>(sender.sends.size()));
        ++needs;
      }
    }
    sender.sends.push_back(i);
    sender.needs.push_back(needs);
    roles_[static_cast<std::size_t>(t.to)].receives.push_back(i);
    arrivals[{t.to, t.chunk}].push_back(i);
  }
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
  for (const std::int32_t send : dependents_[static_cast<std::size_t>(number)]) {
    const auto i = static_cast<std::size_t>(send);
    if (--member(p).missing[i] == 0) prepare(p, i);
  }
  one_less(p);
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
