#include "overture/train/driver.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "overture/rpc/wire.h"

namespace overture::train {
namespace {

// Drives one party. Without a recorder, the clock is read as often as the party's own account needs it.
class Drive {
 public:
  Drive(Party& party, rpc::Transport& transport, const Parties& parties, Recorder* recorder)
      : party_(party), transport_(transport), parties_(parties), recorder_(recorder) {
    if (recorder_ == nullptr) return;
    party_.watch(*recorder_);
    if (!party_.computes_here()) recorder_->leave_out_computing();
  }

  void run() {
    work();
    while (!party_.done()) {
      const std::int64_t started = wall_nanoseconds();
      if (recorder_ != nullptr) recorder_->receiving(started);
      rpc::Received received = transport_.receive();
      if (const auto* gone = std::get_if<rpc::Gone>(&received))
        throw PartyGone(parties_.name(gone->who) + " is gone: " + gone->why);
      const std::int64_t ended = wall_nanoseconds();
      party_.waited({started, ended});
      take(std::get<rpc::Message>(std::move(received)), started, ended);
      work();
    }
    if (recorder_ != nullptr) recorder_->finish();
  }

 private:
  void work() {
    for (bool more = true; more;) {
      const std::int64_t started = wall_nanoseconds();
      if (recorder_ != nullptr) recorder_->begin(started);
      more = party_.advance(out_);
      if (recorder_ != nullptr) recorder_->rest(Work::other, 0);
      if (more) party_.worked({started, wall_nanoseconds()});
      send_all();
    }
  }

  void take(rpc::Message message, std::int64_t started, std::int64_t ended) {
    const rpc::Address from = message.from;
    const auto bytes = static_cast<std::int64_t>(message.payload.size());
    if (recorder_ != nullptr) {
      recorder_->received(message, started, ended);
      recorder_->begin(ended);
    }
    try {
      party_.take(std::move(message), out_);
    } catch (const rpc::BadMessage& error) {
      throw BadPeer(parties_.name(from) + " does not follow the protocol: " + error.what());
    }
    if (recorder_ != nullptr) recorder_->rest(Work::take, bytes);
    send_all();
  }

  void send_all() {
    for (rpc::Message& message : out_) send(message);
    out_.clear();
  }

  void send(rpc::Message& message) {
    if (recorder_ == nullptr) return transport_.send(std::move(message));
    const std::int64_t started = wall_nanoseconds();
    const rpc::Message head{.to = message.to, .kind = message.kind, .step = message.step};
    const auto bytes = static_cast<std::int64_t>(message.payload.size());
    transport_.send(std::move(message));
    recorder_->sent(head, bytes, started);
  }

  Party& party_;
  rpc::Transport& transport_;
  const Parties& parties_;
  Recorder* recorder_;
  Outbox out_;
};

}  // namespace

void drive(Party& party, rpc::Transport& transport, const Parties& parties, Recorder* recorder) {
  try {
    Drive(party, transport, parties, recorder).run();
  } catch (const PartyGone&) {
    throw;  // everybody hears of it
  } catch (const rpc::BadMessage& error) {
    const std::string why = std::string("a peer does not follow the protocol: ") + error.what();
    transport.fail(why);
    throw BadPeer(why);
  } catch (const std::exception& error) {
    transport.fail(error.what());
    throw;
  }
}

void drive(Party& party, rpc::Transport& transport, const TrainConfig& config, rpc::Address self,
           std::int64_t first_step) {
  std::optional<Recorder> recorder;
  try {
    if (!config.record.empty()) recorder.emplace(config, self, first_step);
  } catch (const std::exception& error) {
    transport.fail(error.what());
    throw;
  }
  drive(party, transport, config.parties(), recorder ? &*recorder : nullptr);
}

}  // namespace overture::train
