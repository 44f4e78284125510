#include "overture/astra2/custom.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/formats/chakra/reader.h"

namespace overture::astra2 {
namespace {

constexpr std::int32_t kOwnTags = 500'000'000;

void require_playable(const chakra::RankTrace& trace) {
  using chakra::Has;
  using chakra::NodeKind;
  for (const chakra::Node& node : trace.nodes) {
    const auto fail = [&](std::string_view field, std::string_view what) {
      throw UserError({.file = trace.file, .key = fmt::format("node {}: {}", node.id, field)}, what,
                      "a collective's algorithm consists of sends, receives and compute nodes");
    };
    if (node.kind == NodeKind::compute) continue;
    if (node.kind != NodeKind::send && node.kind != NodeKind::receive)
      fail("type", "cannot be part of an algorithm");
    if (!node.is(Has::comm_size)) fail("comm_size", "is missing");
    if (!node.is(Has::tag)) fail("comm_tag", "is missing");
    if (node.kind == NodeKind::send && !node.is(Has::destination)) fail("comm_dst", "is missing");
    if (node.kind == NodeKind::receive && !node.is(Has::source)) fail("comm_src", "is missing");
  }
}

}  // namespace

std::shared_ptr<const Program> CustomPrograms::get(const std::string& prefix, int position) {
  const std::string file = chakra::rank_file(prefix, position);
  std::shared_ptr<const Program>& program = programs_[file];
  if (!program) {
    chakra::RankTrace trace = chakra::read_trace(file);
    require_playable(trace);
    program = std::make_shared<const Program>(std::move(trace));
  }
  return program;
}

CustomRun::CustomRun(std::shared_ptr<const Program> program, int npu, const std::vector<int>* ranks,
                     Transport& transport, system::CycleClock& clock, std::function<void()> finished)
    : program_(std::move(program)),
      npu_(npu),
      ranks_(ranks),
      transport_(transport),
      clock_(clock),
      finished_(std::move(finished)),
      left_(program_->size()) {
  // As the original's maps are filled, so that they hold the same order.
  std::unordered_map<std::uint64_t, std::unordered_set<std::uint64_t>> parents;
  for (std::uint32_t n = 0; n < program_->size(); ++n) {
    const chakra::Node& node = program_->node(n);
    place_of_id_[node.id] = n;
    missing_.push_back(node.parents);
    parents.try_emplace(node.id);
    for (const std::uint32_t parent : program_->trace.parents_of(node))
      parents[node.id].insert(program_->node(parent).id);
  }
  for (const auto& [id, of] : parents) {
    if (of.empty()) ready_.insert(id);
  }
}

int CustomRun::real_rank(std::uint32_t rank) const {
  const auto count = static_cast<std::uint32_t>(ranks_ == nullptr ? 1 << 30 : ranks_->size());
  if (rank >= count)
    throw UserError({.file = program_->trace.file},
                    fmt::format("names rank {}, but the group has {} ranks", rank, count));
  return ranks_ == nullptr ? static_cast<int>(rank) : (*ranks_)[rank];
}

void CustomRun::issue_ready() {
  const std::unordered_set<std::uint64_t> ready = ready_;
  for (const std::uint64_t id : ready) issue(place_of_id_.at(id));
}

void CustomRun::issue(std::uint32_t n) {
  const chakra::Node& node = program_->node(n);
  ready_.erase(node.id);
  ++ongoing_;
  const auto tag = static_cast<std::int32_t>(node.tag % kOwnTags);
  if (node.kind == chakra::NodeKind::send) {
    transport_.send({node.comm_size, tag, npu_, real_rank(node.destination)}, [this, n] { done(n); });
  } else if (node.kind == chakra::NodeKind::receive) {
    transport_.receive({node.comm_size, tag, real_rank(node.source), npu_}, [this, n] { done(n); });
  } else {
    const auto micros = static_cast<std::int64_t>(node.duration_micros);
    clock_.after(Nanoseconds{std::max<std::int64_t>(1, 1000 * micros)}, [this, n] { done(n); });
  }
}

void CustomRun::done(std::uint32_t n) {
  --ongoing_;
  --left_;
  for (const std::uint32_t child : program_->children_of(n)) {
    if (--missing_[child] == 0) ready_.insert(program_->node(child).id);
  }
  issue_ready();
  if (ongoing_ == 0 && ready_.empty()) finished_();
}

}  // namespace overture::astra2
