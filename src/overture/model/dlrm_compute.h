// How long the parts of a DLRM take on one GPU: by fits, or by a model of matrix products and a memory.
// The kernel times of Model-A and Model-I were never published; the fits are the Opera study's (A100, fp32),
// with one number per table that was fitted to its results. A file can replace any of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

#include "overture/base/units.h"
#include "overture/compute/compute_model.h"
#include "overture/compute/rates.h"
#include "overture/model/dlrm.h"
#include "overture/model/machine.h"

namespace overture::model {

struct DlrmCalibration {
  // A table for a batch of `reference_batch` on one GPU, in proportion to the batch. Back-fitted: 365 ms
  // backward for 92 columns, 330 ms for 80 (the default).
  Duration embedding_forward = std::chrono::milliseconds(100);
  Duration embedding_backward = std::chrono::milliseconds(330);
  std::int64_t reference_batch = 524'288;

  // What a sound kernel needs: the bytes of the rows it gathers at this rate, backward twice that.
  Bandwidth gather_rate = Bandwidth::bits_per_second(780'000'000'000 * 8);

  compute::FlopRate dense_rate = compute::FlopRate::per_second(17'500'000'000'000);
  Duration dense_floor = std::chrono::microseconds(20);  // forward; backward is twice forward

  Bandwidth concat_rate = Bandwidth::bits_per_second(1'200'000'000'000 * 8);
  Duration concat_floor = std::chrono::microseconds(500);
};

// `samples` on one GPU; forward. Backward takes twice as long.
Duration dense_time(const DlrmCalibration& calibration, const DenseLayer& layer, std::int64_t samples);
// `samples` on one GPU, forward or backward.
Duration concat_time(const DlrmCalibration& calibration, std::int64_t width, std::int64_t samples);

struct ForwardBackward {
  Duration forward;
  Duration backward;
};
// The whole batch on one GPU, as fitted.
ForwardBackward fitted_embedding_time(const DlrmCalibration& calibration, std::int64_t batch);

// A model of matrix products, and the memory from which tables are read.
struct ProductsAndMemory {
  compute::ComputeModel products;
  Bandwidth memory;  // more than zero
};

using DlrmComputeModel = std::variant<DlrmCalibration, ProductsAndMemory, Machine>;

struct DlrmCompute {
  DlrmComputeModel by = DlrmCalibration{};
  double table_backward = 2;  // of a table, in forward passes: rows are read and written again; a machine
                              // has measured it
};

struct DensePasses {
  Duration forward;
  Duration input_gradient;
  Duration weight_gradient;
};
// `samples` on one GPU.
DensePasses dense_passes(const DlrmCompute& compute, const Dlrm& model, const DenseLayer& layer,
                         std::int64_t samples);
ForwardBackward interaction_passes(const DlrmCompute& compute, const Dlrm& model, std::int64_t samples);
// One GPU gathers rows of so many bytes together; a row has about `row`.
ForwardBackward gather_passes(const DlrmCompute& compute, Bytes rows, Bytes row);

// Header `name,value`, then any of the names above: `embedding_backward,365 ms`. Throws UserError on an
// unknown name, one that is there twice, and a value without its unit.
DlrmCalibration parse_calibration(std::string_view text, const std::string& file,
                                  DlrmCalibration defaults = {});
DlrmCalibration read_calibration(const std::filesystem::path& path, const DlrmCalibration& defaults = {});

}  // namespace overture::model
