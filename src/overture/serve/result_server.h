// A folder of results in a browser: lists runs and sends their files over HTTP. Reads only, and only what
// lies in the folder, whatever a request asks for.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "overture/serve/http_server.h"

namespace overture::serve {

// The file or folder that a request for `path` (decoded, with a slash at its start) means; none when there is
// no such thing below `root`, or when it is hidden or reached through a link that leads out.
std::optional<std::filesystem::path> resolve(const std::filesystem::path& root, const std::string& path);

// A page that lists what is in `folder`: runs first, with the name in their summary, then other files.
std::string listing(const std::filesystem::path& root, const std::filesystem::path& folder);

// Makes the page that compares these runs, as text. Throws UserError.
using ComparePage = std::function<std::string(const std::vector<std::filesystem::path>&)>;

// At "/" is the page of all runs, at "/?files" and in every folder below a list of files. "/runs.json" has
// the runs, "/compare?run=a&run=b" compares some of them.
class ResultServer {
 public:
  // Binds at once; port 0 takes a free one. Throws UserError when it cannot, or when there is no such folder.
  ResultServer(std::filesystem::path root, std::string address, int port, ComparePage compare = {});

  int port() const { return http_.port(); }
  // Answers until stop(), which any thread may call.
  void run() { http_.run(); }
  void stop() { http_.stop(); }

 private:
  HttpResponse answer(const HttpRequest& request) const;

  std::filesystem::path root_;
  std::string address_;
  ComparePage compare_;
  HttpServer http_;
};

}  // namespace overture::serve
