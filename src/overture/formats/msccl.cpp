#include "overture/formats/msccl.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/text.h"

namespace overture::formats {
namespace {

using system::CollectiveKind;

constexpr int kMostGpus = 30'000;  // so that pairs of them can be counted
constexpr std::size_t kMostTransfers = 20'000'000;

struct Element {
  std::string name;
  bool closes = false;
  int line = 0;
  std::map<std::string, std::string> attributes;
};

// Tags and their attributes; there is nothing else in these files.
class Xml {
 public:
  Xml(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::optional<Element> next() {
    if (!find_tag()) return std::nullopt;
    Element element{.line = line_};
    if (at_ < text_.size() && text_[at_] == '/') {
      element.closes = true;
      step();
    }
    element.name = word();
    while (true) {
      skip();
      if (at_ >= text_.size()) fail("a tag does not end");
      if (text_[at_] == '>') break;
      if (text_[at_] == '/') {
        step();
        continue;
      }
      attribute(element);
    }
    step();
    return element;
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw UserError({.file = file_, .line = line_}, what);
  }

 private:
  void step() {
    if (text_[at_++] == '\n') ++line_;
  }
  // Goes behind the < of the next tag that is no comment or declaration.
  bool find_tag() {
    while (true) {
      while (at_ < text_.size() && text_[at_] != '<') step();
      if (at_ >= text_.size()) return false;
      step();
      if (at_ >= text_.size() || (text_[at_] != '?' && text_[at_] != '!')) return true;
      while (at_ < text_.size() && text_[at_] != '>') step();
    }
  }
  void skip() {
    while (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) <= ' ') step();
  }
  std::string word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      step();
    if (at_ == start) fail("expected a name");
    return std::string(text_.substr(start, at_ - start));
  }
  void attribute(Element& element) {
    const std::string key = word();
    skip();
    if (at_ + 1 >= text_.size() || text_[at_] != '=') fail("expected = after " + key);
    step();
    skip();
    if (at_ >= text_.size() || text_[at_] != '"') fail("expected a value in quotes after " + key);
    step();
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] != '"') step();
    if (at_ >= text_.size()) fail("a value does not end");
    element.attributes[key] = text_.substr(start, at_ - start);
    step();
  }

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
  int line_ = 1;
};

struct Place {
  char buffer = 'i';
  int offset = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

struct Operation {
  std::string type;
  Place source;
  Place destination;
  int count = 1;
  int waits_for_block = -1;
  int waits_for_step = -1;
  int line = 0;
  bool receives() const { return type == "r" || type.starts_with("rc") || type.starts_with("rr"); }
  bool sends() const { return type == "s" || type == "rcs" || type == "rrs" || type == "rrcs"; }
  bool reduces() const { return type.starts_with("rr") || type == "re"; }
};

struct Block {
  int gpu = 0;
  int id = 0;
  int send = -1;
  int receive = -1;
  int channel = 0;
  std::vector<Operation> operations;
};

class Algorithm {
 public:
  Algorithm(CollectiveKind kind, std::string_view text, const std::string& file) : kind_(kind), file_(file) {
    read(text);
  }

  system::Steps steps() {
    find_connections();
    play();
    system::Steps steps{.ranks = gpus_, .chunks = chunks()};
    steps.transfers = std::move(transfers_);
    std::ranges::stable_sort(steps.transfers, {}, &system::Transfer::step);
    return steps;
  }

 private:
  [[noreturn]] void fail(int line, std::string_view what, std::string_view hint = {}) const {
    throw UserError({.file = file_, .line = line}, what, hint);
  }

  int number(const Element& element, const std::string& key, int otherwise, int least = -1) const {
    const auto found = element.attributes.find(key);
    if (found == element.attributes.end()) return otherwise;
    const auto value = parse_number<int>(found->second);
    if (!value || *value < least || *value > 1'000'000)
      fail(element.line, fmt::format("{} is \"{}\", not a number from {}", key, found->second, least));
    return *value;
  }
  Place place(const Element& element, const std::string& prefix) const {
    const auto buffer = element.attributes.find(prefix + "buf");
    const char letter =
        buffer == element.attributes.end() || buffer->second.empty() ? 'i' : buffer->second[0];
    if (letter != 'i' && letter != 'o' && letter != 's')
      fail(element.line, fmt::format("unknown buffer {}", letter), "i, o or s");
    return {letter, number(element, prefix + "off", 0)};
  }

  void read(std::string_view text) {
    Xml xml(text, file_);
    int gpu = -1;
    while (const auto element = xml.next()) {
      if (element->closes) continue;
      if (element->name == "algo") {
        gpus_ = number(*element, "ngpus", 0, 1);
        if (gpus_ > kMostGpus) fail(element->line, fmt::format("more than {} GPUs", kMostGpus));
        per_loop_ = number(*element, "nchunksperloop", 1, 1);
      } else if (element->name == "gpu") {
        gpu = number(*element, "id", -1, 0);
        if (gpu >= gpus_) fail(element->line, fmt::format("gpu {} of {}", gpu, gpus_));
      } else if (element->name == "tb") {
        if (gpu < 0) fail(element->line, "a tb outside of a gpu");
        blocks_.push_back({gpu,
                           number(*element, "id", 0),
                           number(*element, "send", -1),
                           number(*element, "recv", -1),
                           number(*element, "chan", 0),
                           {}});
      } else if (element->name == "step") {
        if (blocks_.empty()) fail(element->line, "a step outside of a tb");
        const auto type = element->attributes.find("type");
        if (type == element->attributes.end()) fail(element->line, "a step without a type");
        blocks_.back().operations.push_back({type->second, place(*element, "src"), place(*element, "dst"),
                                             number(*element, "cnt", 1, 0), number(*element, "depid", -1),
                                             number(*element, "deps", -1), element->line});
      }
    }
    if (gpus_ < 2 || blocks_.empty())
      throw UserError({.file = file_}, "is not an MSCCL algorithm", "<algo ngpus=\"8\" ...>");
  }

  // The block that receives what another sends: same channel, and each names the other.
  void find_connections() {
    std::map<std::tuple<int, int, int>, std::size_t> receivers;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (blocks_[b].receive >= 0) receivers[{blocks_[b].receive, blocks_[b].gpu, blocks_[b].channel}] = b;
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (blocks_[b].send < 0) continue;
      const auto found = receivers.find({blocks_[b].gpu, blocks_[b].send, blocks_[b].channel});
      if (found != receivers.end()) receiver_of_[b] = found->second;
    }
  }

  // Every block as far as it gets, round after round: what is sent in one round arrives in it.
  void play() {
    std::vector<std::size_t> next(blocks_.size());
    std::map<std::size_t, std::vector<std::pair<int, Place>>>
        in_flight;  // by receiving block: step and source
    bool moved = true;
    for (int round = 0; moved; ++round) {
      moved = false;
      const std::vector<std::size_t> before = next;
      auto arrived = std::move(in_flight);
      in_flight.clear();
      for (std::size_t b = 0; b < blocks_.size(); ++b) {
        if (next[b] == blocks_[b].operations.size()) {
          if (arrived.contains(b)) in_flight[b] = arrived[b];
          continue;
        }
        const Operation& operation = blocks_[b].operations[next[b]];
        std::vector<std::pair<int, Place>>& queue = arrived[b];
        const bool ready =
            (!operation.receives() || !queue.empty()) && depends_done(blocks_[b], operation, before);
        if (ready) {
          moved = true;
          ++next[b];
          if (operation.receives()) {
            receive(blocks_[b], operation, queue.front());
            queue.erase(queue.begin());
          }
          if (operation.sends()) {
            const auto to = receiver_of_.find(b);
            if (to == receiver_of_.end()) fail(operation.line, "no step receives what this step sends");
            sent_.push_back({to->second, round, operation.source});
          }
        }
        for (const auto& rest : queue) in_flight[b].push_back(rest);
      }
      for (const auto& [to, step, source] : sent_) in_flight[to].emplace_back(step, source);
      sent_.clear();
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (next[b] != blocks_[b].operations.size())
        fail(blocks_[b].operations[next[b]].line, fmt::format("gpu {} waits here forever", blocks_[b].gpu));
    }
  }

  bool depends_done(const Block& block, const Operation& operation,
                    const std::vector<std::size_t>& done) const {
    if (operation.waits_for_block < 0 || operation.waits_for_step < 0) return true;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (blocks_[b].gpu == block.gpu && blocks_[b].id == operation.waits_for_block)
        return done[b] > static_cast<std::size_t>(operation.waits_for_step);
    }
    return true;
  }

  void receive(const Block& block, const Operation& operation, const std::pair<int, Place>& what) {
    Place to = operation.destination;
    bool reduce = operation.reduces();
    if (operation.type == "rrs" || operation.type == "rcs") to = operation.source;
    if (to.buffer == 's') std::tie(to, reduce) = beyond_scratch(block.gpu, to, operation);
    for (int c = 0; c < operation.count; ++c) {
      const std::int64_t meant = chunk(block.gpu, {to.buffer, to.offset + c});
      if (meant < 0 || meant >= chunks())
        fail(operation.line, fmt::format("there is no chunk {}", to.offset + c), "see nchunksperloop");
      if (transfers_.size() >= kMostTransfers)
        fail(operation.line, fmt::format("more than {} transfers of chunks", kMostTransfers));
      transfers_.push_back({.step = what.first,
                            .from = block.receive,
                            .to = block.gpu,
                            .chunk = static_cast<int>(meant),
                            .reduce = reduce});
    }
  }

  // Where a chunk in scratch memory goes in the end.
  std::pair<Place, bool> beyond_scratch(int gpu, Place scratch, const Operation& from) const {
    for (const Block& block : blocks_) {
      if (block.gpu != gpu) continue;
      for (const Operation& operation : block.operations) {
        const bool local = operation.type == "re" || operation.type == "cpy";
        if (local && operation.source == scratch && operation.destination.buffer != 's')
          return {operation.destination, operation.type == "re"};
      }
    }
    fail(from.line, "a chunk stays in scratch memory, which cannot be followed",
         "algorithms in place can be read");
  }

  int chunks() const { return kind_ == CollectiveKind::all_to_all ? gpus_ * gpus_ : per_loop_; }

  // Numbered as in system/steps.h.
  std::int64_t chunk(int gpu, Place place) const {
    const std::int64_t share = std::max(1, per_loop_ / gpus_);
    if (kind_ == CollectiveKind::all_to_all)
      return place.buffer == 'o' ? place.offset / share * gpus_ + gpu : gpu * gpus_ + place.offset / share;
    const bool own = (kind_ == CollectiveKind::all_gather && place.buffer == 'i' && place.offset < share) ||
                     (kind_ == CollectiveKind::reduce_scatter && place.buffer == 'o');
    return own && place.offset < share ? gpu * share + place.offset : place.offset;
  }

  struct Sent {
    std::size_t to;
    int step;
    Place source;
  };

  CollectiveKind kind_;
  std::string file_;
  int gpus_ = 0;
  int per_loop_ = 1;
  std::vector<Block> blocks_;
  std::map<std::size_t, std::size_t> receiver_of_;
  std::vector<Sent> sent_;
  std::vector<system::Transfer> transfers_;
};

}  // namespace

system::Steps parse_msccl(CollectiveKind kind, std::string_view text, const std::string& file) {
  system::Steps steps = Algorithm(kind, text, file).steps();
  if (const Result<bool> result = verify(kind, steps); !result)
    throw UserError({.file = file}, fmt::format("is no {}: {}", name(kind), result.error()));
  return steps;
}

}  // namespace overture::formats
