#include "overture/setup/lines.h"

#include <algorithm>

#include "overture/base/text.h"

namespace overture::setup {
namespace {

bool is_all_in_the_file(const Value& value) {
  return value.line > 0 && std::ranges::all_of(value.items, is_all_in_the_file) &&
         std::ranges::all_of(value.keys,
                             [](const Value::Entry& entry) { return is_all_in_the_file(entry.value); });
}

const Value* part_of(const Value& value, std::string_view part) {
  if (value.kind == Value::Kind::map) return value.find(part);
  const auto index = parse_number<std::size_t>(part);
  return index && *index < value.items.size() ? &value.items[*index] : nullptr;
}

// Of what "network.dimensions.0.size" names, or of the innermost part of it that is there.
int line_of(const Value& root, std::string_view path) {
  const Value* innermost = nullptr;
  for (const Value* at = &root; !path.empty();) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    at = part_of(*at, path.substr(0, dot));
    if (at == nullptr) break;
    innermost = at;
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return innermost != nullptr && is_all_in_the_file(*innermost) ? innermost->line : 0;
}

}  // namespace

UserError on_its_line(const UserError& error, const Value& root, const std::string& file) {
  const std::string_view text = error.what();
  if (!text.starts_with(file + ": ")) return error;
  const std::string_view rest = text.substr(file.size() + 2);
  const int line = line_of(root, rest.substr(0, rest.find_first_of(": \n")));
  if (line == 0) return error;
  const std::size_t line_end = std::min(rest.find('\n'), rest.size());
  const std::size_t hint = std::min(rest.find_first_not_of(" \n", line_end), rest.size());
  return {{.file = file, .line = line}, rest.substr(0, line_end), rest.substr(hint)};
}

}  // namespace overture::setup
