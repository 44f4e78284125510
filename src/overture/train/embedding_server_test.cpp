// A server that holds ten rows of two numbers, and two trainers.
#include "overture/train/embedding_server.h"

#include <gtest/gtest.h>

#include "overture/rpc/wire.h"

namespace overture::train {
namespace {

using lookahead::make_row;
using lookahead::Row;

constexpr Parties kParties{.trainers = 2, .servers = 1};

class EmbeddingServerTest : public ::testing::Test {
 protected:
  Outbox take(rpc::Message message, int trainer) {
    message.from = kParties.trainer(trainer);
    Outbox out;
    server_.take(std::move(message), out);
    return out;
  }

  static rpc::Message fetch(std::int64_t clean_up, const std::vector<Row>& rows) {
    rpc::Message message = make_message(Kind::fetch, kParties.server(0), 5);
    rpc::WireWriter writer(message.payload);
    writer.put(clean_up);
    writer.put(std::span<const Row>(rows));
    return message;
  }

  static rpc::Message store(std::int64_t clean_up, const std::vector<Row>& rows,
                            const std::vector<float>& numbers) {
    rpc::Message message = make_message(Kind::store, kParties.server(0), clean_up);
    rpc::WireWriter writer(message.payload);
    writer.put(std::span<const Row>(rows));
    writer.put(std::span<const float>(numbers));
    return message;
  }

  static rpc::Message write_back(bool last, const std::vector<Row>& rows, const std::vector<float>& numbers) {
    rpc::Message message = make_message(Kind::write_back, kParties.server(0), 3);
    rpc::WireWriter writer(message.payload);
    writer.put(std::string());
    writer.put(static_cast<std::uint8_t>(last));
    writer.put(std::span<const Row>(rows));
    writer.put(std::span<const float>(numbers));
    return message;
  }

  static std::vector<float> numbers_of(const rpc::Message& answer) {
    const auto numbers = rpc::WireReader(answer.payload).array<float>();
    return {numbers.begin(), numbers.end()};
  }

  embedding::Workers workers_;
  EmbeddingServer server_{{.tables = {{.rows = 10, .dim = 2}}, .seed = 1}, kParties, {}, workers_};
};

TEST_F(EmbeddingServerTest, AFetchIsAnsweredWhenEveryTrainerHasStored) {
  const Row row = make_row(0, 3);
  EXPECT_TRUE(take(fetch(0, {row}), 0).empty());
  EXPECT_TRUE(take(store(0, {}, {}), 0).empty()) << "the other has not";
  const Outbox answers = take(store(0, {row}, {7, 8}), 1);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(kind_of(answers[0]), Kind::rows);
  EXPECT_EQ(answers[0].to, kParties.trainer(0));
  EXPECT_EQ(answers[0].step, 5) << "the number of the request";
  EXPECT_EQ(numbers_of(answers[0]), (std::vector<float>{7, 8})) << "as it was stored last";
}

TEST_F(EmbeddingServerTest, WhatIsKnownToBeUpToDateIsAnsweredAtOnce) {
  take(store(4, {}, {}), 0);
  take(store(4, {}, {}), 1);
  const float* const row = server_.tables().row(0, 9);
  const Outbox answers = take(fetch(4, {make_row(0, 9), make_row(0, 9)}), 1);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(numbers_of(answers[0]), (std::vector<float>{row[0], row[1], row[0], row[1]}));
  EXPECT_TRUE(take(fetch(5, {make_row(0, 9)}), 1).empty()) << "of the next clean-up";
}

TEST_F(EmbeddingServerTest, RowsAreWrittenBackWhenTheLastPartOfTheLastTrainerIsThere) {
  EXPECT_TRUE(take(write_back(false, {make_row(0, 1)}, {1, 2}), 0).empty());
  EXPECT_TRUE(take(write_back(true, {make_row(0, 2)}, {3, 4}), 0).empty());
  const Outbox said = take(write_back(true, {}, {}), 1);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(kind_of(said[0]), Kind::saved);
  EXPECT_EQ(said[0].to, kParties.oracle());
  EXPECT_EQ(server_.tables().row(0, 1)[1], 2);
  EXPECT_EQ(server_.tables().row(0, 2)[0], 3);
}

TEST_F(EmbeddingServerTest, WhatATrainerMustNotSendIsABadMessage) {
  EXPECT_THROW(take(store(0, {make_row(0, 10)}, {1, 2}), 0), rpc::BadMessage) << "a row that is not here";
  EXPECT_THROW(take(store(0, {make_row(1, 0)}, {1, 2}), 0), rpc::BadMessage) << "a table that is not here";
  EXPECT_THROW(take(store(0, {make_row(0, 1)}, {1, 2, 3}), 0), rpc::BadMessage) << "rows of another size";
  EXPECT_THROW(take(make_message(Kind::step, kParties.server(0), 0), 0), rpc::BadMessage);
  EXPECT_THROW(take(store(0, {}, {}), 2), rpc::BadMessage) << "it is the server itself";
  take(store(0, {}, {}), 0);
  take(store(0, {}, {}), 1);
  EXPECT_THROW(take(fetch(0, {make_row(0, -1)}), 0), rpc::BadMessage);
}

TEST_F(EmbeddingServerTest, StopIsTheEnd) {
  EXPECT_FALSE(server_.done());
  rpc::Message stop = make_message(Kind::stop, kParties.server(0), 0);
  stop.from = kParties.oracle();
  Outbox out;
  server_.take(std::move(stop), out);
  EXPECT_TRUE(server_.done());
}

}  // namespace
}  // namespace overture::train
