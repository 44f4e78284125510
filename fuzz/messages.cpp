// What a peer sends is not trusted: every party takes any bytes as any kind of message, and either goes on or
// calls the message bad. A first byte chooses the party, the second the kind, the third the sender; the rest
// is the payload.
#include <cstring>

#include "targets.h"

#include "overture/rpc/wire.h"
#include "overture/train/party_maker.h"
#include "overture/train/shard_order.h"
#include "overture/train/step_account.h"
#include "overture/train/step_part.h"

using namespace overture;

namespace {

constexpr int kKinds = static_cast<int>(train::Kind::saved) + 1;

train::TrainConfig config(bool cached) {
  train::TrainConfig made{.tables = {.tables = {{.rows = 5, .dim = 4}, {.rows = 3, .dim = 4}}},
                          .model = train::DlrmConfig{.bottom = {2, 4}, .top = {4, 1}},
                          .dense_features = 2,
                          .trainers = 2,
                          .servers = cached ? 2 : 0};
  made.cache.lookahead = cached ? 2 : 0;
  return made;
}

template <class Use>
void bad_or_used(Use use) {
  try {
    use();
  } catch (const rpc::BadMessage&) {  // as promised
  } catch (const UserError&) {        // a folder that cannot be written
  }
}

void hand_over(const train::TrainConfig& config, int party, rpc::Message message) {
  const auto made = train::make_party(config, rpc::Address{party}, {}, {});
  train::Outbox out;
  bad_or_used([&] {
    made.party->take(std::move(message), out);
    for (int pieces = 0; pieces < 100 && made.party->advance(out); ++pieces) out.clear();
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const bool cached = data[0] % 2 == 0;
  const train::TrainConfig made = config(cached);
  const int parties = made.parties().count();
  const int party = 1 + data[0] / 2 % (parties - 1);
  const auto kind = static_cast<train::Kind>(data[1] % kKinds);
  // These name folders, which the party then writes to.
  if (kind == train::Kind::save || kind == train::Kind::write_back || kind == train::Kind::kept) return 0;
  rpc::Message message{.from = rpc::Address{data[2] % parties},
                       .to = rpc::Address{party},
                       .kind = static_cast<std::uint32_t>(kind),
                       .step = static_cast<std::int8_t>(data[3])};
  message.payload.resize(size - 4);
  if (size > 4) std::memcpy(message.payload.data(), data + 4, size - 4);
  bad_or_used([&] { train::decode(message.payload, 2, 2); });
  bad_or_used([&] { train::decode_shard(message.payload, 1, 2); });
  bad_or_used([&] { train::StepAccount::of(message); });
  hand_over(made, party, std::move(message));
  return 0;
}
