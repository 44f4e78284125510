#include "overture/study/failures/connectivity.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "overture/base/table.h"
#include "overture/network/faults.h"
#include "overture/study/chart.h"
#include "overture/topology/opera_paths.h"

namespace overture::study::failures {
namespace {

using topology::Opera;

constexpr OperaPart kParts[] = {OperaPart::cable, OperaPart::tor, OperaPart::rotor};

// Up to these shares the paper's network "can withstand" failures without any loss of connectivity.
double published_share(OperaPart part) {
  return part == OperaPart::cable ? 0.04 : part == OperaPart::tor ? 0.07 : 2.0 / 6;
}

struct Broken {
  std::vector<bool> tors;     // that have failed
  std::vector<bool> uplinks;  // ToR by ToR, that lead nowhere
};

Broken broken(const Opera& opera, OperaPart part, double share, int draw) {
  const int tors = opera.tors();
  const int uplinks = opera.uplinks();
  const int all = part == OperaPart::cable ? tors * uplinks : part == OperaPart::tor ? tors : uplinks;
  Broken broken{.tors = std::vector<bool>(static_cast<std::size_t>(tors)),
                .uplinks = std::vector<bool>(static_cast<std::size_t>(tors * uplinks))};
  const network::Faults seed{.seed = static_cast<std::uint64_t>(draw + 1)};
  for (const int failed : network::draw_some(seed, plural(part), share, all)) {
    if (part == OperaPart::tor) broken.tors[static_cast<std::size_t>(failed)] = true;
    for (int at = 0; at < tors * uplinks; ++at) {
      const int owner = part == OperaPart::cable ? at : part == OperaPart::tor ? at / uplinks : at % uplinks;
      if (owner == failed) broken.uplinks[static_cast<std::size_t>(at)] = true;
    }
  }
  return broken;
}

// One draw: adds to the means, which are divided in the end.
void add_draw(const Opera& opera, const Broken& broken, Connectivity& sum) {
  const auto works = [&](int tor, int uplink) {
    return !broken.uplinks[static_cast<std::size_t>(tor * opera.uplinks() + uplink)];
  };
  std::vector<bool> cut_off(static_cast<std::size_t>(opera.tors()) * static_cast<std::size_t>(opera.tors()));
  const double up = static_cast<double>(std::ranges::count(broken.tors, false));
  double worst = 0;
  double hops = 0;
  double paths = 0;
  for (int slice = 0; slice < opera.slices(); ++slice) {
    const topology::SliceDistances distances(opera, slice, works);
    double lost = 0;
    for (int from = 0; from < opera.tors(); ++from) {
      for (int to = 0; to < opera.tors(); ++to) {
        const bool counts = from != to && !broken.tors[static_cast<std::size_t>(from)] &&
                            !broken.tors[static_cast<std::size_t>(to)];
        if (!counts || distances(from, to) >= 0) continue;
        cut_off[static_cast<std::size_t>(from * opera.tors() + to)] = true;
        ++lost;
      }
    }
    worst = std::max(worst, lost);
    paths += up * (up - 1) - lost;
    hops += static_cast<double>(distances.sum());
    sum.worst_hops = std::max(sum.worst_hops, distances.worst());
  }
  const double pairs = std::max(up * (up - 1), 1.0);
  sum.whole += worst == 0 ? 1 : 0;
  sum.worst_slice += worst / pairs;
  sum.any_slice += static_cast<double>(std::ranges::count(cut_off, true)) / pairs;
  sum.mean_hops += paths > 0 ? hops / paths : 0;
}

std::string in_percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

// With one line for each kind of part, of a number in percent or as it is.
Chart by_share(const std::vector<Connectivity>& found, const char* title, const char* y,
               const std::function<double(const Connectivity&)>& solid,
               const std::function<double(const Connectivity&)>& dashed, const char* solid_name,
               const char* dashed_name) {
  Chart chart{.title = title, .x = "failed parts (%)", .y = y};
  for (const OperaPart part : kParts) {
    const std::string paint = colour(static_cast<std::size_t>(part));
    Series full{.name = fmt::format("{}, {}", plural(part), solid_name), .colour = paint};
    Series broken{.name = fmt::format("{}, {}", plural(part), dashed_name), .colour = paint, .dashed = true};
    for (const Connectivity& one : found) {
      if (one.part != part) continue;
      full.points.emplace_back(100 * one.share, solid(one));
      broken.points.emplace_back(100 * one.share, dashed(one));
    }
    if (!full.points.empty()) chart.series.insert(chart.series.end(), {full, broken});
  }
  return chart;
}

Claim published_claim(const Connectivity& found) {
  return {.text = fmt::format("648 hosts on Opera stay connected with {} of the {} down",
                              in_percent(found.share), plural(found.part)),
          .published = "no pair of ToRs is cut off",
          .ours = fmt::format("none in {} of the draws; {} of the pairs", in_percent(found.whole),
                              in_percent(found.any_slice)),
          .verdict = found.whole >= 0.5 ? Verdict::met : Verdict::not_met,
          .why = {}};
}

std::string connectivity_csv(const std::vector<Connectivity>& found) {
  std::string text =
      "part,share_failed,draws_without_loss,lost_worst_slice,lost_any_slice,mean_hops,worst_hops\n";
  for (const Connectivity& one : found)
    text += fmt::format("{},{:.4f},{:.4f},{:.6f},{:.6f},{:.4f},{}\n", plural(one.part), one.share, one.whole,
                        one.worst_slice, one.any_slice, one.mean_hops, one.worst_hops);
  return text;
}

}  // namespace

std::string_view plural(OperaPart part) {
  return part == OperaPart::cable ? "cables" : part == OperaPart::tor ? "ToRs" : "rotors";
}

Opera published_opera() { return topology::generate_opera({.tors = 108, .ports = 12}); }

Connectivity connectivity(const Opera& opera, OperaPart part, double share, int draws) {
  Connectivity mean{.part = part, .share = share};
  for (int draw = 0; draw < draws; ++draw) add_draw(opera, broken(opera, part, share, draw), mean);
  for (double* sum : {&mean.whole, &mean.worst_slice, &mean.any_slice, &mean.mean_hops}) *sum /= draws;
  return mean;
}

std::vector<std::pair<OperaPart, double>> connectivity_points() {
  std::vector<std::pair<OperaPart, double>> points;
  for (const OperaPart part : {OperaPart::cable, OperaPart::tor}) {
    for (const double share : {0.0, 0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4})
      points.emplace_back(part, share);
  }
  for (int rotors = 0; rotors <= 4; ++rotors) points.emplace_back(OperaPart::rotor, rotors / 6.0);
  return points;
}

std::string connectivity_text(const std::vector<Connectivity>& found) {
  Table table({"down", "share", "draws without loss", "worst slice", "any slice", "mean hops", "worst"});
  for (const Connectivity& one : found)
    table.add({std::string(plural(one.part)), in_percent(one.share), in_percent(one.whole),
               in_percent(one.worst_slice), in_percent(one.any_slice), fmt::format("{:.2f}", one.mean_hops),
               fmt::format("{}", one.worst_hops)});
  return table.text();
}

void add_connectivity(const std::vector<Connectivity>& found, StudyReport& report) {
  for (const Connectivity& one : found) {
    if (std::abs(one.share - published_share(one.part)) < 1e-6) report.claims.push_back(published_claim(one));
  }
  const Chart lost = by_share(
      found, "Pairs of ToRs of Opera without a path", "pairs (%)",
      [](const Connectivity& one) { return 100 * one.worst_slice; },
      [](const Connectivity& one) { return 100 * one.any_slice; }, "worst slice", "some slice");
  report.figures.push_back(
      {.file = "connectivity.svg",
       .svg = to_svg(lost),
       .title = lost.title,
       .caption =
           "108 ToRs with 12 ports. Cables are those between ToRs and rotors; pairs are of ToRs that have "
           "not failed. The paper saw no loss up to 4 % of the cables, 7 % of the ToRs or 2 of 6 rotors."});
  const Chart hops = by_share(
      found, "Hops between ToRs of Opera with failed parts", "hops",
      [](const Connectivity& one) { return one.mean_hops; },
      [](const Connectivity& one) { return one.worst_hops; }, "mean", "worst");
  report.figures.push_back({.file = "hops.svg",
                            .svg = to_svg(hops),
                            .title = hops.title,
                            .caption = "Paths get longer before any pair is cut off."});
  report.tables.push_back({"connectivity.csv", connectivity_csv(found)});
}

}  // namespace overture::study::failures
