#include "overture/study/opera_dlrm/knobs.h"

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/text.h"

namespace overture::study::opera_dlrm {
namespace {

struct DescribedKnob {
  Knob knob;
  std::string_view name;
  std::int64_t least;
  std::int64_t most;
  bool work;
  bool rotors;
};

// In the order of the enumeration. The limits keep what is made of a number within memory and time's range.
constexpr std::array<DescribedKnob, kKnobs> kDescribed{
    {{Knob::tables, "tables", 1, 100'000, true, false},
     {Knob::batch, "batch", 1, std::int64_t{1} << 32, true, false},
     {Knob::feature_size, "feature-size", 1, 1 << 16, true, false},
     {Knob::column_spread, "column-spread", 1, 64, true, false},
     {Knob::placement, "placement", 0, 1, false, false},
     {Knob::slice_us, "slice-us", 1, 1'000'000, false, true},
     {Knob::reconfiguration_us, "reconfiguration-us", 0, 1'000'000, false, true},
     {Knob::bulk_threshold_kb, "bulk-threshold-kb", 0, 1'000'000'000, false, true}}};

constexpr std::array<std::string_view, 2> kPlacements{"round-robin", "size-balanced"};

const DescribedKnob& described(Knob knob) { return kDescribed[static_cast<std::size_t>(knob)]; }

std::int64_t placement(std::string_view word) {
  for (std::size_t i = 0; i < kPlacements.size(); ++i) {
    if (kPlacements[i] == word) return static_cast<std::int64_t>(i);
  }
  throw UserError(fmt::format("unknown placement \"{}\"", word),
                  suggest(word, {kPlacements.begin(), kPlacements.end()}));
}

std::int64_t number(const DescribedKnob& of, std::string_view text) {
  const auto value = parse_number<std::int64_t>(text);
  if (!value || *value < of.least || *value > of.most) {
    throw UserError(
        fmt::format("{} is a whole number from {} to {}, not \"{}\"", of.name, of.least, of.most, text));
  }
  return *value;
}

}  // namespace

std::string_view name(Knob knob) { return described(knob).name; }
bool changes_work(Knob knob) { return described(knob).work; }
bool is_of_rotors(Knob knob) { return described(knob).rotors; }

Knob parse_knob(std::string_view word) {
  std::vector<std::string> known;
  for (const DescribedKnob& each : kDescribed) {
    if (each.name == word) return each.knob;
    known.emplace_back(each.name);
  }
  throw UserError(fmt::format("unknown axis \"{}\"", word), suggest(word, known));
}

std::vector<Knob> all_knobs() {
  std::vector<Knob> knobs;
  for (const DescribedKnob& each : kDescribed) knobs.push_back(each.knob);
  return knobs;
}

std::optional<std::int64_t> Changes::of(Knob knob) const {
  const std::int64_t value = values_[static_cast<std::size_t>(knob)];
  return value < 0 ? std::nullopt : std::optional(value);
}

void Changes::set(Knob knob, std::int64_t value) { values_[static_cast<std::size_t>(knob)] = value; }
void Changes::clear(Knob knob) { values_[static_cast<std::size_t>(knob)] = -1; }

void Changes::set(Knob knob, std::string_view text) {
  set(knob, knob == Knob::placement ? placement(text) : number(described(knob), text));
}

std::string Changes::text(char separator) const {
  std::string all;
  for (const DescribedKnob& each : kDescribed) {
    const auto value = of(each.knob);
    if (!value) continue;
    if (!all.empty()) all += separator;
    all += each.knob == Knob::placement
               ? fmt::format("{}={}", each.name, kPlacements[static_cast<std::size_t>(*value)])
               : fmt::format("{}={}", each.name, *value);
  }
  return all;
}

void Changes::add(std::string_view part) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos)
    throw UserError(fmt::format("\"{}\" changes nothing", part), "write a name and a value: slice-us=40");
  const Knob knob = parse_knob(part.substr(0, equals));
  if (of(knob)) throw UserError(fmt::format("{} appears twice", name(knob)));
  set(knob, part.substr(equals + 1));
}

}  // namespace overture::study::opera_dlrm
