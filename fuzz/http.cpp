// What a client sends to `overture serve`: any bytes, in one piece or two, are requests that are whole, or
// refused, or not all there yet. The answer to a file's range lies within the file.
#include "overture/serve/http.h"

#include "targets.h"

using namespace overture;

namespace {

constexpr std::uint64_t kFileSize = 1000;

void check(const serve::TakenRequest& taken) {
  if (taken.error != 0) {
    fuzz::require(taken.error >= 400 && taken.error < 600, "an error is a status");
    return;
  }
  const serve::HttpRequest& request = taken.request;
  fuzz::require(request.method == "GET" || request.method == "HEAD", "nothing else is answered");
  const auto again = serve::url_decoded(serve::url_encoded(request.path, true));
  fuzz::require(again == request.path, "a path can be encoded and decoded");
  if (const auto range = serve::parse_range(request.header("range"), kFileSize))
    fuzz::require(range->first <= kFileSize && range->length <= kFileSize - range->first,
                  "a range lies within its file");
  const std::string head =
      serve::response_head({.location = serve::url_encoded(request.path, true)}, 0, "", request.keep_alive);
  fuzz::require(head.find("\r\n\r\n") == head.size() - 4, "nothing can end a head early");
}

// Of so many bytes as they are there.
std::size_t take_all(std::string& bytes) {
  std::size_t requests = 0;
  while (const auto taken = serve::take_request(bytes)) {
    check(*taken);
    ++requests;
    if (taken->error != 0) break;
  }
  return requests;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(fuzz::as_text(data + 1, size - 1));
  std::string whole = text;
  const std::size_t at_once = take_all(whole);
  std::string piece = text.substr(0, data[0]);
  const std::size_t first = take_all(piece);
  fuzz::require(first <= at_once, "what has come behind a request takes nothing from it");
  return 0;
}
