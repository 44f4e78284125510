#include "overture/serve/result_server.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/json.h"
#include "overture/serve/run_list.h"
#include "overture/serve/runs_page.h"

namespace overture::serve {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestSummary = 16 << 20;  // bytes; a larger one is not opened for its name

std::string escape(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

// With all links followed.
bool is_below(const fs::path& root, const fs::path& path) {
  std::error_code error;
  const fs::path base = fs::canonical(root, error);
  if (error) return false;
  const fs::path found = fs::canonical(path, error);
  if (error) return false;
  return std::mismatch(base.begin(), base.end(), found.begin(), found.end()).first == base.end();
}

std::string run_name(const fs::path& folder) {
  std::error_code error;
  const fs::path file = folder / "summary.json";
  const auto size = fs::file_size(file, error);
  if (error || size > kLargestSummary || fs::is_symlink(file, error)) return "";
  std::ifstream in(file);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const auto summary = parse_json(text);
  if (!summary.is_object() || !summary.contains("name") || !summary["name"].is_string()) return "run";
  return summary["name"].get<std::string>();
}

std::string content_type(const fs::path& file) {
  static const std::map<std::string, std::string> kTypes{{".html", "text/html; charset=utf-8"},
                                                         {".json", "application/json"},
                                                         {".jsonl", "text/plain; charset=utf-8"},
                                                         {".csv", "text/csv; charset=utf-8"},
                                                         {".yaml", "text/plain; charset=utf-8"},
                                                         {".txt", "text/plain; charset=utf-8"},
                                                         {".svg", "image/svg+xml"},
                                                         {".png", "image/png"},
                                                         {".gz", "application/gzip"}};
  const auto found = kTypes.find(file.extension().string());
  return found == kTypes.end() ? "application/octet-stream" : found->second;
}

HttpResponse html(std::string text) { return {.type = "text/html; charset=utf-8", .body = std::move(text)}; }

// Whether no link among its files leads out of the root: a page shows what is behind them.
bool stays_inside(const fs::path& root, const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_symlink(error) && !is_below(root, entry.path())) return false;
  }
  return true;
}

// Of the runs that the request names, at most a few: a page of more nobody can read.
HttpResponse comparison(const fs::path& root, const ComparePage& compare, const HttpRequest& request) {
  constexpr std::size_t kMost = 12;
  std::vector<fs::path> runs;
  for (const auto& [name, value] : request.parameters) {
    if (name != "run" || runs.size() == kMost) continue;
    const auto found = resolve(root, "/" + value);
    if (found && fs::is_directory(*found) && stays_inside(root, *found)) runs.push_back(*found);
  }
  try {
    if (runs.size() < 2) throw UserError("a comparison needs two runs at least");
    return html(compare(runs));
  } catch (const UserError& error) {
    return {.status = 400, .body = std::string(error.what()) + "\n"};
  }
}

fs::path canonical_folder(const fs::path& given) {
  std::error_code error;
  fs::path root = fs::canonical(given, error);
  if (error || !fs::is_directory(root)) throw UserError({.file = given.string()}, "is not a folder");
  return root;
}

// A page of another site must not reach the results through a name that it lets point here.
bool known_host(const std::string& header, const std::string& address) {
  const std::string host = header.substr(
      0, header.rfind(':') == std::string::npos || header.back() == ']' ? header.size() : header.rfind(':'));
  const bool open_to_all = address == "0.0.0.0" || address == "::";
  return open_to_all || host == address || host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

}  // namespace

std::optional<fs::path> resolve(const fs::path& root, const std::string& path) {
  if (path.empty() || path[0] != '/' || path.find('\0') != std::string::npos) return std::nullopt;
  const fs::path relative = fs::path(path.substr(1));
  if (relative.is_absolute()) return std::nullopt;
  for (const fs::path& part : relative) {
    if (part.string().starts_with('.')) return std::nullopt;
  }
  std::error_code error;
  const fs::path found = fs::canonical(root / relative, error);
  if (error || !is_below(root, found)) return std::nullopt;
  if (!fs::is_regular_file(found, error) && !fs::is_directory(found, error)) return std::nullopt;
  return found;
}

std::string listing(const fs::path& root, const fs::path& folder) {
  struct Entry {
    std::string file;
    std::string name;
    bool is_folder;
  };
  std::vector<Entry> entries;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with('.')) continue;
    if (entry.is_symlink(error) && !is_below(root, entry.path()))
      continue;  // not even its name is ours to show
    const bool is_folder = entry.is_directory(error);
    entries.push_back({file, is_folder ? run_name(entry.path()) : "", is_folder});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(!a.is_folder, a.file) < std::pair(!b.is_folder, b.file);
  });
  std::string rows;
  if (folder != root) rows += "<li><a href=\"../\">..</a></li>\n";
  for (const Entry& entry : entries) {
    const std::string slash = entry.is_folder ? "/" : "";
    rows += fmt::format("<li><a href=\"{}{}\">{}{}</a>", url_encoded(entry.file), slash, escape(entry.file),
                        slash);
    if (!entry.name.empty()) rows += " " + escape(entry.name);
    if (entry.is_folder && fs::exists(folder / entry.file / "report.html", error))
      rows += fmt::format(" <a href=\"{}/report.html\">report</a>", url_encoded(entry.file));
    rows += "</li>\n";
  }
  const std::string title = folder == root ? "results" : folder.filename().string();
  return fmt::format(
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>{0}</title><style>body{{font:16px/1.6 "
      "system-ui,sans-serif;max-width:50rem;"
      "margin:2rem auto;padding:0 1rem;color-scheme:light dark}}</style><h1>{0}</h1><ul>\n{1}</ul></html>\n",
      escape(title), rows);
}

ResultServer::ResultServer(fs::path root, std::string address, int port, ComparePage compare)
    : root_(canonical_folder(root)),
      address_(std::move(address)),
      compare_(std::move(compare)),
      http_(address_, port, [this](const HttpRequest& request) { return answer(request); }) {}

HttpResponse ResultServer::answer(const HttpRequest& request) const {
  if (!known_host(request.header("host"), address_)) return {.status = 403};
  if (request.path == "/" && !request.has("files")) return html(std::string(runs_page()));
  if (request.path == "/runs.json") return {.type = "application/json", .body = runs_json(list_runs(root_))};
  if (request.path == "/compare" && compare_) return comparison(root_, compare_, request);
  const auto found = resolve(root_, request.path);
  if (!found) return {.status = 404};
  if (!fs::is_directory(*found)) return {.type = content_type(*found), .file = *found};
  if (!request.path.ends_with('/')) return {.status = 302, .location = url_encoded(request.path, true) + "/"};
  return html(listing(root_, *found));
}

}  // namespace overture::serve
