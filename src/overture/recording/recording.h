// A recording: what the parties of a training run did, and when: pieces of work (base/work.h) and messages.
// A folder with a file of every party, written by train/recorder.h while it runs, and the setup of the run.
// docs/reference/recording.md describes the bytes. Both halves know this; neither knows the other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "overture/base/this_machine.h"
#include "overture/base/work.h"

namespace overture::recording {

// What a file says of its party, before what it did.
struct Head {
  int party = 0;  // 0 is the oracle, then trainers, then servers
  int trainers = 1;
  int servers = 1;
  int threads = 1;  // of a trainer
  std::int64_t first_step = 0;
  std::int64_t process = 0;  // its number; parties may share one
  MachineName machine;
  std::string program;             // version that wrote it
  std::vector<std::string> kinds;  // of messages, by number
  // Of the data; enough, with the setup, to plan the run again.
  std::int64_t dense_features = 0;
  std::vector<std::int64_t> table_rows;
  bool weighted = false;

  int parties() const { return 1 + trainers + servers; }
  bool is_oracle() const { return party == 0; }
  bool is_trainer() const { return party >= 1 && party <= trainers; }
  // Of a message; empty for a number that has none.
  std::string_view kind(std::uint32_t number) const {
    return number < kinds.size() ? std::string_view(kinds[number]) : "";
  }
  int rank() const { return party - 1; }
  int server() const { return party - 1 - trainers; }
};

// Times are nanoseconds of the wall clock; all processes of a machine agree on them.
struct Piece {
  Work work = Work::other;
  WorkNumbers numbers{};
  std::int64_t step = Marks::kThisStep;
  std::int64_t begin = 0;
  std::int64_t length = 0;
};
struct Sent {
  std::int64_t begin = 0;
  std::int64_t length = 0;  // until the transport had it
  int to = 0;
  std::uint32_t kind = 0;
  std::int64_t step = 0;
  std::int64_t bytes = 0;  // payload
};
struct Received {
  std::int64_t at = 0;
  std::int64_t waited = 0;  // before
  int from = 0;
  std::uint32_t kind = 0;
  std::int64_t step = 0;
  std::int64_t bytes = 0;
};
// How long the party's thread, and all threads of its process, have computed so far.
struct Computed {
  std::int64_t at = 0;
  std::int64_t thread = 0;  // nanoseconds
  std::int64_t process = 0;
};
using Event = std::variant<Piece, Sent, Received, Computed>;

struct PartyRecord {
  Head head;
  std::vector<Event> events;
  bool full = false;  // it stopped early: the file had its size
};

struct Recording {
  std::vector<PartyRecord> parties;  // of all, by number
  std::string setup;                 // of `overture train`, as it was run; YAML

  const Head& head() const { return parties.front().head; }
};

inline constexpr std::uint64_t kVersion = 1;
// A file holds at most so many compressed bytes; a step of a small model takes about 1 KB.
inline constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;

std::filesystem::path party_file(const std::filesystem::path& folder, int party);
std::filesystem::path setup_file(const std::filesystem::path& folder);

// Reads one file. Throws UserError when it is missing, is no recording, is of another version, is cut short
// or damaged.
PartyRecord read_party(const std::filesystem::path& file);
// All files of the folder, which must be there and fit together. Throws UserError.
Recording read_recording(const std::filesystem::path& folder);

}  // namespace overture::recording
