// Disks for tests. RecordingDisk notes every operation, and can then show what a power cut after any of them
// could have left: as leveldb's fault injection does, but for folders and renames too. FaultyDisk is full,
// tears writes or fails to sync.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "overture/base/check.h"
#include "overture/base/disk.h"
#include "overture/base/random.h"

namespace overture {

// What an operation did, in terms of files and folders that have no names of their own.
class DiskModel {
 public:
  DiskModel() : nodes_(1, Node{.folder = true}) {}

  int make(int folder, const std::string& name, bool is_folder) {
    nodes_.push_back({.folder = is_folder});
    const int made = static_cast<int>(nodes_.size()) - 1;
    change(folder, {{name, made}});
    return made;
  }
  void write(int file, std::int64_t place, std::string bytes) {
    at(file).writes.push_back({place, std::move(bytes)});
  }
  void sync(int node) {
    at(node).synced_writes = at(node).writes.size();
    at(node).synced_changes = at(node).changes.size();
  }
  // Names that come to mean something else at once; -1: nothing.
  void change(int folder, std::vector<std::pair<std::string, int>> names) {
    for (const auto& [name, node] : names) set(at(folder).now, name, node);
    at(folder).changes.push_back(std::move(names));
  }
  void remove(int folder, const std::string& name) {
    const int gone = find(folder, name);
    if (gone < 0) return;
    const std::map<std::string, int> inner = at(gone).now;
    for (const auto& [below, node] : inner) remove(gone, below);
    change(folder, {{name, -1}});
  }
  int find(int folder, const std::string& name) {
    const auto found = at(folder).now.find(name);
    return found == at(folder).now.end() ? -1 : found->second;
  }

  // What is on the disk for certain, and of what is not yet as much as chance has it: of every folder some of
  // the newest changes, in order; of every file some of the newest writes, the last of them in part, or zeros
  // in their place.
  void leave(RandomStream& chance, const std::filesystem::path& into, int node = 0) {
    std::filesystem::create_directories(into);
    for (const auto& [name, below] : entries(node, chance)) {
      if (at(below).folder) {
        leave(chance, into / name, below);
      } else {
        std::ofstream(into / name, std::ios::binary) << content(below, chance);
      }
    }
  }

 private:
  struct Write {
    std::int64_t place;
    std::string bytes;
  };
  struct Node {
    bool folder = false;
    std::vector<Write> writes{};
    std::size_t synced_writes = 0;
    std::vector<std::vector<std::pair<std::string, int>>> changes{};
    std::size_t synced_changes = 0;
    std::map<std::string, int> now{};
  };

  Node& at(int node) { return nodes_[static_cast<std::size_t>(node)]; }
  static void set(std::map<std::string, int>& names, const std::string& name, int node) {
    if (node < 0) {
      names.erase(name);
    } else {
      names[name] = node;
    }
  }
  static std::size_t between(std::size_t least, std::size_t most, RandomStream& chance) {
    return least + static_cast<std::size_t>(chance.below(most - least + 1));
  }

  std::map<std::string, int> entries(int node, RandomStream& chance) {
    const Node& folder = at(node);
    const std::size_t kept = between(folder.synced_changes, folder.changes.size(), chance);
    std::map<std::string, int> names;
    for (std::size_t i = 0; i < kept; ++i) {
      for (const auto& [name, to] : folder.changes[i]) set(names, name, to);
    }
    return names;
  }

  std::string content(int node, RandomStream& chance) {
    const Node& file = at(node);
    const std::size_t kept = between(file.synced_writes, file.writes.size(), chance);
    std::string bytes;
    for (std::size_t i = 0; i < kept; ++i) {
      std::string piece = file.writes[i].bytes;
      const bool certain = i < file.synced_writes;
      if (!certain && i + 1 == kept) piece.resize(between(0, piece.size(), chance));
      if (!certain && chance.below(4) == 0) std::ranges::fill(piece, '\0');
      const auto place = static_cast<std::size_t>(file.writes[i].place);
      bytes.resize(std::max(bytes.size(), place + piece.size()));
      bytes.replace(place, piece.size(), piece);
    }
    return bytes;
  }

  std::vector<Node> nodes_;  // the first is the root
};

// Writes through to the machine's disk, below a root; syncs cost nothing.
class RecordingDisk : public Disk {
 public:
  explicit RecordingDisk(std::filesystem::path root) : root_(std::move(root)) {}

  std::size_t operations() const { return log_.size(); }
  // Leaves in `into` what a crash after so many operations could.
  void crash(std::size_t after, std::uint64_t seed, const std::filesystem::path& into) const {
    DiskModel model;
    std::map<int, int> open;
    for (std::size_t i = 0; i < after; ++i) play(log_[i], model, open);
    RandomStream chance(seed, after);
    model.leave(chance, into);
  }

  int create(const std::filesystem::path& path) override {
    const int file = machine_disk().create(path);
    if (file >= 0) log_.push_back({.what = What::create, .file = file, .path = path});
    return file;
  }
  std::int64_t write(int file, std::int64_t place, const char* data, std::size_t size) override {
    const std::int64_t written = machine_disk().write(file, place, data, size);
    if (written > 0)
      log_.push_back({.what = What::write,
                      .file = file,
                      .place = place,
                      .bytes = {data, static_cast<std::size_t>(written)}});
    return written;
  }
  bool sync(int file) override {
    log_.push_back({.what = What::sync, .file = file});
    return true;
  }
  bool close(int file) override { return machine_disk().close(file); }
  bool rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    if (!machine_disk().rename(from, to)) return false;
    log_.push_back({.what = What::rename, .path = from, .to = to});
    return true;
  }
  bool replace_folder(const std::filesystem::path& from, const std::filesystem::path& to) override {
    const bool exchanged = std::filesystem::exists(to);
    if (!machine_disk().replace_folder(from, to)) return false;
    log_.push_back({.what = exchanged ? What::exchange : What::rename, .path = from, .to = to});
    if (exchanged) {
      sync_folder(to.parent_path());
      log_.push_back({.what = What::remove, .path = from});
    }
    return true;
  }
  bool remove(const std::filesystem::path& path) override {
    log_.push_back({.what = What::remove, .path = path});
    return machine_disk().remove(path);
  }
  bool make_folder(const std::filesystem::path& path) override {
    if (std::filesystem::is_directory(path)) return true;
    if (!make_folder(path.parent_path()) || !std::filesystem::create_directory(path)) return false;
    log_.push_back({.what = What::make_folder, .path = path});
    return sync_folder(path.parent_path());
  }
  bool sync_folder(const std::filesystem::path& folder) override {
    log_.push_back({.what = What::sync_folder, .path = folder});
    return true;
  }

 private:
  enum class What : std::uint8_t { create, write, sync, rename, exchange, remove, make_folder, sync_folder };
  struct Operation {
    What what;
    int file = -1;
    std::int64_t place = 0;
    std::string bytes{};
    std::filesystem::path path{};
    std::filesystem::path to{};
  };

  // -1 for what is not below the root, or was never made here.
  int node_of(DiskModel& model, const std::filesystem::path& path) const {
    int node = 0;
    for (const std::filesystem::path& part : path.lexically_relative(root_)) {
      if (part == ".." || node < 0) return -1;
      if (part != ".") node = model.find(node, part.string());
    }
    return node;
  }

  void play(const Operation& one, DiskModel& model, std::map<int, int>& open) const {
    const std::string name = one.path.filename().string();
    const int folder = one.path.empty() || one.path == root_ ? -1 : node_of(model, one.path.parent_path());
    switch (one.what) {
      case What::create: open[one.file] = model.make(folder, name, false); break;
      case What::write: model.write(open.at(one.file), one.place, one.bytes); break;
      case What::sync: model.sync(open.at(one.file)); break;
      case What::make_folder: model.make(folder, name, true); break;
      case What::remove:
        if (folder >= 0) model.remove(folder, name);
        break;
      case What::rename:
        model.change(folder, {{name, -1}, {one.to.filename().string(), model.find(folder, name)}});
        break;
      case What::exchange: {
        const std::string other = one.to.filename().string();
        model.change(folder, {{name, model.find(folder, other)}, {other, model.find(folder, name)}});
        break;
      }
      case What::sync_folder:
        if (const int node = node_of(model, one.path); node >= 0) model.sync(node);
        break;
    }
  }

  std::filesystem::path root_;
  std::vector<Operation> log_;
};

// The machine's disk until an operation of the kind comes that is one too many.
class FaultyDisk : public Disk {
 public:
  enum class Fault : std::uint8_t {
    full,         // from that write on nothing more can be written
    short_write,  // from that write on never more than three bytes at a time
    no_sync,      // that sync fails
  };
  FaultyDisk(Fault fault, std::size_t at) : fault_(fault), left_(at) {}
  bool happened() const { return happened_; }

  int create(const std::filesystem::path& path) override { return machine_disk().create(path); }
  std::int64_t write(int file, std::int64_t place, const char* data, std::size_t size) override {
    if (fault_ == Fault::no_sync || !due()) return machine_disk().write(file, place, data, size);
    if (fault_ == Fault::short_write)
      return machine_disk().write(file, place, data, std::min<std::size_t>(size, 3));
    errno = ENOSPC;
    return -1;
  }
  bool sync(int) override {
    if (fault_ != Fault::no_sync || !due()) return true;
    errno = EIO;
    return false;
  }
  bool close(int file) override { return machine_disk().close(file); }
  bool rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    return machine_disk().rename(from, to);
  }
  bool replace_folder(const std::filesystem::path& from, const std::filesystem::path& to) override {
    return machine_disk().replace_folder(from, to);
  }
  bool remove(const std::filesystem::path& path) override { return machine_disk().remove(path); }
  bool make_folder(const std::filesystem::path& path) override { return machine_disk().make_folder(path); }
  bool sync_folder(const std::filesystem::path&) override { return true; }

 private:
  bool due() {
    const std::lock_guard lock(mutex_);
    if (left_ > 0) --left_;
    happened_ = happened_ || left_ == 0;
    return left_ == 0;
  }

  Fault fault_;
  std::mutex mutex_;
  std::size_t left_;
  bool happened_ = false;
};

}  // namespace overture
