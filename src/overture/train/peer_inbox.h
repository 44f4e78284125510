// PeerInbox: what trainers send each other for a batch, kept until all have sent theirs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "overture/rpc/wire.h"
#include "overture/train/messages.h"

namespace overture::train {

class PeerInbox {
 public:
  PeerInbox(const Parties& parties, int rank) : parties_(parties), rank_(rank) {}

  int rank() const { return rank_; }
  int trainers() const { return parties_.trainers; }

  // Sends, or keeps what is for this trainer itself.
  void send(int rank, Kind kind, std::int64_t batch, rpc::Buffer payload, Outbox& out) {
    rpc::Message message = make_message(kind, parties_.trainer(rank), batch);
    message.payload = std::move(payload);
    message.from = parties_.trainer(rank_);
    if (rank == rank_) {
      take(std::move(message));
    } else {
      out.push_back(std::move(message));
    }
  }

  void take(rpc::Message message) {
    const int rank = parties_.rank(message.from);
    rpc::require(rank >= 0 && rank < parties_.trainers, "it is not a trainer");
    auto& messages = waiting_[{kind_of(message), message.step}];
    messages.resize(static_cast<std::size_t>(parties_.trainers));
    messages[static_cast<std::size_t>(rank)] = std::move(message);
  }

  // The messages of a kind for a batch, by rank, once all have sent theirs, this trainer too; empty before.
  std::vector<rpc::Message> from_all(Kind kind, std::int64_t batch) {
    const auto found = waiting_.find({kind, batch});
    if (found == waiting_.end()) return {};
    for (const auto& message : found->second) {
      if (!message) return {};
    }
    std::vector<rpc::Message> messages;
    for (auto& message : found->second) messages.push_back(*std::move(message));
    waiting_.erase(found);
    return messages;
  }

 private:
  Parties parties_;
  int rank_;
  std::map<std::pair<Kind, std::int64_t>, std::vector<std::optional<rpc::Message>>> waiting_;
};

}  // namespace overture::train
