#include "overture/train/row_exchange.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <utility>

#include "overture/rpc/wire.h"

namespace overture::train {
namespace {

using lookahead::PlannedRow;

struct Place {
  lookahead::Row row;
  std::uint64_t slot;
};

constexpr std::size_t kSlotsAhead = 8;  // asked of memory before their turn

std::size_t first_of(lookahead::Trainers users) { return static_cast<std::size_t>(std::countr_zero(users)); }

std::size_t bytes(std::int32_t floats) { return static_cast<std::size_t>(floats) * sizeof(float); }

}  // namespace

// It will be written.
void RowExchange::ask_for(const embedding::SlotArena& slots, lookahead::Row row, std::uint32_t slot) const {
  const float* const numbers = slots.slot(slot);
  for (std::int32_t i = 0; i < layout(row).used(); i += 16) __builtin_prefetch(numbers + i, 1);
}

// Sender and receiver both see the rows that they share in the order of the plan, so no row is named. All
// owners in one walk over the rows: there are as many owners as trainers.
std::span<float* const> RowExchange::gradients(std::span<const PlannedRow> rows) {
  const auto owners = static_cast<std::size_t>(trainers_);
  const auto message = [&](const PlannedRow& row) {
    return static_cast<std::size_t>(urgency(row)) * owners + row.owner;
  };
  std::vector<std::size_t> sizes(2 * owners);
  for (const PlannedRow& row : rows) sizes[message(row)] += static_cast<std::size_t>(layout(row.row).dim);
  std::vector<float*> next;
  for (std::vector<rpc::Buffer>& to : messages_) {
    to = std::vector<rpc::Buffer>(owners);
    for (rpc::Buffer& buffer : to) next.push_back(rpc::WireWriter(buffer).room<float>(sizes[next.size()]));
  }
  gradients_.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    float*& to = next[message(rows[i])];
    gradients_[i] = to;
    to += layout(rows[i].row).dim;
  }
  return gradients_;
}

void RowExchange::scale_gradients(std::span<const PlannedRow> rows, float factor) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::int32_t column = 0; column < layout(rows[i].row).dim; ++column) gradients_[i][column] *= factor;
  }
}

std::vector<PlannedRow> RowExchange::own(std::span<const PlannedRow> rows, Urgency when) const {
  std::vector<PlannedRow> own;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(own),
               [&](const PlannedRow& row) { return row.owner == rank_ && urgency(row) == when; });
  return own;
}

// Where what each user of own rows sent begins.
std::vector<const float*> RowExchange::starts(std::span<const PlannedRow> own,
                                              std::span<const rpc::Message> received) const {
  std::vector<std::size_t> sizes(static_cast<std::size_t>(trainers_));
  for (const PlannedRow& row : own) {
    for (lookahead::Trainers users = row.users; users != 0; users &= users - 1)
      sizes[first_of(users)] += static_cast<std::size_t>(layout(row.row).dim);
  }
  std::vector<const float*> starts;
  for (std::size_t peer = 0; peer < sizes.size(); ++peer) {
    const auto gradients = rpc::WireReader(received[peer].payload).array<float>();
    rpc::require(gradients.size() == sizes[peer], "gradients are of other rows");
    starts.push_back(gradients.data());
  }
  return starts;
}

void RowExchange::apply(std::span<const PlannedRow> own, std::span<const rpc::Message> received,
                        const embedding::UpdateRule& rule, embedding::SlotArena& slots) {
  const embedding::Kernels& kernels = embedding::kernels();
  std::vector<const float*> next = starts(own, received);
  sum_.resize(embedding::kWidestRow);
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (i + kSlotsAhead < own.size()) ask_for(slots, own[i + kSlotsAhead].row, own[i + kSlotsAhead].slot);
    const std::int32_t dim = layout(own[i].row).dim;
    const auto take = [&](lookahead::Trainers users) {
      const float*& from = next[first_of(users)];
      return std::exchange(from, from + dim);
    };
    lookahead::Trainers users = own[i].users;
    const float* gradient = take(users);
    if (lookahead::several(users)) {
      std::memcpy(sum_.data(), gradient, bytes(dim));
      while ((users &= users - 1) != 0) kernels.add(dim, take(users), sum_.data());
      gradient = sum_.data();
    }
    kernels.apply(rule, dim, gradient, slots.slot(own[i].slot));
  }
}

std::vector<rpc::Buffer> RowExchange::put_updates(std::span<const PlannedRow> own,
                                                  const embedding::SlotArena& slots) const {
  std::vector<std::vector<const PlannedRow*>> going(static_cast<std::size_t>(trainers_));
  for (const PlannedRow& row : own) {
    if (row.next_use == lookahead::kNever) continue;
    for (lookahead::Trainers users = row.next_users & ~lookahead::only(rank_); users != 0; users &= users - 1)
      going.at(first_of(users)).push_back(&row);
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
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i + kSlotsAhead < places.size())
      ask_for(slots, places[i + kSlotsAhead].row, static_cast<std::uint32_t>(places[i + kSlotsAhead].slot));
    const std::int32_t used = layout(places[i].row).used();
    std::memcpy(slots.slot(static_cast<std::uint32_t>(places[i].slot)), from, bytes(used));
    from += used;
  }
}

}  // namespace overture::train
