#include "overture/train/dense/models.h"

#include "overture/base/error.h"

namespace overture::train {

std::unique_ptr<DenseModel> ExternalConfig::make(const ModelShape& /*shape*/, std::uint64_t /*seed*/) const {
  throw UserError({.key = "model.kind"}, "external, but this trainer has only models of its own",
                  "start the trainers from Python, with overture.bagpipe.init_cache() or overture.Tables()");
}

}  // namespace overture::train
