#include "overture/train/row_exchange.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "overture/rpc/wire.h"

namespace overture::train {
namespace {

using lookahead::PlannedRow;

struct Place {
  lookahead::Row row;
  std::uint64_t slot;
};

std::size_t bytes(std::int32_t floats) { return static_cast<std::size_t>(floats) * sizeof(float); }

}  // namespace

std::span<float* const> RowExchange::gradients(std::span<const PlannedRow> rows) {
  std::size_t size = 0;
  for (const PlannedRow& row : rows) size += static_cast<std::size_t>(layout(row.row).dim);
  memory_.resize(size);
  gradients_.resize(rows.size());
  float* next = memory_.data();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    gradients_[i] = next;
    next += layout(rows[i].row).dim;
  }
  return gradients_;
}

// Sender and receiver both see the rows that they share in the order of the plan, so no row is named. All
// owners in one walk over the rows: there are as many owners as trainers.
std::vector<rpc::Buffer> RowExchange::put_gradients(std::span<const PlannedRow> rows, Urgency when) const {
  std::vector<std::size_t> sizes(static_cast<std::size_t>(trainers_));
  for (const PlannedRow& row : rows) {
    if (urgency(row) == when) sizes[row.owner] += static_cast<std::size_t>(layout(row.row).dim);
  }
  std::vector<rpc::Buffer> buffers(sizes.size());
  std::vector<float*> next;
  for (std::size_t owner = 0; owner < sizes.size(); ++owner)
    next.push_back(rpc::WireWriter(buffers[owner]).room<float>(sizes[owner]));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (urgency(rows[i]) != when) continue;
    float*& to = next[rows[i].owner];
    std::memcpy(to, gradients_[i], bytes(layout(rows[i].row).dim));
    to += layout(rows[i].row).dim;
  }
  return buffers;
}

std::vector<PlannedRow> RowExchange::own(std::span<const PlannedRow> rows, Urgency when) const {
  std::vector<PlannedRow> own;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(own),
               [&](const PlannedRow& row) { return row.owner == rank_ && urgency(row) == when; });
  return own;
}

void RowExchange::apply(std::span<const PlannedRow> own, std::span<const rpc::Message> received,
                        const embedding::UpdateRule& rule, embedding::SlotArena& slots) {
  const embedding::Kernels& kernels = embedding::kernels();
  std::vector<const float*> next;
  for (int peer = 0; peer < trainers_; ++peer) {
    std::size_t size = 0;
    for (const PlannedRow& row : own) {
      if ((row.users & lookahead::only(peer)) != 0) size += static_cast<std::size_t>(layout(row.row).dim);
    }
    const auto gradients = rpc::WireReader(received[static_cast<std::size_t>(peer)].payload).array<float>();
    rpc::require(gradients.size() == size, "gradients are of other rows");
    next.push_back(gradients.data());
  }
  sum_.resize(embedding::kWidestRow);
  for (const PlannedRow& row : own) {
    const std::int32_t dim = layout(row.row).dim;
    bool first = true;
    for (int peer = 0; peer < trainers_; ++peer) {
      if ((row.users & lookahead::only(peer)) == 0) continue;
      const float*& gradient = next[static_cast<std::size_t>(peer)];
      if (first) {
        std::memcpy(sum_.data(), gradient, bytes(dim));
      } else {
        kernels.add(dim, gradient, sum_.data());
      }
      gradient += dim;
      first = false;
    }
    kernels.apply(rule, dim, sum_.data(), slots.slot(row.slot));
  }
}

std::vector<rpc::Buffer> RowExchange::put_updates(std::span<const PlannedRow> own,
                                                  const embedding::SlotArena& slots) const {
  std::vector<std::vector<const PlannedRow*>> going(static_cast<std::size_t>(trainers_));
  for (const PlannedRow& row : own) {
    if (row.next_use == lookahead::kNever) continue;
    for (lookahead::Trainers users = row.next_users & ~lookahead::only(rank_); users != 0; users &= users - 1)
      going.at(static_cast<std::size_t>(std::countr_zero(users))).push_back(&row);
  }
  std::vector<rpc::Buffer> buffers(going.size());
  for (std::size_t peer = 0; peer < going.size(); ++peer) {
    if (static_cast<int>(peer) != rank_) put_updates(going[peer], slots, buffers[peer]);
  }
  return buffers;
}

void RowExchange::put_updates(std::span<const PlannedRow* const> rows, const embedding::SlotArena& slots,
                              rpc::Buffer& buffer) const {
  rpc::WireWriter out(buffer);
  std::size_t size = 0;
  Place* place = out.room<Place>(rows.size());
  for (const PlannedRow* const row : rows) {
    *place++ = {row->row, row->slot};
    size += static_cast<std::size_t>(layout(row->row).used());
  }
  float* to = out.room<float>(size);
  for (const PlannedRow* const row : rows) {
    std::memcpy(to, slots.slot(row->slot), bytes(layout(row->row).used()));
    to += layout(row->row).used();
  }
}

void RowExchange::take_updates(const rpc::Message& message, embedding::SlotArena& slots) const {
  rpc::WireReader in(message.payload);
  const auto places = in.array<Place>();
  const auto numbers = in.array<float>();
  std::size_t size = 0;
  for (const Place& place : places) {
    rpc::require(table(place.row) < std::ssize(layouts_) && place.slot < slots.size(), "an odd row");
    size += static_cast<std::size_t>(layout(place.row).used());
  }
  rpc::require(numbers.size() == size, "updates are of other rows");
  const float* from = numbers.data();
  for (const Place& place : places) {
    std::memcpy(slots.slot(static_cast<std::uint32_t>(place.slot)), from, bytes(layout(place.row).used()));
    from += layout(place.row).used();
  }
}

}  // namespace overture::train
