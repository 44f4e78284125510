// A network in parts, each with its own fabric and transport, run by a thread each. All parts run one window,
// hand over what crossed, and meet; the result is the same for any number of parts, because no event depends
// on the order of events elsewhere: ties go by link, and every node draws its own random numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "overture/base/check.h"
#include "overture/network/packet/fabric.h"
#include "overture/network/packet/parallel_barrier.h"
#include "overture/network/packet/parallel_partition.h"
#include "overture/network/packet/stack.h"
#include "overture/network/packet/transport.h"

namespace overture::network::packet {

template <PartedTransport Transport>
class ParallelStack final : public Stack {
 public:
  // `topology` outlives it. make(fabric, pause, shared) makes the transport of one part.
  template <class Make>
  ParallelStack(const topology::Topology& topology, const PacketConfig& config, Make make)
      : window_(window(topology.graph)),
        partition_(partition(topology.graph, config.threads)),
        barrier_(partition_.parts) {
    for (int part = 0; part < partition_.parts; ++part) {
      parts_.push_back(std::make_unique<Part>(topology, config, partition_, part, shared_, make));
    }
    for (std::size_t part = 1; part < parts_.size(); ++part) {
      threads_.emplace_back([this, part] { serve(part); });
    }
  }
  ~ParallelStack() override {
    limit_ = kStop;
    barrier_.meet();
    for (std::thread& thread : threads_) thread.join();
  }
  ParallelStack(const ParallelStack&) = delete;
  ParallelStack& operator=(const ParallelStack&) = delete;

  void reserve(std::size_t connections) override { parts_[0]->transport.reserve(connections); }
  std::uint32_t post(int from, int to, std::int64_t bytes, std::int64_t when) override {
    Part& part = *parts_[static_cast<std::size_t>(partition_.of[static_cast<std::size_t>(from)])];
    return part.transport.post(from, to, bytes, when);
  }

  // Runs what is due by `limit`, or to the end of the window in which the last message is delivered.
  void run(std::int64_t limit) override {
    limit_ = limit;
    for (const auto& part : parts_) report(*part, 0, kNever);
    barrier_.meet();
    work(0);
    collect_completions();
  }

  std::int64_t now() const override {
    std::int64_t now = 0;
    for (const auto& part : parts_) now = std::max(now, part->fabric.now());
    return now;
  }
  std::int64_t next_time() const override {
    std::int64_t next = kNever;
    for (const auto& part : parts_) next = std::min(next, part->fabric.next_time());
    return next;
  }
  std::uint64_t outstanding() const override {
    std::int64_t sum = 0;
    for (const auto& part : parts_) sum += part->transport.outstanding();
    return static_cast<std::uint64_t>(sum);
  }
  std::vector<Completion>& completions() override { return completions_; }
  void set_faults(PacketFaults&) override { check(false, "faults run on one thread"); }
  bool ends_with_window() const override { return true; }
  std::vector<StackPart> parts() const override {
    std::vector<StackPart> all;
    for (const auto& part : parts_) all.push_back({&part->fabric, &part->transport});
    return all;
  }
  std::size_t connections() const override { return parts_[0]->transport.flows(); }  // all parts know all
  std::size_t memory() const override {
    std::size_t sum = shared_.memory();
    for (const auto& part : parts_) sum += part->transport.memory();
    return sum;
  }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kStop = -1;  // in place of a limit: the threads end

  struct Crossing {
    Packet packet;
    std::uint32_t link;
  };
  struct Outbox {
    std::vector<Crossing> packets;
    typename Transport::Mail mail;
  };
  // What the others need to know after a window.
  struct alignas(64) Report {
    std::int64_t next = 0;  // when something happens again
    std::int64_t outstanding = 0;
  };
  struct Part {
    template <class Make>
    Part(const topology::Topology& topology, const PacketConfig& config, const Partition& partition, int part,
         typename Transport::Shared& shared, Make make)
        : fabric(topology, config, partition, part), transport(make(fabric, Pause::never, shared)) {
      for (std::size_t turn = 0; turn < 2; ++turn) {
        outboxes[turn].resize(static_cast<std::size_t>(partition.parts));
        for (Outbox& outbox : outboxes[turn]) mail[turn].push_back(&outbox.mail);
      }
    }

    Fabric fabric;
    Transport transport;
    // Filled in one window and emptied in the next, while the other set is filled.
    std::array<std::vector<Outbox>, 2> outboxes;                 // by part
    std::array<std::vector<typename Transport::Mail*>, 2> mail;  // in them
    std::array<Report, 2> reports;
  };

  // In time order; those of earlier runs are earlier.
  void collect_completions() {
    const auto before = static_cast<std::ptrdiff_t>(completions_.size());
    for (const auto& part : parts_) {
      std::vector<Completion>& some = part->transport.completions();
      completions_.insert(completions_.end(), some.begin(), some.end());
      some.clear();
    }
    std::stable_sort(completions_.begin() + before, completions_.end(),
                     [](const Completion& a, const Completion& b) { return a.when < b.when; });
  }

  void serve(std::size_t part) {
    for (;;) {
      barrier_.meet();
      if (limit_ == kStop) return;
      work(part);
    }
  }

  // What one thread does in one run. All threads see the same reports and so decide alike.
  void work(std::size_t self) {
    Part& part = *parts_[self];
    std::size_t turn = 0;
    const std::int64_t limit = limit_;
    const bool idle = outstanding_in(turn) == 0;
    for (;;) {
      const std::int64_t next = next_in(turn);
      if (next > limit || (!idle && outstanding_in(turn) == 0)) break;
      turn = 1 - turn;
      run_window(part, std::min(limit, next / window_ * window_ + window_ - 1), turn);
      barrier_.meet();
      take_over(self, turn);
    }
    barrier_.meet();
  }

  void run_window(Part& part, std::int64_t end, std::size_t turn) {
    std::vector<Outbox>& outboxes = part.outboxes[turn];
    part.transport.send_mail_to(part.mail[turn]);
    part.fabric.run(part.transport, end);
    std::int64_t arrival = kNever;
    part.fabric.hand_over(end, [&](int to, std::uint32_t link, Packet packet) {
      Outbox& outbox = outboxes[static_cast<std::size_t>(to)];
      part.transport.pack(packet, outbox.mail);
      outbox.packets.push_back({packet, link});
      arrival = std::min(arrival, packet.arrival);
    });
    report(part, turn, arrival);
  }

  void take_over(std::size_t self, std::size_t turn) {
    Part& part = *parts_[self];
    for (const auto& other : parts_) {
      Outbox& box = other->outboxes[turn][self];
      part.transport.read(box.mail);
      for (Crossing& crossing : box.packets) {
        part.transport.unpack(crossing.packet, box.mail);
        part.fabric.take_over(crossing.link, crossing.packet);
      }
      box.packets.clear();
      box.mail.clear();
    }
  }

  // `arrival` is the first one of what was handed over.
  static void report(Part& part, std::size_t turn, std::int64_t arrival) {
    part.reports[turn] = {.next = std::min(part.fabric.next_time(), arrival),
                          .outstanding = part.transport.outstanding()};
  }
  std::int64_t next_in(std::size_t turn) const {
    std::int64_t next = kNever;
    for (const auto& part : parts_) next = std::min(next, part->reports[turn].next);
    return next;
  }
  std::int64_t outstanding_in(std::size_t turn) const {
    std::int64_t sum = 0;
    for (const auto& part : parts_) sum += part->reports[turn].outstanding;
    return sum;
  }

  std::int64_t window_;
  Partition partition_;
  typename Transport::Shared shared_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<Completion> completions_;
  Barrier barrier_;
  std::int64_t limit_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace overture::network::packet
