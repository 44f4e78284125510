#include "overture/serve/result_server.h"

#include <array>
#include <fstream>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "overture/base/error.h"

namespace overture::serve {
namespace {

namespace fs = std::filesystem;

// A folder with a run in it, a secret beside it, and a server.
class Serve : public ::testing::Test {
 protected:
  Serve() {
    std::string pattern = (fs::temp_directory_path() / "serve-XXXXXX").string();
    scratch_ = mkdtemp(pattern.data());
    fs::create_directories(root() / "run 1");
    write(scratch_ / "secret.txt", "secret");
    write(root() / "run 1/summary.json", R"({"name": "a <b> run"})");
    write(root() / "run 1/report.html", "<p>report</p>");
    write(root() / ".hidden", "hidden");
    fs::create_symlink(scratch_ / "secret.txt", root() / "out");
    fs::create_symlink(scratch_, root() / "above");
    server_ = std::make_unique<ResultServer>(root(), "127.0.0.1", 0);
    thread_ = std::thread([this] { server_->run(); });
  }
  ~Serve() override {
    server_->stop();
    thread_.join();
    fs::remove_all(scratch_);
  }

  fs::path root() const { return scratch_ / "results"; }
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

  int connect() const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{.sin_family = AF_INET,
                        .sin_port = htons(static_cast<std::uint16_t>(server_->port()))};
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    for (int tries = 0; tries < 100; ++tries) {
      if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    const timeval limit{.tv_sec = 10};
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    return socket;
  }
  // What comes back for these bytes: everything, or up to the end of the headers.
  std::string ask(const std::string& bytes, const std::string& until = "at the end only") const {
    const int socket = connect();
    (void)!::write(socket, bytes.data(), bytes.size());
    std::string answer;
    std::array<char, 4096> piece{};
    for (ssize_t got = 0;
         answer.find(until) == std::string::npos && (got = ::read(socket, piece.data(), piece.size())) > 0;)
      answer.append(piece.data(), static_cast<std::size_t>(got));
    close(socket);
    return answer;
  }
  std::string get(const std::string& target) const {
    return ask("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  }
  static int status(const std::string& answer) {
    return answer.size() < 12 ? 0 : std::stoi(answer.substr(9, 3));
  }

  static std::string many_headers() {
    std::string text = "1\r\n";
    for (int i = 0; i < 5000; ++i) text += "Y: 12345678\r\n";
    return text;
  }

  fs::path scratch_;
  std::unique_ptr<ResultServer> server_;
  std::thread thread_;
};

TEST_F(Serve, ListsRunsAndSendsFiles) {
  EXPECT_NE(get("/").find("Overture runs"), std::string::npos);
  EXPECT_NE(get("/runs.json").find("a <b> run"), std::string::npos);
  const std::string page = get("/?files");
  EXPECT_EQ(status(page), 200);
  EXPECT_NE(page.find("a &lt;b&gt; run"), std::string::npos) << page;
  EXPECT_NE(page.find("run%201/report.html"), std::string::npos) << page;
  EXPECT_NE(get("/run%201/report.html").find("<p>report</p>"), std::string::npos);
  EXPECT_EQ(status(get("/run%201")), 302);
  EXPECT_EQ(status(get("/nothing")), 404);
}

TEST_F(Serve, NeverLeavesTheFolder) {
  for (const char* target :
       {"/../secret.txt", "/%2e%2e/secret.txt", "/run%201/../../secret.txt", "/..%2fsecret.txt",
        "//etc/passwd", "/%2fetc/passwd", "/out", "/above/secret.txt", "/above/", "/.hidden", "/./secret.txt",
        "/run%201/%00", "/\\..\\secret.txt"}) {
    const std::string answer = get(target);
    EXPECT_GE(status(answer), 400) << target << "\n" << answer;
    EXPECT_LT(status(answer), 500) << target << "\n" << answer;
    EXPECT_EQ(answer.find("secret\n"), std::string::npos) << target;
    EXPECT_EQ(answer.find("root:"), std::string::npos) << target;
  }
}

TEST_F(Serve, RefusesWhatIsNoRequestAndLivesOn) {
  for (const std::string& bytes :
       {std::string("nonsense\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
        std::string(100, '\0') + "\r\n\r\n",
        "GET /" + std::string(100'000, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(100'000, 'a') + "\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + many_headers() + "\r\n",
        std::string(
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\nConnection: close\r\n\r\n"),
        std::string("DELETE /run%201 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")}) {
    const int code = status(ask(bytes, "\r\n\r\n"));
    EXPECT_TRUE((code >= 400 && code < 500) || code == 505) << code << " for " << bytes.substr(0, 40);
  }
  EXPECT_EQ(status(ask("GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")), 403);
  EXPECT_EQ(status(get("/")), 200);
}

TEST_F(Serve, SlowAndIdleClientsDoNotStopOthers) {
  std::vector<int> slow;
  for (int i = 0; i < 200; ++i) {
    slow.push_back(connect());
    if (i % 2 == 0) (void)!::write(slow.back(), "GET / HT", 8);
  }
  EXPECT_EQ(status(get("/")), 200);
  // Also when there are more than the server keeps: the oldest go.
  for (int i = 0; i < 500; ++i) slow.push_back(connect());
  EXPECT_EQ(status(get("/")), 200);
  for (const int socket : slow) close(socket);
}

TEST_F(Serve, AnswersSeveralRequestsOfOnePacketInTurn) {
  const std::string one = "GET /run%201/report.html HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::string last = "GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  const std::string answers = ask(one + one + last);
  const std::size_t first = answers.find("<p>report</p>HTTP/1.1 200");
  ASSERT_NE(first, std::string::npos) << answers;
  EXPECT_NE(answers.find("<p>report</p>HTTP/1.1 404", first), std::string::npos) << answers;
}

TEST_F(Serve, SendsPartsOfAFile) {
  const auto part = [&](const std::string& range) {
    return ask("GET /run%201/report.html HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nRange: " +
               range + "\r\n\r\n");
  };
  EXPECT_EQ(status(part("bytes=3-8")), 206);
  EXPECT_TRUE(part("bytes=3-8").ends_with("\r\n\r\nreport"));
  EXPECT_TRUE(part("bytes=-4").ends_with("\r\n\r\n</p>"));
  EXPECT_EQ(status(part("bytes=100-")), 416);
  EXPECT_NE(part("bytes=100-").find("Content-Range: bytes */13\r\n"), std::string::npos);
  EXPECT_EQ(status(part("nonsense")), 200);
}

TEST_F(Serve, LinksThatLeadOutShowNotEvenTheirNames) {
  fs::create_directories(root() / "run 2");
  fs::create_symlink(scratch_ / "secret.txt", root() / "run 2/summary.json");
  const std::string page = get("/?files");
  EXPECT_EQ(page.find("above"), std::string::npos) << page;
  EXPECT_EQ(page.find(">out<"), std::string::npos) << page;
  write(scratch_ / "secret.txt", R"({"name": "secret name"})");
  EXPECT_EQ(get("/runs.json").find("secret name"), std::string::npos);
  EXPECT_EQ(get("/?files").find("secret name"), std::string::npos);
}

TEST_F(Serve, ALocationIsEncoded) {
  fs::create_directories(root() / "a\r\nX: b");
  const std::string answer = get("/a%0D%0AX:%20b");
  EXPECT_EQ(status(answer), 302);
  EXPECT_NE(answer.find("Location: /a%0D%0AX%3A%20b/\r\n"), std::string::npos) << answer;
}

TEST_F(Serve, AHeadHasNoBody) {
  const std::string answer =
      ask("HEAD /run%201/report.html HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_NE(answer.find("Content-Length: 13\r\n"), std::string::npos) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
}

TEST_F(Serve, SendsALargeFileWhole) {
  fs::resize_file(root() / "run 1/report.html", 5 << 20);
  EXPECT_GT(get("/run%201/report.html").size(), 5U << 20);
}

TEST(ResultServer, SaysWhenItCannot) {
  EXPECT_THROW(ResultServer("/no/such/folder", "127.0.0.1", 0), UserError);
  ResultServer first(fs::temp_directory_path(), "127.0.0.1", 0);
  EXPECT_THROW(ResultServer(fs::temp_directory_path(), "300.0.0.1", 0), UserError);
}

}  // namespace
}  // namespace overture::serve
