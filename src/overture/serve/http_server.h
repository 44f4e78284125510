// Answers HTTP requests. One thread waits for all connections together, so a client that is slow, idle or
// hostile costs a little memory and nobody's time; a few threads make the answers. Reads only: GET and HEAD.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "overture/serve/http.h"

namespace overture::serve {

class HttpServer {
 public:
  // Called by several threads at a time.
  using Answer = std::function<HttpResponse(const HttpRequest&)>;

  // Binds at once; port 0 takes a free one. Throws UserError when it cannot.
  HttpServer(const std::string& address, int port, Answer answer);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const { return port_; }
  // Answers until stop(), which any thread may call, also before run().
  void run();
  void stop();

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
  int port_ = 0;
};

}  // namespace overture::serve
