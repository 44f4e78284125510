#include "overture/train/dense/models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/base/error.h"

namespace overture::train {
namespace {

struct Maker {
  const ModelShape& shape;
  std::uint64_t seed;

  std::unique_ptr<DenseModel> operator()(const DlrmConfig& config) const {
    return make_dlrm(config, shape, seed);
  }
  std::unique_ptr<DenseModel> operator()(const WideAndDeepConfig& config) const {
    return make_wide_and_deep(config, shape, seed);
  }
  std::unique_ptr<DenseModel> operator()(const DcnConfig& config) const {
    return make_dcn(config, shape, seed);
  }
  std::unique_ptr<DenseModel> operator()(const DeepFmConfig& config) const {
    return make_deep_fm(config, shape, seed);
  }
  std::unique_ptr<DenseModel> operator()(const FgcnnConfig& config) const {
    return make_fgcnn(config, shape, seed);
  }
  std::unique_ptr<DenseModel> operator()(const CaserConfig& config) const {
    return make_caser(config, shape, seed);
  }
  std::unique_ptr<DenseModel> operator()(const ExternalConfig& /*config*/) const {
    throw UserError(
        {.key = "model.kind"}, "external, but this trainer has only models of its own",
        "start the trainers from Python, with overture.bagpipe.init_cache() or overture.Tables()");
  }
};

struct Describer {
  std::string operator()(const DlrmConfig& c) const {
    return fmt::format("dlrm {} {}{} {}", fmt::join(c.bottom, "-"),
                       c.interaction == Interaction::dot ? "dot" : "cat",
                       c.interaction_itself ? " itself" : "", fmt::join(c.top, "-"));
  }
  std::string operator()(const WideAndDeepConfig& c) const {
    return fmt::format("wide_and_deep {}", fmt::join(c.deep, "-"));
  }
  std::string operator()(const DcnConfig& c) const {
    return fmt::format("dcn {} {}x{} {}", fmt::join(c.bottom, "-"), c.cross_layers, c.rank,
                       fmt::join(c.top, "-"));
  }
  std::string operator()(const DeepFmConfig& c) const {
    return fmt::format("deep_fm {}", fmt::join(c.deep, "-"));
  }
  std::string operator()(const FgcnnConfig& c) const {
    return fmt::format("fgcnn {} {}", fmt::join(c.channels, "-"), fmt::join(c.top, "-"));
  }
  std::string operator()(const CaserConfig& c) const {
    return fmt::format("caser {} {}", c.horizontal_filters, c.vertical_filters);
  }
  std::string operator()(const ExternalConfig& /*config*/) const { return "external"; }
};

}  // namespace

std::string describe(const ModelConfig& config) { return std::visit(Describer{}, config); }

void validate(const ModelConfig& config, const ModelShape& shape) {
  std::visit([&](const auto& model) { validate(model, shape); }, config);
}

std::unique_ptr<DenseModel> make_model(const ModelConfig& config, const ModelShape& shape,
                                       std::uint64_t seed) {
  return std::visit(Maker{shape, seed}, config);
}

}  // namespace overture::train
