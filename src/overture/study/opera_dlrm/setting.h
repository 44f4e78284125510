// What of the published runs of Opera against a fat tree (EuroMLSys 2024) was an artefact of how they were
// made, one name each. The sound setting has none of them, the published one has all; others are one step
// away from either, to see what a single one carries.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace overture::study::opera_dlrm {

enum class Artefact : std::uint8_t {
  // Of the workload; workload/dlrm_tasks.h says more.
  int64_embeddings,
  whole_packets,
  early_ring_end,
  free_reduction_in_node,
  separate_biases,
  fitted_tables,
  tables_in_turn,
  // The fat tree's transport: DCTCP that opens every message with 100 packets, doubles its timeout without
  // limit and gets its ACKs at once and for free. Sound: DCTCP by RFC 8257, messages of a pair in their
  // order.
  published_dctcp,
  // With it: a SYN carries the time stamp of whatever packet its memory held before, or none, so that a
  // connection's first round trip seems to have lasted for seconds, and so does its timeout.
  unstamped_syn,
  // The fat tree's wires are 1 us long, Opera's 500 ns.
  long_wires,
  // Opera's bulk within a rack leaves it and comes back, and offers are accepted twice.
  rotor_defects,
};

class Setting {
 public:
  static Setting sound() { return {}; }
  static Setting published();
  // "sound", "published", "sound+int64_embeddings", "published-int64_embeddings". Throws UserError.
  static Setting parse(std::string_view name);

  bool has(Artefact artefact) const { return (bits_ >> static_cast<int>(artefact) & 1U) != 0; }
  Setting with(Artefact artefact) const { return Setting(bits_ | bit(artefact)); }
  Setting without(Artefact artefact) const { return Setting(bits_ & ~bit(artefact)); }
  // What parse() reads.
  std::string name() const;

  friend bool operator==(const Setting&, const Setting&) = default;

 private:
  Setting() = default;
  explicit Setting(std::uint32_t bits) : bits_(bits) {}
  static std::uint32_t bit(Artefact artefact) { return 1U << static_cast<int>(artefact); }

  std::uint32_t bits_ = 0;
};

std::vector<Artefact> all_artefacts();
std::string_view name(Artefact artefact);
// One line for people.
std::string_view describe(Artefact artefact);

}  // namespace overture::study::opera_dlrm
