#include "overture/setup/value.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "overture/base/error.h"
#include "overture/base/text.h"

namespace overture::setup {

const Value* Value::find(std::string_view key) const {
  for (const auto& [name, value] : keys) {
    if (name == key) return &value;
  }
  return nullptr;
}

Value& Value::at(std::string_view key) {
  kind = Kind::map;
  for (auto& [name, value] : keys) {
    if (name == key) return value;
  }
  return keys.emplace_back(Entry{std::string(key), {}}).value;
}

namespace {

constexpr std::size_t kLargestFile = std::size_t{16} << 20;  // a byte of YAML can take a hundred of memory

// From YAML's nodes to values of our own. Aliases are written out, so a short text could become a huge tree:
// bounded.
class Conversion {
 public:
  explicit Conversion(const std::string& file) : file_(file) {}

  Value convert(const YAML::Node& node, int depth = 0) {
    const int line = node.Mark().line + 1;
    if (depth > kMaxDepth) throw UserError({.file = file_, .line = line}, "is nested too deeply");
    if (++values_ > kMaxValues)
      throw UserError({.file = file_, .line = line}, "has more than 1000000 values, aliases written out",
                      "use fewer aliases (&name, *name), or put long lists into a CSV file");
    Value value{.line = line};
    switch (node.Type()) {
      case YAML::NodeType::Scalar:
        value.kind = Value::Kind::scalar;
        value.text = node.Scalar();
        break;
      case YAML::NodeType::Sequence:
        value.kind = Value::Kind::list;
        for (const YAML::Node& item : node) value.items.push_back(convert(item, depth + 1));
        break;
      case YAML::NodeType::Map: convert_map(node, value, depth); break;
      default: break;
    }
    return value;
  }

 private:
  static constexpr int kMaxDepth = 32;
  static constexpr std::int64_t kMaxValues = 1'000'000;

  void convert_map(const YAML::Node& node, Value& value, int depth) {
    value.kind = Value::Kind::map;
    std::unordered_set<std::string> seen;
    for (const auto& entry : node) {
      if (!entry.first.IsScalar())
        throw UserError({.file = file_, .line = value.line}, "a key must be a word");
      const std::string key = entry.first.Scalar();
      if (!seen.insert(key).second) {
        throw UserError({.file = file_, .line = entry.first.Mark().line + 1, .key = key}, "duplicate key");
      }
      value.keys.push_back({key, convert(entry.second, depth + 1)});
    }
  }

  std::string file_;
  std::int64_t values_ = 0;
};

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
}

// Whether plain text might not be read back as the same scalar. Plain are letters, digits and signs that mean
// nothing to YAML where they stand; blanks and dashes inside; and a colon before a letter, as in
// "file:steps.csv".
bool needs_quotes(const std::string& text) {
  if (text.empty() || text == "null" || text == "Null" || text == "NULL") return true;
  if (text.starts_with("...") || text.back() == ' ') return true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool inside = i > 0 && (std::string_view(" -%=<>").find(c) != std::string_view::npos ||
                                  (c == ':' && i + 1 < text.size() && is_letter_or_digit(text[i + 1])));
    if (!is_letter_or_digit(c) && !inside && std::string_view("._+/()$;^").find(c) == std::string_view::npos)
      return true;
  }
  return false;
}

std::string quoted(const std::string& text) {
  if (!needs_quotes(text)) return text;
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      default:
        if ((static_cast<unsigned char>(c) < ' ') || c == 0x7f) {
          out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

std::string flow(const Value& value) {
  std::string out;
  switch (value.kind) {
    case Value::Kind::null: return "~";
    case Value::Kind::scalar: return quoted(value.text);
    case Value::Kind::list:
      for (const Value& item : value.items) out += (out.empty() ? "" : ", ") + flow(item);
      return "[" + out + "]";
    case Value::Kind::map:
      for (const auto& [key, item] : value.keys)
        out += (out.empty() ? "" : ", ") + quoted(key) + ": " + flow(item);
      return "{" + out + "}";
  }
  return out;
}

void block(const Value& value, int indent, std::string& out);

// "key:" or "-" is written; what follows it on the line, or below.
void after_label(const Value& value, int indent, std::string& out) {
  constexpr std::size_t kLineLimit = 110;
  const std::string one_line = flow(value);
  const std::size_t line_start = out.rfind('\n') + 1;
  const bool container = !value.keys.empty() || !value.items.empty();
  if (!container || (indent > 2 && out.size() - line_start + one_line.size() < kLineLimit)) {
    out += " " + one_line + "\n";
    return;
  }
  out += '\n';
  block(value, indent, out);
}

void block(const Value& value, int indent, std::string& out) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  for (const auto& [key, item] : value.keys) {
    out += margin + quoted(key) + ":";
    after_label(item, indent + 2, out);
  }
  for (const Value& item : value.items) {
    out += margin + "-";
    if (item.kind != Value::Kind::map || item.keys.empty()) {
      after_label(item, indent + 2, out);
      continue;
    }
    const std::string one_line = flow(item);
    if (one_line.size() + margin.size() < 100) {
      out += " " + one_line + "\n";
      continue;
    }
    // The first key stands behind the dash.
    std::string inner;
    block(item, indent + 2, inner);
    out += " " + inner.substr(margin.size() + 2);
  }
}

}  // namespace

void forget_lines(Value& value) {
  value.line = 0;
  for (Value& item : value.items) forget_lines(item);
  for (Value::Entry& entry : value.keys) forget_lines(entry.value);
}

Value parse_yaml(std::string_view text, const std::string& file) {
  if (text.size() > kLargestFile)
    throw UserError({.file = file}, "is larger than 16 MiB", "put long lists into a CSV file");
  try {
    const YAML::Node root = YAML::Load(std::string(text));
    if (!root.IsMap()) throw UserError({.file = file}, "is not a setup", "a setup is a YAML map: key: value");
    return Conversion(file).convert(root);
  } catch (const YAML::Exception& error) {
    throw UserError({.file = file, .line = std::max(0, error.mark.line + 1)},
                    "is not valid YAML: " + error.msg);
  }
}

void override_value(Value& root, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string path = assignment.substr(0, equals);
  const auto fail = [&](const std::string& what, const std::string& hint = {}) {
    throw UserError({.key = "-s " + assignment}, what, hint);
  };
  if (equals == std::string::npos || path.empty())
    fail("is not key=value",
         "such as -s network.dimensions.0.size=8; quote a value with a blank: -s traffic.size=\"1 MiB\"");
  Value* at = &root;
  Value* map = nullptr;
  std::string part;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    part = path.substr(start, dot - start);
    start = dot + 1;
    if (part.empty()) fail("has an empty part in its key");
    map = at->kind == Value::Kind::list ? nullptr : at;
    if (at->kind == Value::Kind::list) {
      const auto index = parse_number<std::size_t>(part);
      if (!index || *index >= at->items.size()) {
        fail(fmt::format("there is no entry \"{}\"", part),
             at->items.empty() ? "the list is empty"
                               : fmt::format("entries are 0 to {}", at->items.size() - 1));
      }
      at = &at->items[*index];
    } else if (at->kind == Value::Kind::scalar) {
      fail(fmt::format("\"{}\" lies inside a value that has no parts", part));
    } else if (at->kind == Value::Kind::null && part == "0") {
      at->kind = Value::Kind::list;  // the first entry of a list that the setup does not have yet
      at = &at->items.emplace_back();
    } else {
      at = &at->at(part);
    }
  }
  const std::string text = assignment.substr(equals + 1);
  if (text == "~" && map != nullptr) {
    std::erase_if(map->keys, [&](const Value::Entry& entry) { return entry.key == part; });
    return;
  }
  try {
    *at = Conversion("").convert(YAML::Load(text));
    forget_lines(*at);
  } catch (const YAML::Exception&) {
    fail("its value is not valid YAML");
  }
}

std::string to_yaml(const Value& value) {
  std::string out;
  block(value, 0, out);
  return out;
}

}  // namespace overture::setup
