// SPDX-License-Identifier: GPL-2.0-only
//
// overture-ns3: runs a list of flows over ns-3's TCP, for comparison. A program of its own, because ns-3 is
// under the GPL-2.0: it shares no code with Overture, only the text format of ns3_program.h, which it reads
// from its first argument, and the completion times, which it writes to its second: one line per flow, in
// picoseconds, -1 when the flow did not finish.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>

namespace {

struct Cable {
  uint32_t a = 0;
  uint32_t b = 0;
  uint64_t bits_per_second = 0;
  int64_t delay_ps = 0;
};

struct Flow {
  uint32_t from = 0;
  uint32_t to = 0;
  uint64_t bytes = 0;
  int64_t start_ps = 0;
  int64_t finished_ps = -1;
};

struct Input {
  uint32_t hosts = 0;
  uint32_t nodes = 0;
  std::map<std::string, int64_t> options;
  std::vector<Cable> cables;
  std::vector<std::vector<uint32_t>> routes;  // by node and destination: the cable
  std::vector<Flow> flows;
};

[[noreturn]] void fail(const std::string& what) {
  std::cerr << "error: " << what << "\n";
  std::exit(2);
}

Input read(const std::string& file) {
  std::ifstream in(file);
  if (!in) fail(file + ": cannot be read");
  Input input;
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string key;
    if (!(words >> key)) continue;
    if (key == "nodes") {
      words >> input.hosts >> input.nodes;
      input.routes.assign(input.nodes, std::vector<uint32_t>(input.hosts));
    } else if (key == "cable") {
      Cable& c = input.cables.emplace_back();
      words >> c.a >> c.b >> c.bits_per_second >> c.delay_ps;
    } else if (key == "route") {
      uint32_t node = 0;
      words >> node;
      for (uint32_t& cable : input.routes.at(node)) words >> cable;
    } else if (key == "flow") {
      Flow& f = input.flows.emplace_back();
      words >> f.from >> f.to >> f.bytes >> f.start_ps;
    } else {
      words >> input.options[key];
    }
    if (!words) fail(file + ": cannot be understood: " + line);
  }
  return input;
}

// ---- routing: a table by destination; a global search through all routes would cost more than TCP

ns3::Ipv4Address address_of(uint32_t host) { return ns3::Ipv4Address((10U << 24) + host + 1); }
uint32_t host_of(ns3::Ipv4Address address) { return address.Get() - (10U << 24) - 1; }

class TableRouting : public ns3::Ipv4RoutingProtocol {
 public:
  void fill(uint32_t self, std::vector<uint32_t> interfaces) {
    self_ = self;
    interfaces_ = std::move(interfaces);
  }

  ns3::Ptr<ns3::Ipv4Route> RouteOutput(ns3::Ptr<ns3::Packet>, const ns3::Ipv4Header& header,
                                       ns3::Ptr<ns3::NetDevice>, ns3::Socket::SocketErrno& error) override {
    error = ns3::Socket::ERROR_NOTERROR;
    return route_to(header.GetDestination());
  }
  bool RouteInput(ns3::Ptr<const ns3::Packet> packet, const ns3::Ipv4Header& header,
                  ns3::Ptr<const ns3::NetDevice> device, UnicastForwardCallback forward,
                  MulticastForwardCallback, LocalDeliverCallback deliver, ErrorCallback) override {
    if (host_of(header.GetDestination()) == self_) {
      deliver(packet, header, static_cast<uint32_t>(ipv4_->GetInterfaceForDevice(device)));
    } else {
      forward(route_to(header.GetDestination()), packet, header);
    }
    return true;
  }
  void NotifyInterfaceUp(uint32_t) override {}
  void NotifyInterfaceDown(uint32_t) override {}
  void NotifyAddAddress(uint32_t, ns3::Ipv4InterfaceAddress) override {}
  void NotifyRemoveAddress(uint32_t, ns3::Ipv4InterfaceAddress) override {}
  void SetIpv4(ns3::Ptr<ns3::Ipv4> ipv4) override { ipv4_ = ipv4; }
  void PrintRoutingTable(ns3::Ptr<ns3::OutputStreamWrapper>, ns3::Time::Unit) const override {}

 private:
  ns3::Ptr<ns3::Ipv4Route> route_to(ns3::Ipv4Address destination) {
    ns3::Ptr<ns3::Ipv4Route>& route = known_[destination.Get()];
    if (!route) {
      const uint32_t interface = interfaces_.at(host_of(destination));
      route = ns3::Create<ns3::Ipv4Route>();
      route->SetDestination(destination);
      route->SetSource(ipv4_->GetAddress(interface, 0).GetLocal());
      route->SetGateway(destination);
      route->SetOutputDevice(ipv4_->GetNetDevice(interface));
    }
    return route;
  }

  uint32_t self_ = 0;
  std::vector<uint32_t> interfaces_;  // by destination
  std::map<uint32_t, ns3::Ptr<ns3::Ipv4Route>> known_;
  ns3::Ptr<ns3::Ipv4> ipv4_;
};

class TableRoutingHelper : public ns3::Ipv4RoutingHelper {
 public:
  TableRoutingHelper* Copy() const override { return new TableRoutingHelper(*this); }
  ns3::Ptr<ns3::Ipv4RoutingProtocol> Create(ns3::Ptr<ns3::Node>) const override {
    return ns3::CreateObject<TableRouting>();
  }
};

// ---- the network

void set_defaults(const Input& input) {
  const auto option = [&](const char* name) { return input.options.at(name); };
  using ns3::Config::SetDefault;
  SetDefault("ns3::TcpL4Protocol::SocketType", ns3::TypeIdValue(ns3::TcpNewReno::GetTypeId()));
  SetDefault("ns3::TcpSocket::SegmentSize", ns3::UintegerValue(option("segment")));
  SetDefault("ns3::TcpSocket::SndBufSize", ns3::UintegerValue(16 << 20));
  SetDefault("ns3::TcpSocket::RcvBufSize", ns3::UintegerValue(option("receive_window")));
  SetDefault("ns3::TcpSocket::InitialCwnd", ns3::UintegerValue(option("initial_window")));
  SetDefault("ns3::TcpSocket::DelAckCount", ns3::UintegerValue(1));
  SetDefault("ns3::TcpSocket::TcpNoDelay", ns3::BooleanValue(true));
  SetDefault("ns3::TcpSocketBase::MinRto", ns3::TimeValue(ns3::PicoSeconds(option("min_rto_ps"))));
  SetDefault("ns3::TcpSocketBase::ClockGranularity", ns3::TimeValue(ns3::MicroSeconds(1)));
  SetDefault("ns3::TcpSocketBase::Timestamp", ns3::BooleanValue(false));
  SetDefault("ns3::TcpSocketBase::Sack", ns3::BooleanValue(true));
  SetDefault("ns3::TcpSocketBase::LimitedTransmit", ns3::BooleanValue(true));
}

ns3::QueueSize queue_size(const Input& input, uint32_t node) {
  const auto limit = input.options.find("port_limit");
  const bool limited = node >= input.hosts && limit != input.options.end();
  return {ns3::QueueSizeUnit::BYTES, limited ? static_cast<uint32_t>(limit->second) : 2'000'000'000U};
}

uint32_t attach(ns3::Ptr<ns3::Node> node, ns3::Ptr<ns3::NetDevice> device, ns3::Ipv4Address address) {
  const auto ipv4 = node->GetObject<ns3::Ipv4>();
  const uint32_t interface = ipv4->AddInterface(device);
  ipv4->AddAddress(interface, ns3::Ipv4InterfaceAddress(address, ns3::Ipv4Mask(0xffffffffU)));
  ipv4->SetUp(interface);
  return interface;
}

void build(const Input& input, ns3::NodeContainer& nodes) {
  nodes.Create(input.nodes);
  ns3::InternetStackHelper stack;
  stack.SetRoutingHelper(TableRoutingHelper());
  stack.SetIpv6StackInstall(false);
  stack.Install(nodes);

  std::vector<std::pair<uint32_t, uint32_t>> interfaces;  // by cable: at its two ends
  for (std::size_t i = 0; i < input.cables.size(); ++i) {
    const Cable& cable = input.cables[i];
    ns3::PointToPointHelper wire;
    wire.DisableFlowControl();
    wire.SetDeviceAttribute("DataRate", ns3::DataRateValue(ns3::DataRate(cable.bits_per_second)));
    const auto segment = static_cast<uint16_t>(input.options.at("segment"));
    wire.SetDeviceAttribute("Mtu", ns3::UintegerValue(static_cast<uint16_t>(segment + 52)));
    wire.SetChannelAttribute("Delay", ns3::TimeValue(ns3::PicoSeconds(cable.delay_ps)));
    const ns3::NetDeviceContainer ends = wire.Install(nodes.Get(cable.a), nodes.Get(cable.b));
    const auto join = [&](uint32_t end, uint32_t node) {
      const auto device = ns3::DynamicCast<ns3::PointToPointNetDevice>(ends.Get(end));
      device->GetQueue()->SetMaxSize(queue_size(input, node));
      const auto own = ns3::Ipv4Address((11U << 24) + static_cast<uint32_t>(2 * i) + end);
      return attach(nodes.Get(node), device, node < input.hosts ? address_of(node) : own);
    };
    interfaces.emplace_back(join(0, cable.a), join(1, cable.b));
  }
  for (uint32_t node = 0; node < input.nodes; ++node) {
    std::vector<uint32_t> by_destination;
    for (uint32_t host = 0; host < input.hosts; ++host) {
      const uint32_t cable = input.routes[node][host];
      by_destination.push_back(host == node                       ? 0
                               : input.cables.at(cable).a == node ? interfaces[cable].first
                                                                  : interfaces[cable].second);
    }
    const auto ipv4 = nodes.Get(node)->GetObject<ns3::Ipv4>();
    ns3::DynamicCast<TableRouting>(ipv4->GetRoutingProtocol())->fill(node, std::move(by_destination));
  }
}

uint64_t dropped_packets(const ns3::NodeContainer& nodes) {
  uint64_t dropped = 0;
  for (uint32_t node = 0; node < nodes.GetN(); ++node) {
    for (uint32_t device = 0; device < nodes.Get(node)->GetNDevices(); ++device) {
      const auto wire = ns3::DynamicCast<ns3::PointToPointNetDevice>(nodes.Get(node)->GetDevice(device));
      if (wire) dropped += wire->GetQueue()->GetTotalDroppedPackets();
    }
  }
  return dropped;
}

// ---- connections: one per ordered pair, opened before time 0; a message is a range of its bytes

constexpr uint16_t kPort = 5000;

struct Connection {
  ns3::Ptr<ns3::Socket> sender;
  uint64_t to_write = 0;
  uint64_t written = 0;
  uint64_t received = 0;
  uint64_t ends_at = 0;            // of the last message that was started
  std::vector<std::size_t> flows;  // by start
  std::vector<uint64_t> ends;      // of the messages started so far
  std::size_t next_to_finish = 0;
};

class Traffic {
 public:
  Traffic(Input& input, ns3::NodeContainer& nodes) : input_(input), nodes_(nodes) {}

  // Returns the time at which all connections stand, and the flows' clock starts.
  ns3::Time open() {
    for (uint32_t host = 0; host < input_.hosts; ++host) listen(host);
    ns3::Time at = ns3::MicroSeconds(10);
    for (const Flow& flow : input_.flows) {
      Connection& connection = connections_[{flow.from, flow.to}];
      if (connection.sender) continue;
      const auto socket =
          ns3::Socket::CreateSocket(nodes_.Get(flow.from), ns3::TcpSocketFactory::GetTypeId());
      connection.sender = socket;
      ns3::Simulator::Schedule(at, [socket, to = flow.to] {
        socket->Bind();
        socket->Connect(ns3::InetSocketAddress(address_of(to), kPort));
      });
      at += ns3::MicroSeconds(10);
    }
    return at + ns3::Seconds(1);
  }

  void schedule(ns3::Time zero) {
    zero_ = zero;
    for (auto& [pair, connection] : connections_) {
      connection.sender->SetSendCallback(
          [this, &c = connection](ns3::Ptr<ns3::Socket>, uint32_t) { pump(c); });
    }
    for (std::size_t i = 0; i < input_.flows.size(); ++i) {
      const ns3::Time at = zero + ns3::PicoSeconds(input_.flows[i].start_ps) - ns3::Simulator::Now();
      ns3::Simulator::Schedule(at, [this, i] { start(i); });
    }
  }

 private:
  void listen(uint32_t host) {
    const auto socket = ns3::Socket::CreateSocket(nodes_.Get(host), ns3::TcpSocketFactory::GetTypeId());
    socket->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
    socket->Listen();
    socket->SetAcceptCallback(
        ns3::MakeNullCallback<bool, ns3::Ptr<ns3::Socket>, const ns3::Address&>(),
        [this, host](ns3::Ptr<ns3::Socket> accepted, const ns3::Address& from) {
          const auto peer = ns3::InetSocketAddress::ConvertFrom(from).GetIpv4();
          Connection& connection = connections_[{host_of(peer), host}];
          accepted->SetRecvCallback([this, &connection](ns3::Ptr<ns3::Socket> s) { receive(connection, s); });
        });
    listening_.push_back(socket);
  }

  void start(std::size_t i) {
    const Flow& flow = input_.flows[i];
    Connection& connection = connections_.at({flow.from, flow.to});
    connection.flows.push_back(i);
    connection.ends_at += flow.bytes;
    connection.ends.push_back(connection.ends_at);
    connection.to_write += flow.bytes;
    pump(connection);
  }

  void pump(Connection& connection) {
    while (connection.written < connection.to_write) {
      const uint64_t room = std::min<uint64_t>(connection.sender->GetTxAvailable(), 1 << 20);
      const uint64_t size = std::min(connection.to_write - connection.written, room);
      if (size == 0) return;
      connection.written += size;
      if (connection.sender->Send(ns3::Create<ns3::Packet>(static_cast<uint32_t>(size))) < 0)
        fail("a send failed");
    }
  }

  void receive(Connection& connection, ns3::Ptr<ns3::Socket> socket) {
    while (const auto packet = socket->Recv()) {
      if (packet->GetSize() == 0) break;
      connection.received += packet->GetSize();
    }
    for (; connection.next_to_finish < connection.ends.size() &&
           connection.received >= connection.ends[connection.next_to_finish];
         ++connection.next_to_finish) {
      Flow& flow = input_.flows[connection.flows[connection.next_to_finish]];
      flow.finished_ps = (ns3::Simulator::Now() - zero_).GetPicoSeconds() - flow.start_ps;
      if (++finished_ == input_.flows.size()) ns3::Simulator::Stop();
    }
  }

  Input& input_;
  ns3::NodeContainer& nodes_;
  std::map<std::pair<uint32_t, uint32_t>, Connection> connections_;
  std::vector<ns3::Ptr<ns3::Socket>> listening_;
  ns3::Time zero_;
  std::size_t finished_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) fail("usage: overture-ns3 NETWORK.txt FCT.txt");
  ns3::Time::SetResolution(ns3::Time::PS);
  Input input = read(argv[1]);
  set_defaults(input);
  ns3::NodeContainer nodes;
  build(input, nodes);
  Traffic traffic(input, nodes);
  const ns3::Time zero = traffic.open();
  ns3::Simulator::Stop(zero - ns3::PicoSeconds(1));
  ns3::Simulator::Run();
  const std::clock_t opened = std::clock();
  traffic.schedule(zero);
  if (input.options.count("until_ps") != 0) {
    ns3::Simulator::Stop(zero + ns3::PicoSeconds(input.options["until_ps"]) - ns3::Simulator::Now());
  }
  ns3::Simulator::Run();
  std::ofstream out(argv[2]);
  for (const Flow& flow : input.flows) out << flow.finished_ps << "\n";
  std::cout << "open_seconds " << static_cast<double>(opened) / CLOCKS_PER_SEC << "\nrun_seconds "
            << static_cast<double>(std::clock() - opened) / CLOCKS_PER_SEC << "\ndrops "
            << dropped_packets(nodes) << "\n";
  return out ? 0 : 1;
}
