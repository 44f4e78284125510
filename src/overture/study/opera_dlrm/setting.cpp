#include "overture/study/opera_dlrm/setting.h"

#include <array>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::study::opera_dlrm {
namespace {

struct DescribedArtefact {
  Artefact artefact;
  std::string_view name;
  std::string_view text;
};

constexpr std::array kArtefacts{
    DescribedArtefact{Artefact::int64_embeddings, "int64_embeddings", "8 bytes per embedding element, not 4"},
    DescribedArtefact{Artefact::whole_packets, "whole_packets", "short messages padded, shares rounded down"},
    DescribedArtefact{Artefact::early_ring_end, "early_ring_end",
                      "a ring of short messages ends after one round"},
    DescribedArtefact{Artefact::free_reduction_in_node, "free_reduction_in_node",
                      "DPS does not reduce within a node first"},
    DescribedArtefact{Artefact::separate_biases, "separate_biases", "kernel and bias reduced one by one"},
    DescribedArtefact{Artefact::fitted_tables, "fitted_tables", "tables take the fitted time, not memory's"},
    DescribedArtefact{Artefact::tables_in_turn, "tables_in_turn", "a node's tables run one after the other"},
    DescribedArtefact{Artefact::published_dctcp, "published_dctcp",
                      "DCTCP with free ACKs, unbounded timeouts"},
    DescribedArtefact{Artefact::unstamped_syn, "unstamped_syn",
                      "first round trips measured from an old packet's time"},
    DescribedArtefact{Artefact::long_wires, "long_wires", "wires of the fat tree are 1 us, Opera's 500 ns"},
    DescribedArtefact{Artefact::rotor_defects, "rotor_defects", "in-rack bulk goes out and back"}};

const DescribedArtefact& described(Artefact artefact) {
  return kArtefacts[static_cast<std::size_t>(artefact)];
}

Artefact parse_artefact(std::string_view word) {
  std::vector<std::string> known;
  for (const DescribedArtefact& each : kArtefacts) {
    if (each.name == word) return each.artefact;
    known.emplace_back(each.name);
  }
  throw UserError(fmt::format("unknown artefact \"{}\"", word), suggest(word, known));
}

constexpr std::string_view kSound = "sound";
constexpr std::string_view kPublished = "published";

}  // namespace

Setting Setting::published() {
  Setting all;
  for (const DescribedArtefact& each : kArtefacts) all = all.with(each.artefact);
  return all;
}

Setting Setting::parse(std::string_view name) {
  if (name == kSound) return sound();
  if (name == kPublished) return published();
  if (name.starts_with(kSound) && name[kSound.size()] == '+')
    return sound().with(parse_artefact(name.substr(kSound.size() + 1)));
  if (name.starts_with(kPublished) && name[kPublished.size()] == '-')
    return published().without(parse_artefact(name.substr(kPublished.size() + 1)));
  throw UserError(fmt::format("unknown setting \"{}\"", name),
                  "use sound, published, sound+ARTEFACT or published-ARTEFACT");
}

std::string Setting::name() const {
  if (*this == sound()) return std::string(kSound);
  if (*this == published()) return std::string(kPublished);
  for (const DescribedArtefact& each : kArtefacts) {
    if (*this == sound().with(each.artefact)) return fmt::format("{}+{}", kSound, each.name);
    if (*this == published().without(each.artefact)) return fmt::format("{}-{}", kPublished, each.name);
  }
  return fmt::format("mixed-{:x}", bits_);
}

std::vector<Artefact> all_artefacts() {
  std::vector<Artefact> all;
  for (const DescribedArtefact& each : kArtefacts) all.push_back(each.artefact);
  return all;
}

std::string_view name(Artefact artefact) { return described(artefact).name; }
std::string_view describe(Artefact artefact) { return described(artefact).text; }

}  // namespace overture::study::opera_dlrm
