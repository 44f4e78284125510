#include "overture/study/live/live.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/recording/recording.h"
#include "overture/setup/machine_file.h"
#include "overture/setup/setup.h"
#include "overture/study/calibrate/fit.h"
#include "overture/study/live/namespaces.h"
#include "overture/study/validate/program.h"

namespace overture::study {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr double kAgree = 0.03;     // of two runs
constexpr int kHighPriority = -15;  // so that others on the machine do not matter, where that is allowed

// Runs a command in a session of its own, whose priority and whose group's (autogroup) are raised where that
// is allowed; where it is not, the machine's other work is felt, and points are repeated.
void run_words(const Words& before, const Words& words, const fs::path& folder) {
  const std::string line = fmt::format(
      "PATH=$PATH:/usr/sbin:/sbin; (echo {0} > /proc/self/autogroup) 2>/dev/null; "
      "exec nice -n {0} \"$@\" 2>>errors.txt",
      kHighPriority);
  Words all{"-w", "sh", "-c", line, "sh"};
  all.insert(all.end(), before.begin(), before.end());
  all.insert(all.end(), words.begin(), words.end());
  run_program("/usr/bin/setsid", folder, all);
}

Words oracle_words(const std::string& run) {
  return {"train.yaml", "-o", run, "--record", "--no-report", "--overwrite"};
}

void run_in_threads(const LiveOptions& options, const fs::path& folder, const std::string& run) {
  Words words{options.program.string(), "train"};
  const Words more = oracle_words(run);
  words.insert(words.end(), more.begin(), more.end());
  run_words({}, words, folder);
}

Words party_words(const LivePoint& point, const LiveOptions& options, int worker, int port,
                  const std::string& run) {
  const std::string role = worker == 0 ? "oracle" : worker <= point.trainers ? "trainer" : "server";
  Words words{options.program.string(), role};
  if (worker == 0) {
    const Words more = oracle_words(run);
    words.insert(words.end(), more.begin(), more.end());
  }
  for (const std::string& word :
       {std::string("--worker-id"), std::to_string(worker), std::string("--world-size"),
        std::to_string(point.parties()), std::string("--world-size-trainers"), std::to_string(point.trainers),
        std::string("--master-ip"), Namespaces::address(0), std::string("--master-port"),
        std::to_string(port), std::string("--timeout"), std::string("60")})
    words.push_back(word);
  return words;
}

void run_in_namespaces(const LivePoint& point, const LiveOptions& options, const fs::path& folder,
                       const std::string& run) {
  const Namespaces network(point.parties(), point.link);
  if (!network.made())
    throw UserError("network namespaces are not allowed here, or ip and tc are missing",
                    "run as root, or with --injected: links of the trainer's own");
  constexpr int kPort = 18000;
  std::vector<std::thread> threads;
  std::vector<std::string> failures(static_cast<std::size_t>(point.parties()));
  for (int worker = 0; worker < point.parties(); ++worker) {
    threads.emplace_back([&, worker] {
      try {
        run_words(network.in(worker), party_words(point, options, worker, kPort, run), folder);
      } catch (const std::exception& error) {
        failures[static_cast<std::size_t>(worker)] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& failure : failures) {
    if (!failure.empty())
      throw UserError({.file = (folder / "errors.txt").string()},
                      "a run failed; what its parties said is there");
  }
}

LivePart part_of(Work work) {
  switch (work) {
    case Work::begin_step:
    case Work::pack_rows:
    case Work::ask_rows:
    case Work::take_rows: return LivePart::rows;
    case Work::pack_gradients:
    case Work::apply_gradients:
    case Work::take_updates:
    case Work::late_pack_gradients:
    case Work::late_apply_gradients:
    case Work::late_take_updates:
    case Work::pack_dense:
    case Work::add_dense:
    case Work::take_dense: return LivePart::sharing;
    default: return LivePart::compute;
  }
}

// Steps that count: past the beginning, and while the planner still reads. With a lookahead of 200 over links
// of 100 Mb/s the rows of the first look-ahead arrive until step 30.
struct Window {
  std::size_t first;
  std::size_t last;
};
Window window_of(int steps) {
  const auto count = static_cast<std::size_t>(steps);
  return {.first = count / 2, .last = count - 4};
}

struct RunMeasured {
  double milliseconds = 0;
  LiveParts parts{};
  double stolen = 0;
};

// The middle one of all times from one end of a step to the next would hide rare long steps; their mean does
// not.
RunMeasured measured_run(const fs::path& folder, int steps_asked) {
  const recording::Recording recording = recording::read_recording(folder);
  const formats::RecordedRun run = formats::recorded_run(recording, folder.string());
  const Window window = window_of(steps_asked);
  if (run.ended.size() <= window.last)
    throw UserError({.file = folder.string()}, fmt::format("has only {} steps", run.ended.size()));
  RunMeasured measured{.milliseconds = 1e3 * run.seconds_per_step(window.first, window.last)};
  const std::int64_t from = run.ended[window.first];
  const std::int64_t to = run.ended[window.last];
  const auto steps = static_cast<double>(window.last - window.first);
  double worked = 0;
  std::int64_t first_thread = -1;
  std::int64_t last_thread = 0;
  for (const recording::Event& event : recording.parties[1].events) {
    if (const auto* piece = std::get_if<recording::Piece>(&event);
        piece && piece->begin >= from && piece->begin < to) {
      measured.parts[static_cast<std::size_t>(part_of(piece->work))] +=
          1e-6 * static_cast<double>(piece->length) / steps;
    } else if (const auto* sent = std::get_if<recording::Sent>(&event);
               sent && sent->begin >= from && sent->begin < to) {
      measured.parts[static_cast<std::size_t>(LivePart::sharing)] +=
          1e-6 * static_cast<double>(sent->length) / steps;
    } else if (const auto* one = std::get_if<recording::Computed>(&event);
               one && one->at >= from && one->at <= to) {
      if (first_thread < 0) first_thread = one->thread;
      last_thread = one->thread;
    }
  }
  for (const double part : measured.parts) worked += part;
  measured.parts[static_cast<std::size_t>(LivePart::waiting)] = std::max(0.0, measured.milliseconds - worked);
  const double computed =
      first_thread < 0 ? 0 : 1e-6 * static_cast<double>(last_thread - first_thread) / steps;
  measured.stolen = worked <= 0 ? 0 : std::clamp(1 - computed / worked, 0.0, 1.0);
  return measured;
}

bool is_measured(const fs::path& folder, const std::string& setup) {
  return fs::exists(folder / "recording") && fs::exists(folder / "train.yaml") &&
         read_file(folder / "train.yaml") == setup;
}

std::string network_text(const LivePoint& point, const model::Machine& machine, bool injected) {
  const int parties = point.parties();
  std::string text = fmt::format("hosts {}\nswitches 1\n", parties);
  const Bandwidth free =
      machine.wire == Bandwidth{} ? Bandwidth::bits_per_second(1'000'000'000'000) : machine.wire;
  // What both sides compute for a message is added to what the network takes.
  const Duration computed = 2 * machine.message_cpu + machine.time(Work::take, {});
  const Duration latency = std::max(machine.message - computed, Duration{});
  // Trainers, then servers, then the oracle. An injected link is between servers and all others.
  for (int host = 0; host < parties; ++host) {
    const bool server = host >= point.trainers && host < parties - 1;
    const bool limited = point.link > Bandwidth{} && (!injected || server);
    const double share = injected ? 1 : kPayloadShare;
    const Bandwidth slow = Bandwidth::bits_per_second(
        static_cast<std::int64_t>(share * static_cast<double>(point.link.bits_per_second())));
    const Bandwidth rate = limited ? std::min(slow, free) : free;
    const Duration delay =
        latency / 2 + (limited && injected ? Duration{std::chrono::microseconds(100)} : Duration{});
    text += fmt::format("link h{} s0 {} {} host\n", host, exact(rate), exact(delay));
  }
  return text;
}

Predicted simulated(const fs::path& setup_file, int steps_asked) {
  const setup::Setup setup = setup::load_setup(setup_file);
  Predicted predicted{.result = simulation::simulate(setup.simulation)};
  const workload::TaskGraph& graph = predicted.result.graph;
  std::vector<Time> ends;
  const std::string end = workload::end_label();
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const workload::TaskId id{i};
    if (graph.kind(id) == workload::TaskKind::compute && graph.name(id) == end &&
        graph.compute(id).rank == Rank{0})
      ends.push_back(predicted.result.end[i]);
  }
  const Window window = window_of(steps_asked);
  const std::size_t first = window.first;
  ends.resize(std::min(ends.size(), window.last + 1));
  const auto steps = static_cast<double>(ends.size() - 1 - first);
  predicted.milliseconds = 1e-9 * static_cast<double>((ends.back() - ends[first]).count()) / steps;
  double worked = 0;
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const workload::TaskId id{i};
    if (graph.kind(id) != workload::TaskKind::compute || graph.compute(id).rank != Rank{0}) continue;
    if (predicted.result.start[i] < ends[first] || predicted.result.start[i] >= ends.back()) continue;
    const std::string& label = graph.name(id);
    const auto kind = std::ranges::find(work_kinds(), label, &WorkKind::name);
    const Work work = kind == work_kinds().end() ? Work::other : kind->work;
    const double length =
        1e-9 * static_cast<double>((predicted.result.end[i] - predicted.result.start[i]).count()) / steps;
    predicted.parts[static_cast<std::size_t>(part_of(work))] += length;
    worked += length;
  }
  predicted.parts[static_cast<std::size_t>(LivePart::waiting)] =
      std::max(0.0, predicted.milliseconds - worked);
  return predicted;
}

// Links are queues of frames, as tbf's are: messages wait for those before them, and nobody's share is fair.
std::string setup_text(const LivePoint& point, const std::string& workload) {
  return fmt::format(
      "name: {}\nnetwork: {{backend: packet, transport: plain, topology: {{file: network.txt}}}}\n"
      "system: {{all_reduce: [direct], chunks: 1, active_chunks: 1000000, endpoint_delay: 0 ns}}\n{}",
      point.name(), workload);
}

// Costs as points with so many trainers find them.
model::Machine on_free_links(int trainers, std::span<const LiveCalibration> calibrations) {
  std::vector<recording::Recording> free;
  std::vector<recording::Recording> alike;
  for (const LiveCalibration& one : calibrations) {
    if (one.point.link > Bandwidth{}) continue;
    free.push_back(one.recording);
    if (one.point.trainers == trainers) alike.push_back(one.recording);
  }
  model::Machine machine = fit_machine(free).machine;
  if (!alike.empty()) prefer_costs(machine, fit_machine(alike).machine);
  return machine;
}

}  // namespace

std::string_view name(LivePart part) {
  constexpr std::array<std::string_view, kLiveParts> kNames{"computing", "rows", "sharing", "waiting"};
  return kNames[static_cast<std::size_t>(part)];
}

fs::path point_folder(const LiveOptions& options, std::size_t number) {
  return options.folder / fmt::format("point-{}", number);
}

void make_live_data(const LiveOptions& options, bool quick) {
  if (options.keep && fs::exists(options.folder / kLiveData)) return;
  run_program(options.program, options.folder,
              {"generate", "dataset", "--like", "kaggle", "--scale", "0.01", "--samples",
               quick ? "20k" : "280k", "-o", kLiveData});
}

Measured measure(const LivePoint& point, std::size_t number, const LiveOptions& options) {
  const fs::path folder = point_folder(options, number);
  const std::string setup = train_yaml(point, options.steps + point.lookahead, options.injected);
  if (options.keep && is_measured(folder, setup)) {
    const RunMeasured run = measured_run(folder / "recording", options.steps);
    return {run.milliseconds, {run.milliseconds}, run.parts, run.stolen};
  }
  fs::remove_all(folder);
  fs::create_directories(folder);
  write_file(folder / "train.yaml", setup);
  Measured best;
  for (int repeat = 0; repeat < options.most_repeats; ++repeat) {
    if (options.injected) {
      run_in_threads(options, folder, "run");
    } else {
      run_in_namespaces(point, options, folder, "run");
    }
    const RunMeasured run = measured_run(folder / "run/recording", options.steps);
    const bool fastest = best.repeats.empty() || run.milliseconds < best.milliseconds;
    if (fastest) {
      best.milliseconds = run.milliseconds;
      best.parts = run.parts;
      best.stolen = run.stolen;
      fs::remove_all(folder / "best");
      fs::rename(folder / "run/recording", folder / "best");
    }
    best.repeats.push_back(run.milliseconds);
    std::vector<double> sorted = best.repeats;
    std::ranges::sort(sorted);
    if (sorted.size() >= 2 && sorted[1] <= sorted[0] * (1 + kAgree)) break;
  }
  fs::remove_all(folder / "run");
  fs::rename(folder / "best", folder / "recording");  // only now: an interrupted point is measured again
  return best;
}

model::Machine machine_at(const LivePoint& point, std::span<const LiveCalibration> calibrations) {
  model::Machine machine = on_free_links(point.trainers, calibrations);
  if (point.link == Bandwidth{}) return machine;
  Duration sum{};
  int count = 0;
  for (const LiveCalibration& one : calibrations) {
    if (one.point.link == Bandwidth{}) continue;
    sum += interrupts_held_back(on_free_links(one.point.trainers, calibrations), {&one.recording, 1});
    ++count;
  }
  if (count > 0) machine.message_interrupts_per_million = sum / count;
  return machine;
}

Predicted predict(const LivePoint& point, std::size_t number, const model::Machine& machine,
                  const LiveOptions& options) {
  const fs::path folder = point_folder(options, number);
  write_file(folder / "machine.yaml", setup::write_machine(machine));
  write_file(folder / "network.txt", network_text(point, machine, options.injected));
  write_file(
      folder / "predict.yaml",
      setup_text(point, fmt::format("workload:\n  training: {{setup: train.yaml, machine: machine.yaml, "
                                    "first: 0, steps: {}, cores: {}}}\n",
                                    options.steps, machine.name.cores)));
  return simulated(folder / "predict.yaml", options.steps);
}

Predicted replay(const LivePoint& point, std::size_t number, const model::Machine& machine,
                 const LiveOptions& options) {
  const fs::path folder = point_folder(options, number);
  write_file(folder / "network.txt", network_text(point, machine, options.injected));
  write_file(
      folder / "replay.yaml",
      setup_text(
          point,
          fmt::format("workload:\n  recording: recording\n  training: {{first: 0, steps: {}, cores: {}}}\n",
                      options.steps, machine.name.cores)));
  return simulated(folder / "replay.yaml", options.steps);
}

}  // namespace overture::study
