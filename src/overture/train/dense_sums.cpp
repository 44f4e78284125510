#include "overture/train/dense_sums.h"

#include <algorithm>

#include "overture/base/check.h"
#include "overture/embedding/kernels.h"

namespace overture::train {

template <class T>
std::span<T> DenseSums::share_of(int rank, std::span<T> all) const {
  const Block block = block_of(std::ssize(all), rank, inbox_.trainers());
  return all.subspan(static_cast<std::size_t>(block.begin),
                     static_cast<std::size_t>(block.end - block.begin));
}

// This trainer's own share stays where it is.
void DenseSums::begin(std::int64_t batch, std::span<float> gradients, Outbox& out) {
  batch_ = batch;
  gradients_ = gradients;
  for (int rank = 0; rank < inbox_.trainers(); ++rank) {
    rpc::Buffer payload;
    if (rank != inbox_.rank()) rpc::WireWriter(payload).put(share_of<const float>(rank, gradients));
    inbox_.send(rank, Kind::dense_gradients, batch, std::move(payload), out);
  }
  stage_ = Stage::gradients;
}

bool DenseSums::advance() {
  switch (stage_) {
    case Stage::gradients: return add_up();
    case Stage::shares: return collect();
    case Stage::summed:
    case Stage::done: return false;
  }
  return false;
}

// In the order of ranks.
bool DenseSums::add_up() {
  const std::vector<rpc::Message> received = inbox_.from_all(Kind::dense_gradients, batch_);
  if (received.empty()) return false;
  const std::span<float> own = share_of(inbox_.rank(), gradients_);
  sum_.resize(own.size());
  for (int rank = 0; rank < inbox_.trainers(); ++rank) {
    std::span<const float> gradients = own;
    if (rank != inbox_.rank())
      gradients = rpc::WireReader(received[static_cast<std::size_t>(rank)].payload).array<float>();
    rpc::require(gradients.size() == own.size(), "dense gradients are of another size");
    if (rank == 0) {
      std::ranges::copy(gradients, sum_.begin());
    } else {
      embedding::kernels().add(std::ssize(own), gradients.data(), sum_.data());
    }
  }
  std::ranges::copy(sum_, own.begin());
  stage_ = Stage::summed;
  return true;
}

// All others read the same memory.
void DenseSums::share(std::span<float> numbers, Outbox& out) {
  check(summed() && numbers.size() == gradients_.size(), "what is shared belongs to gradients added up");
  numbers_ = numbers;
  rpc::Buffer payload;
  rpc::WireWriter(payload).put(share_of<const float>(inbox_.rank(), numbers));
  const rpc::SharedBytes bytes(std::move(payload));
  for (int rank = 0; rank < inbox_.trainers(); ++rank)
    inbox_.send(rank, Kind::dense_shares, batch_, rank == inbox_.rank() ? rpc::Buffer() : bytes.lend(), out);
  stage_ = Stage::shares;
}

bool DenseSums::collect() {
  const std::vector<rpc::Message> received = inbox_.from_all(Kind::dense_shares, batch_);
  if (received.empty()) return false;
  for (int rank = 0; rank < inbox_.trainers(); ++rank) {
    if (rank == inbox_.rank()) continue;
    const auto numbers = rpc::WireReader(received[static_cast<std::size_t>(rank)].payload).array<float>();
    const std::span<float> to = share_of(rank, numbers_);
    rpc::require(numbers.size() == to.size(), "a share of the parameters is of another size");
    std::ranges::copy(numbers, to.begin());
  }
  stage_ = Stage::done;
  return true;
}

}  // namespace overture::train
