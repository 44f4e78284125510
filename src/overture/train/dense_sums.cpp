#include "overture/train/dense_sums.h"

#include <algorithm>
#include <vector>

#include "overture/embedding/kernels.h"
#include "overture/train/step_part.h"

namespace overture::train {

std::span<float> DenseSums::share(int rank) const {
  const Block block = block_of(std::ssize(gradients_), rank, inbox_.trainers());
  return gradients_.subspan(static_cast<std::size_t>(block.begin),
                            static_cast<std::size_t>(block.end - block.begin));
}

// This trainer's own share stays where it is.
void DenseSums::begin(std::int64_t batch, std::span<float> gradients, Outbox& out) {
  batch_ = batch;
  gradients_ = gradients;
  for (int rank = 0; rank < inbox_.trainers(); ++rank) {
    rpc::Buffer payload;
    if (rank != inbox_.rank()) rpc::WireWriter(payload).put(std::span<const float>(share(rank)));
    inbox_.send(rank, Kind::dense_gradients, batch, std::move(payload), out);
  }
  stage_ = Stage::gradients;
}

bool DenseSums::advance(Outbox& out) {
  switch (stage_) {
    case Stage::gradients: return add_up(out);
    case Stage::sums: return collect();
    case Stage::done: return false;
  }
  return false;
}

// In the order of ranks, where the message to the others is made: all of them read the same memory.
bool DenseSums::add_up(Outbox& out) {
  const std::vector<rpc::Message> received = inbox_.from_all(Kind::dense_gradients, batch_);
  if (received.empty()) return false;
  const std::span<float> own = share(inbox_.rank());
  rpc::Buffer payload;
  float* const sum = rpc::WireWriter(payload).room<float>(own.size());
  for (int rank = 0; rank < inbox_.trainers(); ++rank) {
    std::span<const float> gradients = own;
    if (rank != inbox_.rank())
      gradients = rpc::WireReader(received[static_cast<std::size_t>(rank)].payload).array<float>();
    rpc::require(gradients.size() == own.size(), "dense gradients are of another size");
    if (rank == 0) {
      std::ranges::copy(gradients, sum);
    } else {
      embedding::kernels().add(std::ssize(own), gradients.data(), sum);
    }
  }
  std::copy_n(sum, own.size(), own.begin());
  const rpc::SharedBytes sums(std::move(payload));
  for (int rank = 0; rank < inbox_.trainers(); ++rank) {
    inbox_.send(rank, Kind::dense_sums, batch_, rank == inbox_.rank() ? rpc::Buffer() : sums.lend(), out);
  }
  stage_ = Stage::sums;
  return true;
}

bool DenseSums::collect() {
  const std::vector<rpc::Message> received = inbox_.from_all(Kind::dense_sums, batch_);
  if (received.empty()) return false;
  for (int rank = 0; rank < inbox_.trainers(); ++rank) {
    if (rank == inbox_.rank()) continue;
    const auto sums = rpc::WireReader(received[static_cast<std::size_t>(rank)].payload).array<float>();
    const std::span<float> to = share(rank);
    rpc::require(sums.size() == to.size(), "dense sums are of another size");
    std::ranges::copy(sums, to.begin());
  }
  stage_ = Stage::done;
  return true;
}

}  // namespace overture::train
