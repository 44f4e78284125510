// Writes one party's file of a recording, event by event. The file is whole or not there; it stops growing at
// kMostBytes and says so.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "overture/base/whole_file.h"
#include "overture/recording/recording.h"

namespace overture::recording {

// Makes a folder to record into, with the setup of the run: a new one, or an empty one, or that of an earlier
// recording, which goes. Throws UserError for any other folder, and leaves it as it is.
void begin_recording(const std::filesystem::path& folder, std::string_view setup);

class RecordingWriter {
 public:
  // Throws UserError when the file cannot be written, as all of these do.
  RecordingWriter(const std::filesystem::path& file, const Head& head);

  void add(const Piece& piece);
  void add(const Sent& sent);
  void add(const Received& received);
  void add(const Computed& computed);
  // Puts the file in its place.
  void finish();

 private:
  std::uint64_t since(std::int64_t time);
  void end_event();
  void write_block();

  WholeFile file_;
  std::string block_;   // not yet compressed
  std::string packed_;  // used again for every block
  std::int64_t last_ = 0;
  bool full_ = false;
};

}  // namespace overture::recording
