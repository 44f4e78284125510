// Two processes under mpirun send each other messages around the size at which MPI gets them in parts, and
// check every byte: mpi_messages PART_BYTES [ONLY_BYTES]. A program for parties_test.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "overture/rpc/mpi.h"

namespace {

using namespace overture::rpc;

std::byte pattern(std::size_t message, std::size_t at) {
  return static_cast<std::byte>((at * 2654435761u >> 13) + message);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::size_t part = std::strtoull(argv[1], nullptr, 10);
  std::vector<std::size_t> sizes{0, 1, part - 1, part, part + 1, 2 * part, 3 * part + 7, 5};
  if (argc > 2) sizes = {std::strtoull(argv[2], nullptr, 10), 5};
  Mpi mpi(
      0,
      [](const std::vector<int>& said) {
        std::vector<Address> addresses;
        for (std::size_t i = 0; i < said.size(); ++i)
          addresses.push_back(Address{static_cast<std::int32_t>(i)});
        return addresses;
      },
      part);
  const Address peer{1 - index(mpi.self())};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Message message{.to = peer, .kind = 7, .step = static_cast<std::int64_t>(i), .payload = Buffer(sizes[i])};
    for (std::size_t at = 0; at < sizes[i]; ++at) message.payload[at] = pattern(i, at);
    mpi.send(std::move(message));
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Received received = mpi.receive();
    const auto* const message = std::get_if<Message>(&received);
    bool right = message != nullptr && message->step == static_cast<std::int64_t>(i) &&
                 message->payload.size() == sizes[i];
    for (std::size_t at = 0; right && at < sizes[i]; ++at) right = message->payload[at] == pattern(i, at);
    if (!right) {
      std::fprintf(stderr, "message %zu of %zu bytes is not what was sent\n", i, sizes[i]);
      mpi.fail("a message is wrong");
      return 1;
    }
  }
  std::printf("%zu messages came as they were sent\n", sizes.size());
}
