// What a cell of the Opera study may change of what was published: of the model that is trained, and of how
// the network and the placement are designed. Each change has a name and a whole number (or a word), so that
// a cell's name can carry it: "slice-us=40".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace overture::study::opera_dlrm {

enum class Knob : std::uint8_t {
  // What is trained: times of different values are of different work.
  tables,
  batch,
  feature_size,
  column_spread,  // tables differ: columns from 1/spread to spread times the feature size, the same in all
  // How it is done.
  placement,
  slice_us,
  reconfiguration_us,
  bulk_threshold_kb,  // shorter messages take Opera's expander at once
};
constexpr std::size_t kKnobs = 8;

std::string_view name(Knob knob);
// Throws UserError, with what would work.
Knob parse_knob(std::string_view word);
std::vector<Knob> all_knobs();
// It is the work that changes, not how it is done.
bool changes_work(Knob knob);
// A static network has no such part.
bool is_of_rotors(Knob knob);

class Changes {
 public:
  std::optional<std::int64_t> of(Knob knob) const;
  std::int64_t value_or(Knob knob, std::int64_t otherwise) const { return of(knob).value_or(otherwise); }
  bool empty() const { return *this == Changes{}; }

  void set(Knob knob, std::int64_t value);
  void clear(Knob knob);
  // A number, or the word of a placement. Throws UserError.
  void set(Knob knob, std::string_view text);

  // "tables=200.slice-us=40", always in the same order; empty when nothing is changed.
  std::string text(char separator = '.') const;
  // One part of such a text. Throws UserError.
  void add(std::string_view part);

  friend bool operator==(const Changes&, const Changes&) = default;

 private:
  std::array<std::int64_t, kKnobs> values_{-1, -1, -1, -1, -1, -1, -1, -1};  // -1: not changed
};

}  // namespace overture::study::opera_dlrm
