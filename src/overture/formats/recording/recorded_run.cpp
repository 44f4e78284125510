#include "overture/formats/recording/recorded_run.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/recording/computed_times.h"

namespace overture::formats {
namespace {

using recording::Piece;
using recording::Received;
using recording::Sent;
using workload::Chore;
using workload::TrainedStep;

class RunReader {
 public:
  RunReader(const recording::Recording& recording, const std::string& folder)
      : recording_(recording), folder_(folder) {
    run_.run.trainers = recording.head().trainers;
    run_.run.servers = recording.head().servers;
    if (run_.run.servers == 0)
      fail("comes from trainers that hold the tables; their exchange cannot be simulated yet");
  }

  RecordedRun read() {
    for (const recording::PartyRecord& party : recording_.parties) {
      party_ = &party;
      times_.emplace(party);
      receiving_ = 0;
      if (party.head.is_oracle()) {
        read_oracle();
      } else if (party.head.is_trainer()) {
        read_trainer();
      } else {
        read_server();
      }
    }
    match_requests();
    keep_whole_steps();
    return std::move(run_);
  }

 private:
  // Rows that a trainer asked for, by its number and that of the request.
  using RequestKey = std::pair<int, std::int64_t>;
  struct Ask {
    std::int64_t batch = 0;  // whose order said so
    TrainedStep::Request request;
  };
  struct Answer {
    Bytes bytes{};
    Duration serve{};
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw UserError({.file = folder_}, what, "record a run with cache.lookahead of 1 or more");
  }

  TrainedStep& step(std::int64_t batch) {
    TrainedStep& found = steps_[batch];
    if (found.trainers.empty()) {
      const auto trainers = static_cast<std::size_t>(run_.run.trainers);
      found.batch = batch;
      found.trainers.resize(trainers);
      for (auto* sizes : {&found.gradients, &found.updates})
        for (std::vector<Bytes>& round : *sizes) round.resize(trainers * trainers);
    }
    return found;
  }
  std::string_view kind(std::uint32_t number) const { return party_->head.kind(number); }

  // How long it computed, with what receiving the messages before it computed. No piece takes a quarter of an
  // hour; a damaged one must not overflow a sum.
  template <class Timed>
  Duration length_of(const Timed& timed) {
    const std::int64_t all = times_->computed(timed.begin, timed.length) + std::exchange(receiving_, 0);
    return std::chrono::nanoseconds(std::clamp<std::int64_t>(all, 0, 1'000'000'000'000));
  }
  void receive() { receiving_ += times_->receiving(); }

  // What is read and planned before an order is sent belongs to that order's step.
  void read_oracle() {
    Duration since{};
    std::int64_t batch = -1;
    for (const recording::Event& event : party_->events) {
      if (const auto* piece = std::get_if<Piece>(&event)) {
        if (piece->work == Work::plan) batch = piece->step;
        since += length_of(*piece);
        if (piece->work != Work::pack_order) continue;
        step(batch).oracle += std::exchange(since, {});
      } else if (const auto* sent = std::get_if<Sent>(&event);
                 sent != nullptr && kind(sent->kind) == "step") {
        const int rank = sent->to - 1;
        if (rank < 0 || rank >= run_.run.trainers) continue;
        step(sent->step).trainers[static_cast<std::size_t>(rank)].order = Bytes{sent->bytes};
        step(sent->step).oracle += length_of(*sent);
      } else if (std::holds_alternative<Received>(event)) {
        receive();
      }
    }
  }

  void read_trainer() {
    const int rank = party_->head.rank();
    Duration begin{};                // of the step that is about to begin
    std::deque<std::int64_t> asked;  // batches of requests that are about to be sent
    std::int64_t current = -1;
    std::int64_t request = -1;  // whose rows were received last
    for (const recording::Event& event : party_->events) {
      if (const auto* piece = std::get_if<Piece>(&event)) {
        if (piece->work == Work::begin_step) {
          current = piece->step;
          step(current).trainers[static_cast<std::size_t>(rank)].begin =
              std::exchange(begin, {}) + length_of(*piece);
        } else if (piece->work == Work::pack_rows || piece->work == Work::ask_rows) {
          begin += length_of(*piece);
          if (piece->work == Work::ask_rows) asked.push_back(piece->step);
        } else if (piece->work == Work::take_rows) {
          asks_[{rank, request}].request.take = length_of(*piece);
        } else if (current >= 0) {
          add(*piece, current, rank);
        }
        if (piece->work == Work::end_step && rank == 0) ended_[piece->step] = piece->begin + piece->length;
      } else if (const auto* received = std::get_if<Received>(&event)) {
        if (kind(received->kind) == "rows") request = received->step;
        receive();
      } else if (const auto* sent = std::get_if<Sent>(&event)) {
        add(*sent, current, rank, asked);
      }
    }
  }

  // A piece between the beginning and the end of a step.
  void add(const Piece& piece, std::int64_t current, int rank) {
    const std::int64_t batch = piece.step == Marks::kThisStep ? current : piece.step;
    TrainedStep::Trainer& trainer = step(batch).trainers[static_cast<std::size_t>(rank)];
    const Duration length = length_of(piece);
    switch (piece.work) {
      case Work::add_dense:
      case Work::take_dense:
      case Work::update_dense: trainer.dense += length; break;
      case Work::apply_gradients: trainer.apply[0] += length; break;
      case Work::late_apply_gradients: trainer.apply[1] += length; break;
      case Work::take_updates: trainer.take[0] += length; break;
      case Work::late_take_updates: trainer.take[1] += length; break;
      case Work::late_pack_gradients:
      case Work::end_step:
      case Work::take:
      case Work::other: trainer.end += length; break;
      default: trainer.chores.push_back({piece.work, piece.numbers, length});
    }
    if (piece.work == Work::pack_dense) run_.run.dense = Bytes{4 * piece.numbers[0]};
  }

  void add(const Sent& sent, std::int64_t current, int rank, std::deque<std::int64_t>& asked) {
    const std::string_view what = kind(sent.kind);
    if (current >= 0) step(current).trainers[static_cast<std::size_t>(rank)].end += length_of(sent);
    const int server = sent.to - 1 - run_.run.trainers;
    const bool to_server = server >= 0 && server < run_.run.servers;
    const bool to_trainer = sent.to >= 1 && sent.to <= run_.run.trainers;
    if (what == "store" && to_server) {
      step(sent.step).stores.push_back({.trainer = rank, .server = server, .size = Bytes{sent.bytes}});
    } else if (what == "fetch" && to_server && !asked.empty()) {
      Ask& ask = asks_[{rank, sent.step}];
      ask.batch = current;
      ask.request.trainer = rank;
      ask.request.server = server;
      ask.request.for_batch = asked.front();
      ask.request.ask = Bytes{sent.bytes};
      asked.pop_front();
    } else if (to_trainer) {
      constexpr std::array<std::pair<std::string_view, std::size_t>, 2> kGradients{
          {{"gradients", 0}, {"late_gradients", 1}}};
      constexpr std::array<std::pair<std::string_view, std::size_t>, 2> kUpdates{
          {{"updates", 0}, {"late_updates", 1}}};
      const std::size_t pair = lookahead::StepTraffic::pair(rank, sent.to - 1, run_.run.trainers);
      for (const auto& [name, round] : kGradients)
        if (what == name) step(sent.step).gradients[round][pair] = Bytes{sent.bytes};
      for (const auto& [name, round] : kUpdates)
        if (what == name) step(sent.step).updates[round][pair] = Bytes{sent.bytes};
    }
  }

  // Answers leave in the order in which they were made.
  void read_server() {
    const int number = party_->head.server();
    std::deque<Duration> served;
    const Received* last = nullptr;
    for (const recording::Event& event : party_->events) {
      if (const auto* piece = std::get_if<Piece>(&event)) {
        if (piece->work == Work::serve_rows) served.push_back(length_of(*piece));
        if (piece->work == Work::store_rows && last != nullptr && kind(last->kind) == "store")
          stored_[{last->step, last->from - 1, number}] = length_of(*piece);
      } else if (const auto* received = std::get_if<Received>(&event)) {
        last = received;
        receive();
      } else if (const auto* sent = std::get_if<Sent>(&event);
                 sent != nullptr && kind(sent->kind) == "rows" && !served.empty()) {
        answers_[{sent->to - 1, sent->step}] = {Bytes{sent->bytes}, served.front() + length_of(*sent)};
        served.pop_front();
      }
    }
  }

  void match_requests() {
    for (auto& [key, ask] : asks_) {
      const auto answer = answers_.find(key);
      if (answer == answers_.end() || ask.request.ask == Bytes{}) continue;
      ask.request.answer = answer->second.bytes;
      ask.request.serve = answer->second.serve;
      step(ask.batch).requests.push_back(ask.request);
    }
    for (auto& [batch, one] : steps_) {
      for (TrainedStep::Store& store : one.stores)
        store.length = stored_[{batch, store.trainer, store.server}];
    }
  }

  // A file that is full has no more steps than the others; the flush at the end has no batch.
  void keep_whole_steps() {
    for (auto& [batch, one] : steps_) {
      const bool whole = ended_.contains(batch) && std::ranges::all_of(one.trainers, [](const auto& trainer) {
                           return !trainer.chores.empty() && trainer.order > Bytes{};
                         });
      if (!whole) continue;
      if (!run_.run.steps.empty() && batch != run_.run.steps.back().batch + 1) break;
      run_.run.steps.push_back(std::move(one));
      run_.ended.push_back(ended_[batch]);
    }
    if (run_.run.steps.size() < 2)
      throw UserError({.file = folder_},
                      fmt::format("has {} whole steps; two are needed", run_.run.steps.size()),
                      "record a longer run");
  }

  const recording::Recording& recording_;
  const std::string& folder_;
  const recording::PartyRecord* party_ = nullptr;  // the one that is read
  std::optional<recording::ComputedTimes> times_;  // of it
  std::int64_t receiving_ = 0;                     // nanoseconds, of messages whose work is yet to come
  RecordedRun run_;
  std::map<std::int64_t, TrainedStep> steps_;
  std::map<std::int64_t, std::int64_t> ended_;
  std::map<RequestKey, Ask> asks_;
  std::map<RequestKey, Answer> answers_;
  std::map<std::array<std::int64_t, 3>, Duration> stored_;  // by batch, trainer and server
};

}  // namespace

RecordedRun recorded_run(const recording::Recording& recording, const std::string& folder) {
  return RunReader(recording, folder).read();
}

}  // namespace overture::formats
