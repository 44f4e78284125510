#include "overture/serve/http.h"

#include <gtest/gtest.h>

namespace overture::serve {
namespace {

TEST(Http, TakesOneRequestAfterTheOther) {
  std::string bytes = "GET /a%20b?x=1&y&run=c%2Fd HTTP/1.1\r\nHost: here\r\n\r\nHEAD / HTTP/1.0\r\n\r\nGET";
  auto taken = take_request(bytes);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->error, 0);
  EXPECT_EQ(taken->request.path, "/a b");
  EXPECT_TRUE(taken->request.has("y"));
  EXPECT_EQ(taken->request.parameters[2].second, "c/d");
  EXPECT_EQ(taken->request.header("host"), "here");
  EXPECT_TRUE(taken->request.keep_alive);
  taken = take_request(bytes);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->request.method, "HEAD");
  EXPECT_FALSE(taken->request.keep_alive);
  EXPECT_FALSE(take_request(bytes));
  EXPECT_EQ(bytes, "GET");
}

TEST(Http, RefusesWhatItCannotAnswer) {
  const auto error = [](std::string bytes) {
    const auto taken = take_request(bytes);
    return taken ? taken->error : -1;
  };
  EXPECT_EQ(error("nonsense\r\n\r\n"), 400);
  EXPECT_EQ(error("GET /%zz HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(error("GET nowhere HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(error("GET / HTTP/2.0\r\n\r\n"), 505);
  EXPECT_EQ(error("GET / HTTP/1.1\r\nno colon\r\n\r\n"), 400);
  EXPECT_EQ(error("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"), 405);
  EXPECT_EQ(error("GET / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"), 413);
  EXPECT_EQ(error("GET /" + std::string(kMostHead, 'a')), 414);
  EXPECT_EQ(error("GET / HTTP/1.1\r\nX: " + std::string(kMostHead, 'a')), 431);
  EXPECT_EQ(error("GET / HTTP/1.1\r\nX: "), -1) << "the rest may come";
}

TEST(Http, CodingAUrlTwiceBackGivesTheSameText) {
  std::string all;
  for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(url_decoded(url_encoded(all)), all);
  EXPECT_EQ(url_decoded(url_encoded(all, true)), all);
  EXPECT_EQ(url_encoded("a/b c", true), "a/b%20c");
  EXPECT_EQ(url_encoded("a/b c"), "a%2Fb%20c");
  EXPECT_EQ(url_encoded("\r\nSet-Cookie: x", true).find('\n'), std::string::npos);
  for (const char* bad : {"%", "%1", "%zz", "a%2"}) EXPECT_FALSE(url_decoded(bad)) << bad;
}

TEST(Http, AHeadHasItsStatusLengthAndNoLineThatWasSmuggledIn) {
  const HttpResponse moved{.status = 302, .body = "", .location = url_encoded("/a\r\nX: y", true)};
  const std::string head = response_head(moved, 0, "", true);
  EXPECT_EQ(head.rfind("HTTP/1.1 302 ", 0), 0u) << head;
  EXPECT_NE(head.find("Content-Length: 0\r\n"), std::string::npos) << head;
  EXPECT_EQ(head.find("\r\nX: y"), std::string::npos) << head;
  EXPECT_TRUE(head.ends_with("\r\n\r\n")) << head;
}

TEST(Http, AHeadThatComesByteByByteIsTakenWhenItIsWhole) {
  const std::string whole = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
  std::string bytes;
  for (std::size_t i = 0; i + 1 < whole.size(); ++i) {
    bytes += whole[i];
    EXPECT_FALSE(take_request(bytes)) << i;
  }
  bytes += whole.back();
  EXPECT_TRUE(take_request(bytes));
  EXPECT_TRUE(bytes.empty());
}

TEST(Http, Ranges) {
  EXPECT_FALSE(parse_range("", 10));
  EXPECT_FALSE(parse_range("bytes=1-2,4-5", 10));
  EXPECT_FALSE(parse_range("bytes=5-4", 10));
  EXPECT_FALSE(parse_range("bytes=-", 10));
  EXPECT_EQ(parse_range("bytes=2-", 10)->length, 8u);
  EXPECT_EQ(parse_range("bytes=2-100", 10)->length, 8u);
  EXPECT_EQ(parse_range("bytes=-3", 10)->first, 7u);
  EXPECT_EQ(parse_range("bytes=-30", 10)->length, 10u);
  EXPECT_EQ(parse_range("bytes=10-", 10)->length, 0u);
  EXPECT_EQ(parse_range("bytes=99999999999999999999-", 10)->length, 0u);
  EXPECT_EQ(parse_range("bytes=2-99999999999999999999", 10)->length, 8u);
  EXPECT_EQ(parse_range("bytes=-99999999999999999999", 10)->length, 10u);
}

}  // namespace
}  // namespace overture::serve
