#include "overture/compute/scale_sim_config.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "overture/base/csv.h"
#include "overture/base/error.h"
#include "overture/base/files.h"

namespace overture::compute {
namespace {

struct Key {
  std::string_view section;
  std::string_view name;
  bool required = true;
};

constexpr std::array kKeys{Key{"general", "run_name"},
                           Key{"architecture_presets", "ArrayHeight"},
                           Key{"architecture_presets", "ArrayWidth"},
                           Key{"architecture_presets", "IfmapSramSzkB"},
                           Key{"architecture_presets", "FilterSramSzkB"},
                           Key{"architecture_presets", "OfmapSramSzkB"},
                           Key{"architecture_presets", "IfmapOffset"},
                           Key{"architecture_presets", "FilterOffset"},
                           Key{"architecture_presets", "OfmapOffset"},
                           Key{"architecture_presets", "Dataflow"},
                           Key{"architecture_presets", "Bandwidth", false},
                           Key{"architecture_presets", "MemoryBanks", false},
                           Key{"run_presets", "InterfaceBandwidth"}};

// SCALE-Sim's own reader, Python's configparser, takes keys in any case.
bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string known_section(std::string_view name, const Where& where) {
  std::vector<std::string> known;
  for (const Key& key : kKeys) {
    if (same_word(key.section, name)) return std::string(key.section);
    if (known.empty() || known.back() != key.section) known.emplace_back(key.section);
  }
  throw UserError(where, fmt::format("unknown section [{}]", name), suggest(name, known));
}

std::string known_key(std::string_view section, std::string_view name, const Where& where) {
  std::vector<std::string> known;
  for (const Key& key : kKeys) {
    if (key.section != section) continue;
    if (same_word(key.name, name)) return std::string(key.name);
    known.emplace_back(key.name);
  }
  if (section.empty()) {
    throw UserError(where, "comes before the first section", "the first line is [general]");
  }
  throw UserError(where, fmt::format("unknown key in [{}]", section), suggest(name, known));
}

struct Value {
  std::string text;
  Where where;
};

class Config {
 public:
  Config(std::string_view text, std::string file) : file_(std::move(file)) {
    int line = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      read_line(trimmed(text.substr(0, end)), ++line);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    for (const Key& key : kKeys) {
      if (key.required && !values_.contains(std::string(key.name))) {
        throw UserError({.file = file_, .key = std::string(key.name)}, "is missing",
                        fmt::format("add it to section [{}]", key.section));
      }
    }
  }

  const Value& at(const std::string& key) const { return values_.at(key); }

  std::int64_t number(const std::string& key, std::int64_t least, std::int64_t most) const {
    return whole_number(at(key).text, at(key).where, least, most);
  }

 private:
  void read_line(std::string_view line, int number) {
    if (line.empty() || line.front() == '#' || line.front() == ';') return;
    const Where here{.file = file_, .line = number};
    if (line.front() == '[' && line.back() == ']') {
      section_ = known_section(trimmed(line.substr(1, line.size() - 2)), here);
      return;
    }
    const std::size_t separator = line.find_first_of(":=");
    if (separator == std::string_view::npos) {
      throw UserError(here, fmt::format("\"{}\" is neither a section nor a value", line), "write key: value");
    }
    add(trimmed(line.substr(0, separator)), trimmed(line.substr(separator + 1)), number);
  }

  void add(std::string_view name, std::string_view text, int line) {
    Where where{.file = file_, .line = line, .key = std::string(name)};
    std::string key = known_key(section_, name, where);
    if (const auto earlier = values_.find(key); earlier != values_.end()) {
      throw UserError(where, fmt::format("is given twice, first in line {}", earlier->second.where.line));
    }
    values_.emplace(std::move(key), Value{std::string(text), std::move(where)});
  }

  std::string file_;
  std::string section_;
  std::map<std::string, Value> values_;
};

Dataflow dataflow(const Value& value) {
  if (same_word(value.text, "os")) return Dataflow::output_stationary;
  if (same_word(value.text, "ws")) return Dataflow::weight_stationary;
  if (same_word(value.text, "is")) return Dataflow::input_stationary;
  throw UserError(value.where, fmt::format("unknown dataflow \"{}\"", value.text),
                  "known: os, ws, is (output, weight or input stationary)");
}

Bytes sram(const Config& config, const std::string& key) {
  return Bytes{config.number(key, 0, std::numeric_limits<int>::max()) * 1024};
}

int units(const Config& config, const std::string& key) {
  return static_cast<int>(config.number(key, 1, std::numeric_limits<int>::max()));
}

void require_no_stalls(const Value& value) {
  if (same_word(value.text, "CALC")) return;
  const bool user = same_word(value.text, "USER");
  throw UserError(value.where,
                  user ? "USER is not modelled: the array never waits for memory here"
                       : fmt::format("unknown mode \"{}\"", value.text),
                  "write CALC; for a memory limit, take the roofline model");
}

}  // namespace

SystolicArray parse_scale_sim_config(std::string_view text, const std::string& file) {
  const Config config(text, file);
  require_no_stalls(config.at("InterfaceBandwidth"));
  for (const char* const offset : {"IfmapOffset", "FilterOffset", "OfmapOffset"}) {
    config.number(offset, 0, std::numeric_limits<std::int64_t>::max());
  }
  return {.height = units(config, "ArrayHeight"),
          .width = units(config, "ArrayWidth"),
          .dataflow = dataflow(config.at("Dataflow")),
          .ifmap_sram = sram(config, "IfmapSramSzkB"),
          .filter_sram = sram(config, "FilterSramSzkB"),
          .ofmap_sram = sram(config, "OfmapSramSzkB")};
}

SystolicArray read_scale_sim_config(const std::filesystem::path& path) {
  return parse_scale_sim_config(read_file(path), path.string());
}

}  // namespace overture::compute
