// Recorder: notes what a party does and when, for the driver that runs it: pieces of work that the party
// marks, and messages. The only part of training, beside the driver, that reads a clock.
#pragma once

#include <cstdint>

#include "overture/base/work.h"
#include "overture/recording/recording.h"
#include "overture/recording/writer.h"
#include "overture/rpc/message.h"
#include "overture/train/config.h"

namespace overture::train {

// Measured by the clock that never jumps, told by the one that all processes of a machine share.
std::int64_t wall_nanoseconds();

class Recorder final : public Marks {
 public:
  // Writes the file of party `self` into config.record. Throws UserError when it cannot.
  Recorder(const TrainConfig& config, rpc::Address self, std::int64_t first_step);

  // The thread's clock does not tell what the party computes.
  void leave_out_computing() { notes_computing_ = false; }
  // The party begins to work, or goes on after what it need not account for.
  void begin(std::int64_t now) { last_ = now; }
  void done(Work work, const WorkNumbers& numbers, std::int64_t step = kThisStep) override;
  // What it did since the last mark, if that is worth a note.
  void rest(Work work, std::int64_t bytes);

  void sent(const rpc::Message& message, std::int64_t bytes, std::int64_t begin);
  // The party is about to wait for a message. Now and then the processor's clocks are read before and after
  // it: what receiving computes.
  void receiving(std::int64_t now);
  void received(const rpc::Message& message, std::int64_t begin, std::int64_t end);
  void finish();

 private:
  void note_computing(std::int64_t now);

  recording::RecordingWriter writer_;
  std::int64_t last_ = 0;            // the mark before
  std::int64_t next_computing_ = 0;  // when the processor's clocks are read again
  std::int64_t received_ = 0;        // messages so far
  bool notes_computing_ = true;
};

}  // namespace overture::train
