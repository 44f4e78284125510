#include "overture/cli/recording_text.h"

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/json.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/base/units.h"

namespace overture::cli {
namespace {

using recording::Computed;
using recording::Piece;
using recording::Received;
using recording::Recording;
using recording::Sent;

// Of one party, and of all that have its role.
struct PartySum {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t waited = 0;
  std::int64_t thread = 0;                                                 // of the processor
  std::map<Work, std::pair<std::int64_t, std::int64_t>> work;              // pieces, nanoseconds
  std::map<std::string_view, std::pair<std::int64_t, std::int64_t>> sent;  // messages, bytes

  double seconds() const { return 1e-9 * static_cast<double>(last - first); }
  std::int64_t worked() const {
    std::int64_t sum = 0;
    for (const auto& [kind, one] : work) sum += one.second;
    return sum;
  }
};

PartySum sum_of(const recording::PartyRecord& party) {
  PartySum sum;
  const auto at = [&](std::int64_t from, std::int64_t to) {
    if (sum.first == 0) sum.first = from;
    sum.last = std::max(sum.last, to);
  };
  for (const recording::Event& event : party.events) {
    if (const auto* piece = std::get_if<Piece>(&event)) {
      at(piece->begin, piece->begin + piece->length);
      auto& [count, time] = sum.work[piece->work];
      ++count;
      time += piece->length;
    } else if (const auto* sent = std::get_if<Sent>(&event)) {
      at(sent->begin, sent->begin + sent->length);
      auto& [count, bytes] = sum.sent[party.head.kind(sent->kind)];
      ++count;
      bytes += sent->bytes;
      sum.work[Work::send].first += 1;
      sum.work[Work::send].second += sent->length;
    } else if (const auto* received = std::get_if<Received>(&event)) {
      at(received->at - received->waited, received->at);
      sum.waited += received->waited;
    } else {
      sum.thread = std::get<Computed>(event).thread;
    }
  }
  return sum;
}

std::string party_name(const recording::Head& head) {
  if (head.is_oracle()) return "oracle";
  return head.is_trainer() ? fmt::format("trainer {}", head.rank()) : fmt::format("server {}", head.server());
}

double share(std::int64_t part, double seconds) {
  return seconds <= 0 ? 0 : 100 * 1e-9 * static_cast<double>(part) / seconds;
}

}  // namespace

void print_recording(const Recording& recording, const std::string& folder) {
  const recording::Head& head = recording.head();
  fmt::print("{}: recording of {} and {}\non {}, by {}\n\n", folder, counted(head.trainers, "trainer"),
             counted(head.servers, "server"), head.machine.text(), head.program);
  Table parties({"party", "events", "seconds", "worked", "waited", "CPU s"});
  Table work({"party", "work", "pieces", "ms each", "share"});
  Table messages({"from", "kind", "messages", "bytes", "mean"});
  for (const recording::PartyRecord& party : recording.parties) {
    const PartySum sum = sum_of(party);
    const std::string name = party_name(party.head);
    parties.add({name, fmt::format("{}{}", party.events.size(), party.full ? " (full)" : ""),
                 fmt::format("{:.3f}", sum.seconds()),
                 fmt::format("{:.1f} %", share(sum.worked(), sum.seconds())),
                 fmt::format("{:.1f} %", share(sum.waited, sum.seconds())),
                 fmt::format("{:.3f}", 1e-9 * static_cast<double>(sum.thread))});
    for (const auto& [kind, one] : sum.work) {
      work.add(
          {name, std::string(kind_of(kind).name), fmt::format("{}", one.first),
           fmt::format("{:.4f}", 1e-6 * static_cast<double>(one.second) / static_cast<double>(one.first)),
           fmt::format("{:.1f} %", share(one.second, sum.seconds()))});
    }
    for (const auto& [kind, one] : sum.sent) {
      messages.add({name, std::string(kind), fmt::format("{}", one.first), to_string(Bytes{one.second}),
                    to_string(Bytes{one.second / one.first})});
    }
  }
  fmt::print("{}\n{}\n{}", parties.text(), work.text(), messages.text());
}

std::string recording_json(const Recording& recording, const std::string& folder) {
  const recording::Head& head = recording.head();
  Json root{{"recording", folder},     {"version", recording::kVersion}, {"trainers", head.trainers},
            {"servers", head.servers}, {"threads", head.threads},        {"machine", head.machine.text()},
            {"program", head.program}, {"first_step", head.first_step}};
  Json& parties = root["parties"] = Json::array();
  for (const recording::PartyRecord& party : recording.parties) {
    const PartySum sum = sum_of(party);
    Json one{{"name", party_name(party.head)},
             {"events", party.events.size()},
             {"full", party.full},
             {"seconds", sum.seconds()},
             {"worked_seconds", 1e-9 * static_cast<double>(sum.worked())},
             {"waited_seconds", 1e-9 * static_cast<double>(sum.waited)},
             {"cpu_seconds", 1e-9 * static_cast<double>(sum.thread)}};
    Json& work = one["work"] = Json::object();
    for (const auto& [kind, pieces] : sum.work)
      work[std::string(kind_of(kind).name)] = {{"pieces", pieces.first},
                                               {"seconds", 1e-9 * static_cast<double>(pieces.second)}};
    Json& sent = one["sent"] = Json::object();
    for (const auto& [kind, all] : sum.sent)
      sent[std::string(kind)] = {{"messages", all.first}, {"bytes", all.second}};
    parties.push_back(std::move(one));
  }
  return write_json(root, 2);
}

}  // namespace overture::cli
