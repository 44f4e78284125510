// How several trainers agree on the rows that they share in a batch: every user of a row sends its gradient
// to the row's owner, who adds them up in the order of ranks, changes the row once, and sends it, with what
// the optimizer remembers, to those who will use it next. Nothing is sent for rows that nobody shares. Rows
// that the next batch does not use have until the one after it: their exchange is a round of its own.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "overture/embedding/kernels.h"
#include "overture/embedding/slots.h"
#include "overture/lookahead/plan.h"
#include "overture/train/messages.h"

namespace overture::train {

enum class Urgency : std::uint8_t { at_once, late };

// Rows of the class `later` that nobody uses again may be written back before the next batch, and cannot
// wait.
constexpr Urgency urgency(const lookahead::PlannedRow& row) {
  return row.sync == lookahead::Sync::later && row.next_use != lookahead::kNever ? Urgency::late
                                                                                 : Urgency::at_once;
}

class RowExchange {
 public:
  RowExchange(std::vector<embedding::RowLayout> layouts, int rank, int trainers)
      : layouts_(std::move(layouts)), rank_(rank), trainers_(trainers) {}

  // Where the gradient of each row of a batch goes, dim numbers each: into the messages to the rows' owners.
  // Filled by the caller.
  std::span<float* const> gradients(std::span<const lookahead::PlannedRow> rows);
  // Once they are filled,
  void scale_gradients(std::span<const lookahead::PlannedRow> rows, float factor);
  // and then the messages, by the owner's rank; once.
  std::vector<rpc::Buffer> take_gradients(Urgency when) {
    return std::move(messages_[static_cast<std::size_t>(when)]);
  }
  // Those that this trainer owns.
  std::vector<lookahead::PlannedRow> own(std::span<const lookahead::PlannedRow> rows, Urgency when) const;
  // Adds up what all sent for own rows (`received` by rank) and changes the rows.
  void apply(std::span<const lookahead::PlannedRow> own, std::span<const rpc::Message> received,
             const embedding::UpdateRule& rule, embedding::SlotArena& slots);
  // Own rows that each peer will use next, by rank; and what comes of that at the other end.
  std::vector<rpc::Buffer> put_updates(std::span<const lookahead::PlannedRow> own,
                                       const embedding::SlotArena& slots) const;
  void take_updates(const rpc::Message& message, embedding::SlotArena& slots) const;

 private:
  void ask_for(const embedding::SlotArena& slots, lookahead::Row row, std::uint32_t slot) const;
  std::vector<const float*> starts(std::span<const lookahead::PlannedRow> own,
                                   std::span<const rpc::Message> received) const;
  void put_updates(std::span<const lookahead::PlannedRow* const> rows, const embedding::SlotArena& slots,
                   rpc::Buffer& buffer) const;
  const embedding::RowLayout& layout(lookahead::Row row) const {
    return layouts_[static_cast<std::size_t>(table(row))];
  }

  std::vector<embedding::RowLayout> layouts_;
  int rank_;
  int trainers_;
  std::array<std::vector<rpc::Buffer>, 2> messages_;  // by urgency and owner, under way to be filled
  std::vector<float*> gradients_;
  std::vector<float> sum_;
};

}  // namespace overture::train
