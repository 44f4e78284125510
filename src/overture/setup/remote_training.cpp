#include "overture/setup/remote_training.h"

#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "overture/rpc/wire.h"
#include "overture/train/driver.h"
#include "overture/train/oracle.h"
#include "overture/train/party_maker.h"

namespace overture::setup {
namespace {

using train::Kind;

rpc::Message receive(const Meeting& meeting, Kind kind) {
  rpc::Received received = meeting.transport->receive();
  if (const auto* gone = std::get_if<rpc::Gone>(&received))
    throw train::PartyGone(meeting.parties.name(gone->who) + " is gone: " + gone->why);
  rpc::Message message = std::get<rpc::Message>(std::move(received));
  if (train::kind_of(message) != kind)
    throw train::BadPeer(meeting.parties.name(message.from) + " does not follow the protocol");
  return message;
}

// Whatever is thrown, the others learn of it.
template <class Work>
auto telling(const Meeting& meeting, Work work) {
  try {
    return work();
  } catch (const train::PartyGone&) {
    throw;
  } catch (const std::exception& error) {
    meeting.transport->fail(error.what());
    throw;
  }
}

void put(const Started& started, rpc::Buffer& payload) {
  rpc::WireWriter out(payload);
  out.put(started.version);
  out.put(started.yaml);
  out.put(static_cast<std::uint64_t>(started.assignments.size()));
  for (const std::string& one : started.assignments) out.put(one);
}

Started started_of(const rpc::Message& message) {
  rpc::WireReader in(message.payload);
  Started started{.version = in.text(), .yaml = in.text(), .assignments = {}};
  const auto count = in.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) started.assignments.push_back(in.text());
  return started;
}

std::string first_difference(const std::string& ours, const std::string& theirs) {
  std::istringstream a(ours);
  std::istringstream b(theirs);
  std::string one;
  std::string other;
  while (std::getline(a, one) && std::getline(b, other) && one == other) {
  }
  return one == other ? "" : fmt::format("\"{}\" there, \"{}\" at the oracle", other, one);
}

// Makes one setup of what all were started with.
class Merge {
 public:
  Merge(const Meeting& meeting, const TrainSetup& own, const Started& started)
      : meeting_(meeting), own_(own), started_(started) {
    for (const std::string& one : started.assignments) note(one, "the oracle");
  }

  void add(rpc::Address from, const Started& theirs) {
    const std::string who = meeting_.parties.name(from);
    if (theirs.version != started_.version) {
      throw UserError(
          fmt::format("{} is overture {}, the oracle is {}", who, theirs.version, started_.version),
          "run the same version everywhere");
    }
    if (!theirs.yaml.empty() && !started_.yaml.empty() && theirs.yaml != started_.yaml) {
      throw UserError(fmt::format("{} was started with another setup: {}", who,
                                  first_difference(started_.yaml, theirs.yaml)),
                      "give all the same file, or none to those who are not the oracle");
    }
    for (const std::string& one : theirs.assignments) {
      note(one, who);
      if (started_.yaml.empty()) continue;
      if (write_train_setup(with({one})) != write_train_setup(own_))
        throw UserError(
            fmt::format("{} was started with {}, which the oracle's setup does not say", who, one),
            "give it to the oracle, too");
    }
  }

  TrainSetup result() const {
    std::vector<std::string> all;
    for (const auto& [key, value] : values_) all.push_back(key + "=" + value.first);
    return with(all);
  }

 private:
  // A key that two parties were given must have one value.
  void note(const std::string& assignment, const std::string& who) {
    const std::size_t at = assignment.find('=');
    const std::string key = assignment.substr(0, at);
    const std::string value = assignment.substr(at + 1);
    const auto [found, added] = values_.try_emplace(key, value, who);
    if (!added && found->second.first != value) {
      throw UserError(
          {.key = key},
          fmt::format("{} says {}, {} says {}", found->second.second, found->second.first, who, value),
          "start all with the same value");
    }
  }

  TrainSetup with(const std::vector<std::string>& assignments) const {
    return parse_train_setup(write_train_setup(own_), own_.file, assignments);
  }

  const Meeting& meeting_;
  const TrainSetup& own_;
  const Started& started_;
  std::map<std::string, std::pair<std::string, std::string>> values_;  // by key: value, and who said so
};

// One is what nobody has to write.
void check_count(const char* key, int wanted, int there) {
  if (wanted == 1 || wanted == there) return;
  throw UserError({.key = key}, fmt::format("the setup has {}, but {} were started", wanted, there));
}

// With a cache there are servers; without, the trainers hold the tables.
void check_servers(const TrainSetup& setup, int there) {
  if (setup.cache.lookahead > 0) {
    if (there == 0)
      throw UserError({.key = "servers"}, "no server was started, and the cache needs one",
                      "start a server, or set cache.lookahead to 0 and tables.sharding to table_wise");
    check_count("servers", setup.servers, there);
    return;
  }
  if (!has_whole_tables(setup))
    throw UserError({.key = "cache.lookahead"}, "0 needs neither servers nor other processes",
                    "set it to 1 or more, train in one process, or set tables.sharding to table_wise: then "
                    "the trainers hold the tables");
  if (there > 0)
    throw UserError({.key = "servers"},
                    fmt::format("{} were started, but the trainers hold the tables", there),
                    "start none, or set cache.lookahead to 1 or more");
}

void put_welcome(const TrainSetup& setup, const data::Shape& shape, const std::filesystem::path& checkpoint,
                 rpc::Buffer& payload) {
  rpc::WireWriter out(payload);
  out.put(write_train_setup(setup));
  out.put(shape.dense_features);
  out.put(std::span<const std::int64_t>(shape.table_rows));
  out.put(static_cast<std::uint8_t>(shape.weighted));
  out.put(checkpoint.string());
}

Welcomed welcomed(const rpc::Message& message) {
  rpc::WireReader in(message.payload);
  const TrainSetup setup = parse_train_setup(in.text(), "");
  data::Shape shape;
  shape.dense_features = in.get<decltype(shape.dense_features)>();
  const auto rows = in.array<std::int64_t>();
  shape.table_rows.assign(rows.begin(), rows.end());
  shape.weighted = in.get<std::uint8_t>() != 0;
  Welcomed result{.config = make_train_config(setup, shape), .checkpoint = in.text(), .info = {}};
  result.config.fixed.clear();  // the oracle, which has the data, has compared it
  if (!result.checkpoint.empty()) result.info = train::read_manifest(result.config, result.checkpoint);
  return result;
}

}  // namespace

TrainSetup gather(const Meeting& meeting, const TrainSetup& own, const Started& started) {
  return telling(meeting, [&] {
    Merge merge(meeting, own, started);
    for (int others = 1; others < meeting.parties.count(); ++others) {
      const rpc::Message message = receive(meeting, Kind::hello);
      merge.add(message.from, started_of(message));
    }
    TrainSetup setup = merge.result();
    check_count("trainers", setup.trainers, meeting.parties.trainers);
    setup.trainers = meeting.parties.trainers;
    check_servers(setup, meeting.parties.servers);
    if (setup.cache.lookahead > 0) setup.servers = meeting.parties.servers;
    return setup;
  });
}

void join(const Meeting& meeting, const Started& started, const std::function<void(Welcomed)>& make) {
  telling(meeting, [&] {
    rpc::Message hello = train::make_message(Kind::hello, meeting.parties.oracle(), 0);
    put(started, hello.payload);
    meeting.transport->send(std::move(hello));
    make(welcomed(receive(meeting, Kind::welcome)));
    meeting.transport->send(train::make_message(Kind::ready, meeting.parties.oracle(), 0));
    return 0;
  });
}

void take_part(const Meeting& meeting, const Started& started) {
  std::unique_ptr<train::Party> party;
  Welcomed told;
  join(meeting, started, [&](Welcomed welcome) {
    told = std::move(welcome);
    party = train::make_party(told.config, meeting.self, told.checkpoint, told.info).party;
  });
  train::drive(*party, *meeting.transport, told.config, meeting.self, told.info.steps);
}

RemoteTraining::RemoteTraining(const Meeting& meeting, const TrainSetup& setup, const data::Shape& shape,
                               const std::filesystem::path& checkpoint)
    : meeting_(meeting), config_(make_train_config(setup, shape)) {
  telling(meeting_, [&] {
    if (!checkpoint.empty()) info_ = train::read_manifest(config_, checkpoint);
    for (int party = 1; party < meeting_.parties.count(); ++party) {
      rpc::Message welcome = train::make_message(Kind::welcome, rpc::Address{party}, 0);
      put_welcome(setup, shape, checkpoint.empty() ? checkpoint : std::filesystem::absolute(checkpoint),
                  welcome.payload);
      meeting_.transport->send(std::move(welcome));
    }
    for (int others = 1; others < meeting_.parties.count(); ++others) receive(meeting_, Kind::ready);
    return 0;
  });
}

train::RunResult RemoteTraining::run(data::BatchSource& source, const train::RunOptions& options) {
  train::RunOptions absolute = options;  // others may have started in another folder
  if (!options.checkpoints.empty()) absolute.checkpoints = std::filesystem::absolute(options.checkpoints);
  source.skip(info_.steps);
  train::Oracle oracle(config_, source, absolute, info_.steps, info_.samples);
  train::drive(oracle, *meeting_.transport, config_, meeting_.parties.oracle(), info_.steps);
  std::filesystem::path checkpoint = oracle.checkpoint();
  if (!checkpoint.empty()) checkpoint = options.checkpoints / checkpoint.filename();
  return {.steps = oracle.steps_done(), .stopped_early = oracle.stopped_early(), .checkpoint = checkpoint};
}

}  // namespace overture::setup
