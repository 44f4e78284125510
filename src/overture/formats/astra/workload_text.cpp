#include "overture/formats/astra/workload_text.h"

#include <limits>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/text.h"
#include "overture/workload/names.h"

namespace overture::formats {

using namespace workload;
namespace {

using system::CollectiveKind;

constexpr std::int64_t kLargest = std::int64_t{1} << 53;  // sizes and times pass through doubles when scaled

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

class Tokens {
 public:
  Tokens(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  int line() const { return line_; }
  bool done() {
    skip();
    return at_ == text_.size();
  }
  // Whether the next token stands on the line of the last one.
  bool more_on_line() {
    const int here = line_;
    const bool more = !done() && line_ == here;
    return more;
  }

  [[noreturn]] void fail(const std::string& key, const std::string& what,
                         const std::string& hint = {}) const {
    throw UserError({.file = file_, .line = line_, .key = key}, what, hint);
  }

  std::string word(const std::string& what) {
    if (done()) {
      throw UserError({.file = file_, .line = line_}, fmt::format("the file ends where {} should be", what),
                      "the file may be cut short, or its number of layers too large");
    }
    const std::size_t start = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  // The next token, which stays the next; empty at the end.
  std::string peek() {
    const Tokens before = *this;
    const std::string next = done() ? "" : word("");
    *this = before;
    return next;
  }

  std::int64_t integer(const std::string& what, std::int64_t least, std::int64_t most = kLargest) {
    const std::string token = word(what);
    const auto value = parse_number<std::int64_t>(token);
    if (!value) fail(what, fmt::format("\"{}\" is not a whole number", token));
    if (*value < least) fail(what, fmt::format("{} is less than {}", *value, least));
    if (*value > most) fail(what, fmt::format("{} is too large", *value));
    return *value;
  }

  int small_integer(const std::string& what, int least) {
    return static_cast<int>(integer(what, least, std::numeric_limits<int>::max()));
  }

  std::int64_t scaled_integer(const std::string& what, float scale) {
    const std::int64_t value = integer(what, 0);
    const double product = static_cast<double>(value) * static_cast<double>(scale);
    if (!(product <= static_cast<double>(kLargest)))
      fail(what, fmt::format("{} times {} is too large", value, scale));
    return static_cast<std::int64_t>(product);
  }

 private:
  void skip() {
    while (at_ < text_.size() && is_space(text_[at_])) {
      if (text_[at_++] == '\n') ++line_;
    }
  }

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
  int line_ = 1;
};

// SimAI's files have more in the header: sizes of expert and pipeline groups, and what stages exchange. What
// is not 1 or 0 there would change who talks to whom, which the columns cannot tell.
void read_simai_words(Tokens& tokens) {
  for (std::string label = tokens.peek();
       label == "ep:" || label == "pp:" || label == "vpp:" || label == "ga:" || label == "all_gpus:" ||
       label == "pp_comm" || label == "pp_comm:";
       label = tokens.peek()) {
    tokens.word(label);
    const std::int64_t value = tokens.integer(label, 0);
    const bool groups = label == "ep:" || label == "pp:";
    if (groups && value > 1)
      tokens.fail(label.substr(0, 2),
                  fmt::format("{} groups are not modelled", label == "ep:" ? "expert" : "pipeline"), "use 1");
  }
}

// With expert groups of 1, these are the plain collectives.
std::string without_simai_suffix(std::string word) {
  for (const std::string_view suffix : {"_DP_EP", "_EP"}) {
    if (word.ends_with(suffix)) return word.substr(0, word.size() - suffix.size());
  }
  return word;
}

std::optional<CollectiveKind> read_kind(Tokens& tokens, const std::string& what) {
  const std::string word = without_simai_suffix(tokens.word(what + " communication type"));
  if (word == "NONE") return std::nullopt;
  if (const auto kind = parse_collective(word)) return kind;
  const std::string hint = suggest(word, {"NONE", "ALLREDUCE", "ALLTOALL", "ALLGATHER", "REDUCESCATTER"});
  if (word == "ALLREDUCEALLTOALL") tokens.fail(what, "ALLREDUCEALLTOALL cannot be run", hint);
  tokens.fail(what, fmt::format("unknown communication type \"{}\"", word), hint);
}

Pass read_pass(Tokens& tokens, const std::string& what, const AstraScales& scales) {
  Pass pass;
  pass.compute = Nanoseconds{tokens.scaled_integer(what + " compute time", scales.compute)};
  const auto kind = read_kind(tokens, what);
  const std::int64_t size = tokens.scaled_integer(what + " communication size", scales.communication);
  if (!kind) return pass;
  if (size == 0) {
    tokens.fail(what, "a communication of 0 bytes",
                scales.communication < 1
                    ? "write NONE where there is none; or does the communication scale leave nothing?"
                    : "write NONE where there is none");
  }
  pass.communication = Communication{*kind, Bytes{size}};
  return pass;
}

std::vector<int> read_layer_list(Tokens& tokens, const std::string& what) {
  tokens.word("the label of the " + what + " layers");
  const std::int64_t count = tokens.integer("number of " + what + " layers", 0);
  std::vector<int> layers;
  for (std::int64_t i = 0; i < count; ++i) layers.push_back(tokens.small_integer(what + " layer", 0));
  return layers;
}

void read_header(Tokens& tokens, Workload& workload) {
  const std::string keyword = tokens.word("the parallelism keyword");
  const auto parallelism = parse_parallelism(keyword);
  if (!parallelism) {
    tokens.fail("", fmt::format("unknown parallelism \"{}\"", keyword),
                suggest(keyword, parallelism_names()));
  }
  workload.parallelism = *parallelism;
  switch (*parallelism) {
    case Parallelism::hybrid_dlrm:
    case Parallelism::hybrid_dlrm_enhanced:
      workload.last_bottom_layer = tokens.small_integer("last bottom layer", 0);
      break;
    case Parallelism::hybrid_transformer:
    case Parallelism::hybrid_transformer_fwd_in_bckwd:
      tokens.word("the label of the model-parallel group");
      workload.model_group = tokens.small_integer("model-parallel group", 1);
      if (*parallelism == Parallelism::hybrid_transformer_fwd_in_bckwd) {
        read_simai_words(tokens);
        workload.checkpoints = read_layer_list(tokens, "checkpoint");
        workload.recompute_starts = read_layer_list(tokens, "recomputing");
        read_simai_words(tokens);
      }
      break;
    default: break;
  }
}

Layer read_layer(Tokens& tokens, Parallelism parallelism, const AstraScales& scales) {
  Layer layer;
  layer.name = tokens.word("a layer's name");
  tokens.word("the reserved column");
  layer.forward = read_pass(tokens, "forward", scales);
  layer.input_gradient = read_pass(tokens, "input gradient", scales);
  layer.weight_gradient = read_pass(tokens, "weight gradient", scales);
  layer.update = Nanoseconds{tokens.integer("update delay", 0)};
  if (parallelism != Parallelism::hybrid_customized) {
    if (tokens.more_on_line()) {  // the column that the original's generator adds
      const std::string word = tokens.word("");
      if (!parse_parallelism(word))
        tokens.fail(layer.name, fmt::format("\"{}\" is one column too many", word));
    }
    return layer;
  }
  const std::string word = tokens.word("the layer's parallelism");
  const auto own = parse_parallelism(word);
  if (!own || !allowed_per_layer(*own)) {
    tokens.fail(layer.name, fmt::format("\"{}\" is not a layer's parallelism", word),
                suggest(word, {"DATA", "MODEL", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA"}));
  }
  layer.parallelism = *own;
  return layer;
}

}  // namespace

Workload parse_astra_workload(std::string_view text, const std::string& file, const AstraScales& scales) {
  Tokens tokens(text, file);
  Workload workload;
  read_header(tokens, workload);
  const std::int64_t layers = tokens.integer("number of layers", 1);
  for (std::int64_t i = 0; i < layers; ++i) {
    workload.layers.push_back(read_layer(tokens, workload.parallelism, scales));
  }
  if (!tokens.done()) {
    tokens.fail("", fmt::format("there is text after the last of {} layers", layers),
                "the number of layers may be too small");
  }
  check_workload(workload, {.file = file});
  return workload;
}

namespace {

std::int64_t whole_ns(Duration d) { return (d.count() + 999) / 1000; }

std::string write_pass(const Pass& pass) {
  if (!pass.communication) return fmt::format("{}\tNONE\t0", whole_ns(pass.compute));
  return fmt::format("{}\t{}\t{}", whole_ns(pass.compute), astra_name(pass.communication->kind),
                     pass.communication->size.count());
}

std::string write_list(const std::string& label, const std::vector<int>& layers) {
  std::string text = fmt::format(" {}: {}", label, layers.size());
  for (const int layer : layers) text += fmt::format(" {}", layer);
  return text;
}

std::string write_header(const Workload& workload) {
  std::string text(astra_name(workload.parallelism));
  switch (workload.parallelism) {
    case Parallelism::hybrid_dlrm:
    case Parallelism::hybrid_dlrm_enhanced: return text + fmt::format(" {}", workload.last_bottom_layer);
    case Parallelism::hybrid_transformer:
      return text + fmt::format(" model_parallel_NPU_group: {}", workload.model_group);
    case Parallelism::hybrid_transformer_fwd_in_bckwd:
      return text + fmt::format(" model_parallel_NPU_group: {}", workload.model_group) +
             write_list("checkpoints", workload.checkpoints) +
             write_list("checkpoint_initiates", workload.recompute_starts);
    default: return text;
  }
}

}  // namespace

std::string write_astra_workload(const Workload& workload) {
  std::string text = fmt::format("{}\n{}\n", write_header(workload), workload.layers.size());
  for (const Layer& layer : workload.layers) {
    text += fmt::format("{}\t-1\t{}\t{}\t{}\t{}", layer.name, write_pass(layer.forward),
                        write_pass(layer.input_gradient), write_pass(layer.weight_gradient),
                        whole_ns(layer.update));
    if (workload.parallelism == Parallelism::hybrid_customized) {
      text += fmt::format("\t{}", astra_name(layer.parallelism));
    }
    text += '\n';
  }
  return text;
}

}  // namespace overture::formats
