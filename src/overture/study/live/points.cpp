#include "overture/study/live/points.h"

#include <fmt/format.h>

namespace overture::study {
namespace {

constexpr Bandwidth kSlow = Bandwidth::bits_per_second(100'000'000);
constexpr Bandwidth kFast = Bandwidth::bits_per_second(1'000'000'000);
constexpr Bandwidth kUnlimited{};

}  // namespace

std::string LivePoint::name() const {
  return fmt::format("{} b{} t{} s{} L{} {}", model == LiveModel::dlrm ? "dlrm" : "wide", batch, trainers,
                     servers, lookahead, link == kUnlimited ? std::string("free") : to_string(link));
}

std::vector<LivePoint> live_grid(bool quick) {
  using enum LiveModel;
  if (quick) {
    return {{dlrm, 128, 1, 1, 8, kUnlimited, true}, {dlrm, 128, 2, 1, 8, kUnlimited, true},
            {dlrm, 256, 1, 1, 8, kUnlimited},       {dlrm, 128, 1, 2, 8, kFast},
            {dlrm, 256, 2, 1, 8, kUnlimited},       {dlrm, 128, 1, 1, 1, kFast}};
  }
  return {
      {dlrm, 512, 1, 1, 20, kUnlimited, true},
      {dlrm, 2048, 1, 1, 20, kUnlimited, true},
      {dlrm, 1024, 2, 1, 20, kUnlimited, true},
      {dlrm, 2048, 2, 3, 1, kUnlimited, true},
      {wide_and_deep, 512, 1, 1, 20, kUnlimited, true},
      {wide_and_deep, 2048, 1, 1, 200, kUnlimited, true},
      {wide_and_deep, 1024, 2, 1, 20, kUnlimited, true},
      {wide_and_deep, 1024, 2, 1, 20, kFast, true},
      {dlrm, 1024, 1, 1, 20, kUnlimited},
      {dlrm, 1024, 1, 3, 200, kUnlimited},
      {dlrm, 1024, 1, 1, 1, kFast},
      {dlrm, 1024, 1, 3, 20, kFast},
      {dlrm, 1024, 1, 1, 20, kSlow},
      {dlrm, 1024, 1, 1, 200, kSlow},
      {dlrm, 2048, 2, 1, 200, kUnlimited},
      {dlrm, 2048, 2, 1, 20, kFast},
      {dlrm, 1024, 2, 3, 20, kSlow},
      {wide_and_deep, 1024, 1, 1, 20, kUnlimited},
      {wide_and_deep, 1024, 1, 1, 1, kFast},
      {wide_and_deep, 1024, 1, 1, 20, kSlow},
      {wide_and_deep, 1024, 1, 3, 200, kSlow},
      {wide_and_deep, 2048, 2, 1, 20, kFast},
      {wide_and_deep, 2048, 2, 1, 200, kUnlimited},
      {wide_and_deep, 1024, 2, 3, 20, kSlow},
  };
}

std::string train_yaml(const LivePoint& point, int steps, bool injected) {
  const bool dlrm = point.model == LiveModel::dlrm;
  std::string text = fmt::format(
      "name: {}\n"
      "data: {{file: ../{}, epochs: 4, test_every: 0}}\n"
      "batch_size: {}\nsteps: {}\n"
      "model: {{kind: {}, {}}}\n"
      "tables: {{dim: 16}}\n"
      "optimizer: {{kind: {}, learning_rate: 0.01}}\n"
      "cache: {{lookahead: {}}}\ntrainers: {}\nservers: {}\n",
      point.name(), kLiveData, point.batch, steps, dlrm ? "dlrm" : "wide_and_deep",
      dlrm ? "mlp_bottom: 13-256-64-16, mlp_top: 256-128-1" : "mlp_bottom: 13-128-64",
      dlrm ? "sgd" : "adagrad", point.lookahead, point.trainers, point.servers);
  if (injected && point.link > Bandwidth{})
    text += fmt::format("link: {{rate: {}, delay: 100 us}}\n", exact(point.link));
  return text;
}

}  // namespace overture::study
