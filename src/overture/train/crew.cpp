#include "overture/train/crew.h"

#include <string>
#include <system_error>

#include "overture/base/error.h"
#include "overture/train/driver.h"

namespace overture::train {

std::vector<std::optional<rpc::Link>> links_of(const TrainConfig& config,
                                               const std::vector<MadeParty>& others) {
  std::vector<std::optional<rpc::Link>> links{std::nullopt};
  for (const MadeParty& made : others)
    links.push_back(made.tables != nullptr ? config.server_link : std::nullopt);
  return links;
}

Crew::~Crew() {
  for (std::thread& thread : threads_) thread.join();
}

void Crew::add(Party& party, rpc::Address address, Ended ended) {
  try {
    threads_.emplace_back([this, &party, address, ended = std::move(ended)] { run(party, address, ended); });
  } catch (const std::system_error& error) {
    const std::string why = std::string("a thread cannot be started: ") + error.what();
    network_.party(address).fail(why);
    throw UserError(why, "use fewer trainers and servers, or several processes");
  }
}

void Crew::run(Party& party, rpc::Address address, const Ended& ended) {
  std::exception_ptr failure;
  try {
    drive(party, network_.party(address), config_, address, first_step_);
  } catch (const PartyGone&) {  // the one that is gone says why
    failure = std::current_exception();
  } catch (...) {
    failure = std::current_exception();
    const std::lock_guard lock(mutex_);
    if (failure_ == nullptr) failure_ = failure;
  }
  if (ended) ended(failure);
}

void Crew::join() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

}  // namespace overture::train
