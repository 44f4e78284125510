#include "overture/setup/setup_kind.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::setup {
namespace {

bool has_any(const Value& root, std::initializer_list<const char*> keys) {
  return std::ranges::any_of(keys, [&](const char* key) { return root.find(key) != nullptr; });
}

std::optional<SetupKind> kind_of(const Value& root) {
  if (has_any(root, {"networks", "budget"})) return SetupKind::search;
  if (has_any(root, {"axes"})) return SetupKind::sweep;
  if (has_any(root, {"workload", "traffic", "network", "system"})) return SetupKind::run;
  if (has_any(root, {"data", "tables", "optimizer", "cache", "batch_size"})) return SetupKind::train;
  return std::nullopt;
}

std::string command_for(const Value& root, SetupKind kind) {
  if (kind == SetupKind::search) return "codesign";
  if (kind == SetupKind::sweep) return "sweep";
  if (kind == SetupKind::train) return "train";
  return root.find("workload") == nullptr && root.find("traffic") != nullptr ? "flows" : "simulate";
}

}  // namespace

void require_kind(const Value& root, const std::string& file, SetupKind kind) {
  const std::optional<SetupKind> found = kind_of(root);
  if (!found || *found == kind) return;
  // A search of one network, without a budget, has the keys of a sweep.
  if (kind == SetupKind::search && *found == SetupKind::sweep) return;
  const std::string command = command_for(root, *found);
  throw UserError({.file = file}, fmt::format("is a setup for `overture {}`", command),
                  fmt::format("run overture {} {}", command, file));
}

}  // namespace overture::setup
