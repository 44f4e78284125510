#include "overture/rpc/mpi.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>
#include <utility>

#include <mpi.h>
#include <sys/prctl.h>

#include "overture/rpc/local_processes.h"
#include "overture/rpc/silence.h"
#include "overture/rpc/wire.h"

namespace overture::rpc {
namespace {

using namespace std::chrono_literals;

constexpr int kHeaderTag = 1;
constexpr int kPayloadTag = 2;
// Payload that goes along with its header: MPI sends both at once, in shared memory up to 4,096 bytes with
// what it adds.
constexpr std::size_t kSmall = 4096 - 128;
constexpr int kAwaited = 16;  // headers that MPI can put in their place as they come

// How often the processes of this machine are looked after, and how long what is said of one that has ended
// may take to go out.
constexpr auto kWatchEvery = 100ms;
constexpr auto kTellFor = 300ms;
// Processes of different machines say that they are there; who is silent for so long is cut off.
constexpr auto kBeatEvery = 1000ms;
constexpr auto kMostSilence = 5000ms;
// How long the thread sleeps when whoever sends wakes it.
constexpr auto kRung = 5000us;

// Of the transport itself, beside the kinds of the parties.
enum class Control : std::uint32_t { message, failed, bye, beat };

struct Header {
  std::uint32_t control = 0;
  std::uint32_t kind = 0;
  std::int64_t step = 0;
  std::uint64_t bytes = 0;
};

struct Sending {
  Buffer header;
  Buffer payload;
  std::vector<MPI_Request> requests;
};

// Room for a header that may come, and a small payload.
struct Awaited {
  Buffer bytes = Buffer(sizeof(Header) + kSmall);
  MPI_Request request = MPI_REQUEST_NULL;
};

bool has_come(MPI_Request& request, MPI_Status* status) {
  int here = 0;
  require(MPI_Test(&request, &here, status) == MPI_SUCCESS, "a part is longer than its message");
  return here != 0;
}

struct Receiving {
  Header header;
  Buffer payload;
  std::vector<MPI_Request> requests;
  std::size_t came = 0;  // of the requests

  bool done() const { return came == requests.size(); }
  // Whether a further part has come.
  bool look() {
    const std::size_t before = came;
    while (came < requests.size() && has_come(requests[came], MPI_STATUS_IGNORE)) ++came;
    return came > before;
  }
};

bool all_sent(Sending& one) {
  int done = 0;
  MPI_Testall(static_cast<int>(one.requests.size()), one.requests.data(), &done, MPI_STATUSES_IGNORE);
  return done != 0;
}

// Calls part(data, count) for pieces that MPI can count.
template <class Part>
void each_part(Buffer& payload, std::size_t most, Part part) {
  for (std::size_t at = 0; at < payload.size(); at += most)
    part(payload.data() + at, static_cast<int>(std::min(most, payload.size() - at)));
}

// How long the thread sleeps when nothing has happened for so many looks, and nobody can wake it.
std::chrono::microseconds pause_after(int looks) {
  return looks < 50 ? 20us : looks < 150 ? 100us : looks < 400 ? 500us : 2000us;
}

}  // namespace

struct Mpi::Wire {
  LocalProcesses processes;
  const Doorbell& bell;
  std::vector<std::int64_t> machine_of = {};  // by rank, as the next
  std::vector<std::int64_t> process_of = {};
  bool bells = true;  // everybody can be woken from here
  std::size_t part_bytes;
  std::vector<int> rank_of = {};         // by address
  std::vector<Address> address_of = {};  // by rank
  std::deque<Sending> sending = {};
  std::vector<std::deque<Receiving>> receiving = {};  // by rank, in order
  std::vector<bool> wanted = {};                      // by rank: has something to look for
  std::deque<Awaited> awaited = {};                   // in the order in which they are filled

  void start(int rank, Control control, Message message) {
    Sending& one = sending.emplace_back();
    const Header header{.control = static_cast<std::uint32_t>(control),
                        .kind = message.kind,
                        .step = message.step,
                        .bytes = message.payload.size()};
    const bool small = message.payload.size() <= kSmall;
    one.header.resize(sizeof header + (small ? message.payload.size() : 0));
    std::memcpy(one.header.data(), &header, sizeof header);
    if (small) {
      std::copy(message.payload.begin(), message.payload.end(), one.header.begin() + sizeof header);
    } else {
      one.payload = std::move(message.payload);
    }
    const auto isend = [&](std::byte* data, int count, int tag) {
      MPI_Isend(data, count, MPI_BYTE, rank, tag, MPI_COMM_WORLD, &one.requests.emplace_back());
    };
    isend(one.header.data(), static_cast<int>(one.header.size()), kHeaderTag);
    each_part(one.payload, part_bytes, [&](std::byte* data, int count) { isend(data, count, kPayloadTag); });
    wanted[static_cast<std::size_t>(rank)] = true;
  }

  // Wakes those who are to look, once for all that they are to find.
  void ring() {
    for (std::size_t rank = 0; rank < wanted.size(); ++rank) {
      if (wanted[rank] && bells) bell.ring(process_of[rank]);
      wanted[rank] = false;
    }
  }

  // Whether parts of a large message are missing. With shared memory, most come at the first look; where they
  // need their sender's help, it is woken. So a sender need not look after what it has sent.
  bool incomplete() {
    bool any = false;
    for (std::size_t rank = 0; rank < receiving.size(); ++rank) {
      if (receiving[rank].empty()) continue;
      any = wanted[rank] = true;
    }
    return any;
  }

  // By rank, those of other machines.
  std::vector<bool> elsewhere() const {
    std::vector<bool> result;
    for (const std::int64_t machine : machine_of) result.push_back(machine != ProcessPlace::here().machine);
    return result;
  }

  void find_bells(const std::vector<ProcessPlace>& places) {
    for (const ProcessPlace& place : places) {
      machine_of.push_back(place.machine);
      process_of.push_back(place.process);
      bells = bells && place.machine == ProcessPlace::here().machine && bell.ring(place.process);
    }
  }

  void await(Awaited one) {
    MPI_Irecv(one.bytes.data(), static_cast<int>(one.bytes.size()), MPI_BYTE, MPI_ANY_SOURCE, kHeaderTag,
              MPI_COMM_WORLD, &one.request);
    awaited.push_back(std::move(one));
  }
  void await_none() {
    for (Awaited& one : awaited) {
      MPI_Cancel(&one.request);
      MPI_Wait(&one.request, MPI_STATUS_IGNORE);
    }
    awaited.clear();
  }

  // Takes a header that has come, and says from which rank.
  std::optional<int> take_header() {
    MPI_Status status;
    if (!has_come(awaited.front().request, &status)) return std::nullopt;
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    Awaited one = std::move(awaited.front());
    awaited.pop_front();
    open(status.MPI_SOURCE, std::span(one.bytes).first(static_cast<std::size_t>(count)));
    await(std::move(one));
    return status.MPI_SOURCE;
  }

  void open(int rank, std::span<const std::byte> bytes) {
    Receiving& one = receiving[static_cast<std::size_t>(rank)].emplace_back();
    require(bytes.size() >= sizeof(Header), "a header is cut short");
    std::memcpy(&one.header, bytes.data(), sizeof(Header));
    require(one.header.bytes < kMostBytes, "a message is too long");
    one.payload.resize(static_cast<std::size_t>(one.header.bytes));
    if (one.payload.size() <= kSmall) {
      require(bytes.size() == sizeof(Header) + one.payload.size(), "a header does not fit its message");
      std::copy(bytes.begin() + sizeof(Header), bytes.end(), one.payload.begin());
      return;
    }
    each_part(one.payload, part_bytes, [&](std::byte* data, int count) {
      MPI_Irecv(data, count, MPI_BYTE, rank, kPayloadTag, MPI_COMM_WORLD, &one.requests.emplace_back());
    });
  }
};

// What the thread does once all have met.
class Mpi::Service {
 public:
  Service(Mpi& mpi, Wire& wire)
      : mpi_(mpi),
        wire_(wire),
        silence_(wire.elsewhere(), kMostSilence, Clock::now()),
        watched_(Clock::now()),
        beaten_(Clock::now()) {
    for (int i = 0; i < kAwaited; ++i) wire_.await({});
  }

  // Until this process wants to end, everybody else does, and all that was sent has gone; or until one that
  // is lost can be waited for no longer: then it is false.
  bool run() {
    for (int looks = 0;; ++looks) {
      const bool incomplete = wire_.incomplete();
      wire_.ring();
      const bool sleeps = wire_.bells && !incomplete;
      if (looks > 0 && mpi_.bell_.wait(sleeps ? kRung : pause_after(looks))) looks = 0;
      bool busy = hand_over();
      try {
        busy = take_in() || busy;
      } catch (const std::exception& error) {
        lose(mpi_.self_, std::string("a message cannot be read: ") + error.what());
      }
      for (; !wire_.sending.empty() && all_sent(wire_.sending.front()); busy = true)
        wire_.sending.pop_front();
      if (left_ && byes_ == mpi_.size_ - 1 && wire_.sending.empty()) return true;
      watch();
      if (lost_ && left_ && Clock::now() - *lost_ > kTellFor) return false;
      if (busy) looks = -1;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  // What the party wants to say.
  bool hand_over() {
    std::deque<Message> outgoing;
    std::optional<Gone> failed;
    bool closing = false;
    {
      const std::lock_guard lock(mpi_.mutex_);
      outgoing.swap(mpi_.outgoing_);
      if (mpi_.gone_ && !told_) failed = mpi_.gone_;
      closing = mpi_.closing_;
    }
    for (Message& message : outgoing) {
      const int rank = wire_.rank_of[static_cast<std::size_t>(index(message.to))];
      wire_.start(rank, Control::message, std::move(message));
    }
    if (failed && !std::exchange(told_, true)) tell_all(Control::failed, failed->who, failed->why);
    if (closing && !std::exchange(left_, true)) tell_all(Control::bye, mpi_.self_, {});
    return !outgoing.empty();
  }

  void tell_all(Control control, Address who, const std::string& text) {
    for (int address = 0; address < mpi_.size_; ++address) {
      if (Address{address} == mpi_.self_) continue;
      Message message{.kind = static_cast<std::uint32_t>(index(who))};
      WireWriter(message.payload).put(text);
      wire_.start(wire_.rank_of[static_cast<std::size_t>(address)], control, std::move(message));
    }
  }

  bool take_in() {
    bool busy = false;
    while (const std::optional<int> rank = wire_.take_header()) {
      silence_.heard(*rank, Clock::now());
      busy = true;
    }
    for (int rank = 0; rank < mpi_.size_; ++rank) {
      auto& queue = wire_.receiving[static_cast<std::size_t>(rank)];
      for (Receiving& one : queue) {
        if (one.look()) silence_.heard(rank, Clock::now());
      }
      for (; !queue.empty() && queue.front().done(); queue.pop_front(), busy = true)
        deliver(rank, queue.front());
    }
    return busy;
  }

  void deliver(int rank, Receiving& one) {
    switch (static_cast<Control>(one.header.control)) {
      case Control::beat: return;
      case Control::bye:
        ++byes_;
        wire_.processes.left(rank);
        silence_.left(rank);
        return;
      case Control::failed:
        require(one.header.kind < static_cast<std::uint32_t>(mpi_.size_), "nobody has this number");
        told_ = true;
        lose(Address{static_cast<std::int32_t>(one.header.kind)}, WireReader(one.payload).text());
        return;
      default:
        const std::lock_guard lock(mpi_.mutex_);
        mpi_.inbox_.push_back({.from = wire_.address_of[static_cast<std::size_t>(rank)],
                               .to = mpi_.self_,
                               .kind = one.header.kind,
                               .step = one.header.step,
                               .payload = std::move(one.payload)});
        mpi_.arrived_.notify_one();
    }
  }

  void lose(Address who, std::string why) {
    const std::lock_guard lock(mpi_.mutex_);
    if (!mpi_.gone_) mpi_.gone_ = Gone{who, std::move(why)};
    mpi_.arrived_.notify_one();
  }

  // Has somebody ended, or been cut off?
  void watch() {
    const Clock::time_point now = Clock::now();
    if (now - watched_ < kWatchEvery || lost_) return;
    watched_ = now;
    if (now - beaten_ >= kBeatEvery) beat(now);
    if (const std::optional<int> rank = wire_.processes.ended()) {
      lost_ = now;
      lose(wire_.address_of[static_cast<std::size_t>(*rank)], "its process has ended");
    } else if (const std::optional<int> cut_off = silence_.silent(now)) {
      lost_ = now;
      lose(wire_.address_of[static_cast<std::size_t>(*cut_off)], "it has not been heard of for 5 s");
    }
  }

  void beat(Clock::time_point now) {
    beaten_ = now;
    for (int rank = 0; rank < mpi_.size_; ++rank) {
      if (silence_.watches(rank)) wire_.start(rank, Control::beat, {});
    }
  }

  Mpi& mpi_;
  Wire& wire_;
  Silence silence_;
  Clock::time_point watched_;
  Clock::time_point beaten_;
  std::optional<Clock::time_point> lost_;  // since when somebody is, whom nothing can wait for
  bool told_ = false;                      // all others, of one that is gone
  bool left_ = false;
  int byes_ = 0;
};

Mpi::Mpi(int says, Assign assign, std::size_t part_bytes) : part_bytes_(part_bytes) {
  thread_ = std::thread([this, says, assign = std::move(assign)] { run(says, assign); });
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [&] { return started_ || failure_ != nullptr; });
  if (failure_ == nullptr) return;
  lock.unlock();
  thread_.join();
  std::rethrow_exception(failure_);
}

Mpi::~Mpi() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  bell_.ring();
  if (thread_.joinable()) thread_.join();
}

void Mpi::send(Message message) {
  message.from = self_;
  {
    const std::lock_guard lock(mutex_);
    std::deque<Message>& queue = message.to == self_ ? inbox_ : outgoing_;
    queue.push_back(std::move(message));
    if (queue.size() > 1) return;  // the thread has been woken for the first, and takes all
  }
  bell_.ring();
}

Received Mpi::receive() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [&] { return gone_ || !inbox_.empty(); });
  if (gone_) return *gone_;
  Message message = std::move(inbox_.front());
  inbox_.pop_front();
  return message;
}

void Mpi::fail(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (gone_) return;
    gone_ = Gone{self_, why};
  }
  bell_.ring();
}

void Mpi::run(int says, const Assign& assign) {
  prctl(PR_SET_TIMERSLACK, 1000);  // 20 us would be 70
  int provided = 0;
  int started_before = 0;  // by a bench
  MPI_Initialized(&started_before);
  if (started_before == 0) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // what a peer sends ends no process
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<int> said(static_cast<std::size_t>(size_));
  MPI_Allgather(&says, 1, MPI_INT, said.data(), 1, MPI_INT, MPI_COMM_WORLD);
  const ProcessPlace here = ProcessPlace::here();
  std::vector<ProcessPlace> places(said.size());
  MPI_Allgather(&here, sizeof here, MPI_BYTE, places.data(), sizeof here, MPI_BYTE, MPI_COMM_WORLD);
  Wire wire{.processes = LocalProcesses(places), .bell = bell_, .part_bytes = part_bytes_};
  wire.find_bells(places);
  std::exception_ptr failure;
  try {
    wire.address_of = assign(said);
    self_ = wire.address_of.at(static_cast<std::size_t>(rank));
    wire.rank_of.resize(said.size());
    for (int i = 0; i < size_; ++i)
      wire.rank_of.at(static_cast<std::size_t>(index(wire.address_of[static_cast<std::size_t>(i)]))) = i;
    wire.receiving.resize(said.size());
    wire.wanted.resize(said.size());
  } catch (...) {
    failure = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    started_ = failure == nullptr;
  }
  arrived_.notify_all();
  const bool together = failure != nullptr || Service(*this, wire).run();
  if (together) wire.await_none();
  if (together && started_before == 0) MPI_Finalize();  // who waits for the dead waits for ever
}

}  // namespace overture::rpc
