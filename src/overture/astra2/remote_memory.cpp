#include "overture/astra2/remote_memory.h"

namespace overture::astra2 {

RemoteMemory::RemoteMemory(const MemoryFile& config, int npus,
                           std::function<system::CycleClock&(int npu)> clock, Done done)
    : config_(config), clock_(std::move(clock)), done_(std::move(done)) {
  servers_.resize(server_of(npus - 1) + 1);
}

std::size_t RemoteMemory::server_of(int npu) const {
  return config_.kind == MemoryFile::Kind::per_node ? static_cast<std::size_t>(npu / config_.npus_per_node)
                                                    : 0;
}

Duration RemoteMemory::time(std::uint64_t size) const {
  const double transfer = static_cast<double>(size) / static_cast<double>(config_.bytes_per_ns);
  check_transfer_ns(transfer);
  return Nanoseconds{static_cast<std::int64_t>(config_.latency_ns) + static_cast<std::int64_t>(transfer)};
}

void RemoteMemory::access(int npu, std::uint32_t node, std::uint64_t size) {
  if (config_.kind == MemoryFile::Kind::per_npu) {
    clock_(npu).after(time(size), [this, npu, node] { done_(npu, node); });
    return;
  }
  const std::size_t server = server_of(npu);
  if (servers_[server].busy) return servers_[server].waiting.push_back({npu, node, size});
  serve(server, {npu, node, size});
}

// First the NPU goes on, then the next in line is served.
void RemoteMemory::serve(std::size_t server, const Access& access) {
  servers_[server].busy = true;
  system::CycleClock& clock = clock_(access.npu);
  const Duration length = time(access.size);
  clock.after(length, [this, npu = access.npu, node = access.node] { done_(npu, node); });
  clock.after(length, [this, server] { next(server); });
}

void RemoteMemory::next(std::size_t server) {
  Server& mine = servers_[server];
  mine.busy = false;
  if (mine.waiting.empty()) return;
  const Access access = mine.waiting.front();
  mine.waiting.pop_front();
  serve(server, access);
}

}  // namespace overture::astra2
