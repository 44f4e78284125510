#include "overture/serve/result_server.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <httplib.h>
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

// For a link: all but letters, digits and a few signs as %XX.
std::string encode(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || c == '-' || c == '_' || c == '.' || c == '~';
    result += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return result;
}

std::string run_name(const fs::path& folder) {
  std::error_code error;
  const fs::path file = folder / "summary.json";
  const auto size = fs::file_size(file, error);
  if (error || size > kLargestSummary) return "";
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

// In pieces, so that a large file takes no memory.
void send_file(const fs::path& file, httplib::Response& response) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  auto in = std::make_shared<std::ifstream>(file, std::ios::binary);
  if (error || !*in) {
    response.status = 404;
    return;
  }
  if (size == 0) return response.set_content("", content_type(file));
  response.set_content_provider(
      size, content_type(file), [in](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        std::array<char, 64 << 10> piece{};
        in->clear();
        in->seekg(static_cast<std::streamoff>(offset));
        in->read(piece.data(), static_cast<std::streamsize>(std::min(length, piece.size())));
        if (in->gcount() <= 0) return false;  // it became shorter
        return sink.write(piece.data(), static_cast<std::size_t>(in->gcount()));
      });
}

// Of the runs that the request names, at most a few: a page of more nobody can read.
void send_comparison(const fs::path& root, const ComparePage& compare, const httplib::Request& request,
                     httplib::Response& response) {
  constexpr std::size_t kMost = 12;
  std::vector<fs::path> runs;
  for (std::size_t i = 0; i < std::min(request.get_param_value_count("run"), kMost); ++i) {
    const auto found = resolve(root, "/" + request.get_param_value("run", i));
    if (found && fs::is_directory(*found)) runs.push_back(*found);
  }
  try {
    if (runs.size() < 2) throw UserError("a comparison needs two runs at least");
    response.set_content(compare(runs), "text/html; charset=utf-8");
  } catch (const UserError& error) {
    response.status = 400;
    response.set_content(std::string(error.what()) + "\n", "text/plain; charset=utf-8");
  }
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
  const fs::path base = fs::canonical(root, error);
  if (error) return std::nullopt;
  const fs::path found = fs::canonical(base / relative, error);
  if (error) return std::nullopt;
  const auto [end, rest] = std::mismatch(base.begin(), base.end(), found.begin(), found.end());
  if (end != base.end()) return std::nullopt;
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
    rows +=
        fmt::format("<li><a href=\"{}{}\">{}{}</a>", encode(entry.file), slash, escape(entry.file), slash);
    if (!entry.name.empty()) rows += " " + escape(entry.name);
    if (entry.is_folder && fs::exists(folder / entry.file / "report.html", error))
      rows += fmt::format(" <a href=\"{}/report.html\">report</a>", encode(entry.file));
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

struct ResultServer::Http {
  httplib::Server server;
};

ResultServer::ResultServer(fs::path root, std::string address, int port, ComparePage compare)
    : address_(std::move(address)), compare_(std::move(compare)), http_(std::make_unique<Http>()) {
  std::error_code error;
  root_ = fs::canonical(root, error);
  if (error || !fs::is_directory(root_)) throw UserError({.file = root.string()}, "is no folder");
  httplib::Server& server = http_->server;
  // Slow and greedy clients: a few seconds for every read and write, no bodies, many threads that mostly
  // wait.
  server.new_task_queue = [] { return new httplib::ThreadPool(32); };
  server.set_read_timeout(std::chrono::seconds(5));
  server.set_write_timeout(std::chrono::seconds(5));
  server.set_keep_alive_timeout(5);
  server.set_payload_max_length(1 << 10);
  server.set_default_headers({{"X-Content-Type-Options", "nosniff"}, {"Cache-Control", "no-cache"}});
  server.Get(".*", [this](const httplib::Request& request, httplib::Response& response) {
    if (!known_host(request.get_header_value("Host"), address_)) {
      response.status = 403;
      return;
    }
    if (request.path == "/" && !request.has_param("files"))
      return response.set_content(std::string(runs_page()), "text/html; charset=utf-8");
    if (request.path == "/runs.json")
      return response.set_content(runs_json(list_runs(root_)), "application/json");
    if (request.path == "/compare" && compare_) return send_comparison(root_, compare_, request, response);
    const auto found = resolve(root_, request.path);
    if (!found) {
      response.status = 404;
    } else if (fs::is_directory(*found) && !request.path.ends_with('/')) {
      response.set_redirect(request.path + "/");
    } else if (fs::is_directory(*found)) {
      response.set_content(listing(root_, *found), "text/html; charset=utf-8");
    } else {
      send_file(*found, response);
    }
  });
  const auto refuse = [](const httplib::Request&, httplib::Response& response) { response.status = 405; };
  server.Post(".*", refuse).Put(".*", refuse).Delete(".*", refuse).Patch(".*", refuse).Options(".*", refuse);
  // httplib lets two programs share a port; then nobody knows which of them answers.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  port_ = port == 0 ? server.bind_to_any_port(address_.c_str())
                    : (server.bind_to_port(address_.c_str(), port) ? port : -1);
  if (port_ < 0)
    throw UserError({.key = "--port"},
                    fmt::format("{} port {} is in use, or not ours to use", address_, port),
                    "name another port, or --port 0 for any free one");
}

ResultServer::~ResultServer() = default;

void ResultServer::run() { http_->server.listen_after_bind(); }
void ResultServer::stop() { http_->server.stop(); }

}  // namespace overture::serve
