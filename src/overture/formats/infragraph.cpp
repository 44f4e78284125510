#include "overture/formats/infragraph.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "overture/base/append.h"
#include "overture/base/error.h"

namespace overture::formats {
namespace {

struct Component {
  std::string name;
  std::string kind;
  int count = 1;
};

struct LinkKind {
  Bandwidth rate;
  Duration delay{};
};

struct Cable {
  int a;
  int b;
  std::string link;
};

class InfraReader {
 public:
  InfraReader(std::string_view text, const std::string& file, const InfraGraphDefaults& defaults)
      : file_(file), defaults_(defaults) {
    try {
      root_ = YAML::Load(std::string(text));
    } catch (const YAML::Exception& e) {
      throw UserError({.file = file_, .line = e.mark.line + 1}, e.msg);
    }
    if (!root_.IsMap() || !root_["devices"] || !root_["instances"])
      throw UserError({.file = file_}, "is not an InfraGraph", "it has devices, instances, links and edges");
  }

  std::string graph() {
    try {
      read();
    } catch (const YAML::Exception& e) {  // such as a word where a map belongs
      throw UserError({.file = file_, .line = std::max(0, e.mark.line + 1)}, e.msg);
    }
    return write();
  }

 private:
  static constexpr int kMostCopies = 1'000'000;  // of a component, or an instance
  static constexpr std::size_t kMostNodes = 4'000'000;
  static constexpr std::size_t kMostCables = 20'000'000;

  void read() {
    read_links(root_["links"]);
    for (const YAML::Node& device : sequence(root_, "devices")) devices_[text(device, "name")] = device;
    for (const YAML::Node& instance : sequence(root_, "instances")) add_instance(instance);
    for (const YAML::Node& edge : sequence(root_, "edges")) add_edge(edge, "");
  }

  [[noreturn]] void fail(const YAML::Node& at, std::string_view what, std::string_view hint = {}) const {
    throw UserError({.file = file_, .line = at.IsDefined() ? at.Mark().line + 1 : 0}, what, hint);
  }
  std::string text(const YAML::Node& node, const char* key) const {
    if (!node.IsMap() || !node[key] || !node[key].IsScalar()) fail(node, fmt::format("{} is missing", key));
    return node[key].Scalar();
  }
  static std::vector<YAML::Node> sequence(const YAML::Node& node, const char* key) {
    std::vector<YAML::Node> list;
    if (!node[key] || !node[key].IsSequence()) return list;
    for (const YAML::Node& entry : node[key]) list.push_back(entry);
    return list;
  }

  double value_of(const YAML::Node& node) const {
    double value = 0;
    if (!YAML::convert<double>::decode(node, value) || !std::isfinite(value)) fail(node, "is not a number");
    return value;
  }
  int count_in(const YAML::Node& node) const {
    if (!node["count"]) return 1;
    const double count = value_of(node["count"]);
    if (count < 0 || count > kMostCopies) fail(node, fmt::format("counts are 0 to {}", kMostCopies));
    return static_cast<int>(count);
  }

  void read_links(const YAML::Node& links) {
    if (!links || !links.IsSequence()) return;
    for (const YAML::Node& link : links) {
      LinkKind kind{defaults_.rate, defaults_.delay};
      const YAML::Node physical = link["physical"];
      if (physical && physical["bandwidth"]) read_bandwidth(physical["bandwidth"], kind);
      if (physical && physical["latency"]) read_latency(physical["latency"], kind);
      kinds_[text(link, "name")] = kind;
    }
  }

  void read_bandwidth(const YAML::Node& node, LinkKind& kind) const {
    double bits = 0;
    if (node["gigabits_per_second"]) bits = 1e9 * value_of(node["gigabits_per_second"]);
    if (node["gigabytes_per_second"]) bits = 8e9 * value_of(node["gigabytes_per_second"]);
    if (bits == 0 && node["gigatransfers_per_second"]) return;  // says nothing without the width of the link
    if (!(bits > 0) || bits > 1e18)
      fail(node, "has no bandwidth", "gigabits_per_second or gigabytes_per_second");
    kind.rate = Bandwidth::bits_per_second(std::llround(bits));
  }

  void read_latency(const YAML::Node& node, LinkKind& kind) const {
    for (const auto& [unit, ns] : {std::pair("ns", 1.0), std::pair("us", 1e3), std::pair("ms", 1e6)}) {
      if (!node[unit]) continue;
      const double ps = 1000 * ns * value_of(node[unit]);
      if (ps < 0 || ps > 1e15) fail(node, "latencies are 0 to 1000 s");
      kind.delay = Duration{std::llround(ps)};
    }
  }

  std::vector<Component> components(const YAML::Node& device) const {
    std::vector<Component> list;
    for (const YAML::Node& c : sequence(device, "components")) {
      list.push_back({text(c, "name"), c["choice"] ? c["choice"].Scalar() : "custom", count_in(c)});
    }
    return list;
  }

  void add_instance(const YAML::Node& instance) {
    const std::string name = text(instance, "name");
    const auto device = devices_.find(text(instance, "device"));
    if (device == devices_.end())
      fail(instance, fmt::format("there is no device \"{}\"", text(instance, "device")));
    const int count = count_in(instance);
    const std::vector<Component> parts = components(device->second);
    counts_[name] = count;
    device_of_[name] = device->first;
    for (int i = 0; i < count; ++i) {
      const std::string prefix = fmt::format("{}.{}", name, i);
      for (const Component& component : parts) {
        for (int c = 0; c < component.count; ++c)
          add_node(fmt::format("{}.{}.{}", prefix, component.name, c), component.kind == "npu");
        if (names_.size() > kMostNodes) fail(instance, fmt::format("more than {} components", kMostNodes));
      }
      for (const YAML::Node& edge : sequence(device->second, "edges")) add_edge(edge, prefix);
    }
  }

  void add_node(const std::string& name, bool host) {
    nodes_[name] = static_cast<int>(names_.size());
    names_.push_back(name);
    is_host_.push_back(host);
  }

  // "npu[0:2]": which of how many; without brackets all.
  std::pair<std::string, std::pair<int, int>> selection(const std::string& word, int count,
                                                        const YAML::Node& at) const {
    const auto open = word.find('[');
    if (open == std::string::npos) return {word, {0, count}};
    const std::string inside = word.substr(open + 1, word.find(']') - open - 1);
    const auto colon = inside.find(':');
    try {
      const int first = inside.substr(0, colon).empty() ? 0 : std::stoi(inside.substr(0, colon));
      const std::string rest = colon == std::string::npos ? "" : inside.substr(colon + 1);
      const int last = rest.empty() ? count : std::stoi(rest);
      if (first >= 0 && first < count && colon == std::string::npos)
        return {word.substr(0, open), {first, first + 1}};
      if (first >= 0 && first <= last && last <= count && colon != std::string::npos)
        return {word.substr(0, open), {first, last}};
    } catch (const std::exception&) {  // no numbers
    }
    fail(at, fmt::format("\"{}\" is not a selection of {}", word, count), "such as npu, npu[0] or npu[0:4]");
  }

  int count_of(const std::string& device, const std::string& component, const YAML::Node& at) const {
    for (const Component& c : components(devices_.at(device))) {
      if (c.name == component) return c.count;
    }
    fail(at, fmt::format("device {} has no component \"{}\"", device, component));
  }

  // Nodes of one end of an edge; inside a device `prefix` says of which copy.
  std::vector<int> ends(const YAML::Node& end, const std::string& prefix) const {
    std::vector<std::string> owners{prefix};
    std::string device;
    if (prefix.empty()) {
      const std::string word = text(end, "instance");
      const std::string name = word.substr(0, word.find('['));
      if (!counts_.contains(name)) fail(end, fmt::format("there is no instance \"{}\"", name));
      const auto [first, last] = selection(word, counts_.at(name), end).second;
      owners.clear();
      for (int i = first; i < last; ++i) owners.push_back(fmt::format("{}.{}", name, i));
      device = device_of_.at(name);
    } else {
      device = device_of_.at(prefix.substr(0, prefix.rfind('.')));
    }
    const std::string word = text(end, "component");
    const std::string component = word.substr(0, word.find('['));
    const auto [first, last] = selection(word, count_of(device, component, end), end).second;
    std::vector<int> found;
    for (const std::string& owner : owners) {
      for (int c = first; c < last; ++c) {
        const auto node = nodes_.find(fmt::format("{}.{}.{}", owner, component, c));
        if (node == nodes_.end()) fail(end, fmt::format("there is no {}.{}.{}", owner, component, c));
        found.push_back(node->second);
      }
    }
    return found;
  }

  void add_edge(const YAML::Node& edge, const std::string& prefix) {
    const std::vector<int> a = ends(edge["ep1"], prefix);
    const std::vector<int> b = ends(edge["ep2"], prefix);
    const std::string scheme = edge["scheme"] ? edge["scheme"].Scalar() : "one2one";
    const std::string link = edge["link"] ? edge["link"].Scalar() : "link";
    if (scheme == "many2many") {
      for (const int one : a) {
        for (const int other : b) {
          const bool twice = a == b && one >= other;
          if (one != other && !twice) cables_.push_back({one, other, link});
        }
        if (cables_.size() > kMostCables) break;
      }
    } else if (scheme == "ring") {
      for (std::size_t i = 0; a.size() > 1 && i < a.size(); ++i) {
        if (i + 1 < a.size() || a.size() > 2) cables_.push_back({a[i], a[(i + 1) % a.size()], link});
      }
    } else if (scheme == "one2one") {
      for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        if (a[i] != b[i]) cables_.push_back({a[i], b[i], link});
      }
    } else {
      fail(edge, fmt::format("unknown scheme \"{}\"", scheme), "known: one2one, many2many, ring");
    }
    if (cables_.size() > kMostCables) fail(edge, fmt::format("more than {} links", kMostCables));
  }

  std::string write() const {
    std::vector<bool> used(names_.size());
    for (const Cable& cable : cables_)
      used[static_cast<std::size_t>(cable.a)] = used[static_cast<std::size_t>(cable.b)] = true;
    std::vector<std::string> short_names(names_.size());
    int hosts = 0;
    int switches = 0;
    std::string meaning;
    for (std::size_t n = 0; n < names_.size(); ++n) {
      if (!used[n]) continue;
      short_names[n] = is_host_[n] ? fmt::format("h{}", hosts++) : fmt::format("s{}", switches++);
      append_format(meaning, "# {} is {}\n", short_names[n], names_[n]);
    }
    if (hosts < 2)
      throw UserError({.file = file_}, "has fewer than two connected NPUs",
                      "hosts are components of choice npu");
    std::string text = fmt::format("# from {}\nhosts {}\nswitches {}\n{}", file_, hosts, switches, meaning);
    for (const Cable& cable : cables_) {
      const auto found = kinds_.find(cable.link);
      const LinkKind kind = found == kinds_.end() ? LinkKind{defaults_.rate, defaults_.delay} : found->second;
      append_format(text, "link {} {} {} bps {} ps {}\n", short_names[static_cast<std::size_t>(cable.a)],
                    short_names[static_cast<std::size_t>(cable.b)], kind.rate.bits_per_second(),
                    kind.delay.count(), cable.link);
    }
    return text;
  }

  std::string file_;
  InfraGraphDefaults defaults_;
  YAML::Node root_;
  std::map<std::string, YAML::Node> devices_;
  std::map<std::string, int> counts_;
  std::map<std::string, std::string> device_of_;
  std::map<std::string, LinkKind> kinds_;
  std::map<std::string, int> nodes_;
  std::vector<std::string> names_;
  std::vector<bool> is_host_;
  std::vector<Cable> cables_;
};

}  // namespace

std::string infragraph_to_graph(std::string_view text, const std::string& file,
                                const InfraGraphDefaults& defaults) {
  return InfraReader(text, file, defaults).graph();
}

std::string graph_to_infragraph(const topology::Graph& graph, const std::string& name) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> kinds;
  std::string edges;
  const auto end = [&](int node) {
    return graph.is_host(node)
               ? fmt::format("{{instance: \"host[{}]\", component: npu}}", node)
               : fmt::format("{{instance: \"switch[{}]\", component: asic}}", node - graph.hosts());
  };
  for (const topology::Link& link : graph.links()) {
    if (link.from > link.to) continue;  // a cable is one edge
    const auto kind = kinds
                          .try_emplace({link.wire.rate.bits_per_second(), link.wire.delay.count()},
                                       fmt::format("link{}", kinds.size()))
                          .first;
    append_format(edges, "- ep1: {}\n  ep2: {}\n  link: {}\n  scheme: one2one\n", end(link.from),
                  end(link.to), kind->second);
  }
  std::string links;
  for (const auto& [what, word] : kinds) {
    append_format(
        links,
        "- name: {}\n  physical:\n    bandwidth: {{choice: gigabits_per_second, gigabits_per_second: {}}}\n"
        "    latency: {{choice: ns, ns: {}}}\n",
        word, static_cast<double>(what.first) / 1e9, static_cast<double>(what.second) / 1000);
  }
  const int switches = graph.nodes() - graph.hosts();
  return fmt::format(
      "name: {}\ndescription: written by overture\ndevices:\n- name: host\n  components:\n  - {{choice: npu, "
      "count: 1, name: npu}}\n"
      "- name: switch\n  components:\n  - {{choice: switch, count: 1, name: asic}}\ninstances:\n- {{name: "
      "host, device: host, count: {}}}\n"
      "- {{name: switch, device: switch, count: {}}}\nlinks:\n{}edges:\n{}",
      name, graph.hosts(), switches, links, edges);
}

}  // namespace overture::formats
