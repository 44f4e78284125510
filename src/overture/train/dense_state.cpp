#include "overture/train/dense_state.h"

#include <algorithm>
#include <utility>

#include "overture/rpc/wire.h"
#include "overture/train/checkpoint.h"
#include "overture/train/step_part.h"

namespace overture::train {

rpc::Message dense_state_message(Learner& learner, const Parties& parties, int rank) {
  const std::span<const float> values = learner.parameters().values();
  const std::span<const float> memory = learner.optimizer().state();
  const Block share = block_of(std::ssize(values), rank, parties.trainers);
  const auto from = static_cast<std::size_t>(share.begin);
  const auto count = static_cast<std::size_t>(share.end - share.begin);
  rpc::Message message = make_message(Kind::dense_state, parties.oracle(), 0);
  rpc::WireWriter writer(message.payload);
  writer.put(std::int64_t{parties.trainers});
  writer.put(values.subspan(from, count));
  float* to = writer.room<float>(memory.size() / values.size() * count);
  for (std::size_t array = 0; array < memory.size(); array += values.size())
    to = std::ranges::copy(memory.subspan(array + from, count), to).out;
  writer.put(std::string());
  return message;
}

rpc::Message dense_state_message(const std::string& state, const Parties& parties) {
  rpc::Message message = make_message(Kind::dense_state, parties.oracle(), 0);
  rpc::WireWriter writer(message.payload);
  writer.put(std::int64_t{1});
  writer.put(std::span<const float>());
  writer.put(std::span<const float>());
  writer.put(state);
  return message;
}

void DenseState::take(rpc::Message message) {
  rpc::WireReader head(message.payload);
  const auto parts = head.get<std::int64_t>();
  const int rank = parties_.rank(message.from);
  rpc::require(parts == 1 || parts == parties_.trainers, "the dense part is in odd pieces");
  if (parts_.empty()) parts_.resize(static_cast<std::size_t>(parts));
  rpc::require(std::ssize(parts_) == parts && rank >= 0 && rank < parts, "a piece of another dense part");
  Part& part = parts_[static_cast<std::size_t>(rank)];
  rpc::require(!std::exchange(part.came, true), "a piece of the dense part came twice");
  part.message = std::move(message);
  rpc::WireReader in(part.message.payload);
  in.get<std::int64_t>();
  part.values = in.array<float>();
  part.memory = in.array<float>();
  part.state = in.text();
  rpc::require(part.values.empty() ? part.memory.empty() : part.memory.size() % part.values.size() == 0,
               "what an optimizer remembers is of other parameters");
  ++came_;
}

std::int64_t DenseState::save(const std::filesystem::path& into) const {
  std::vector<float> values;
  std::size_t arrays = 0;
  for (const Part& part : parts_) {
    values.insert(values.end(), part.values.begin(), part.values.end());
    if (!part.values.empty()) arrays = part.memory.size() / part.values.size();
  }
  std::vector<float> memory;
  for (std::size_t array = 0; array < arrays; ++array) {
    for (const Part& part : parts_) {
      const std::size_t count = part.values.size();
      rpc::require(part.memory.size() == arrays * count, "pieces of the dense part do not fit together");
      const auto own = part.memory.subspan(array * count, count);
      memory.insert(memory.end(), own.begin(), own.end());
    }
  }
  save_dense(values, memory, into);
  if (const std::string& state = parts_.front().state; !state.empty()) save_state(state, into);
  return std::ssize(values);
}

}  // namespace overture::train
