#include "native/hosted_tables.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "overture/base/error.h"
#include "overture/base/version.h"
#include "overture/setup/trained_model.h"
#include "overture/train/weights.h"

namespace overture::python {
namespace {

using Turn = train::HostedTrainer::Turn;

const char* name_of(Turn turn) {
  constexpr const char* kNames[] = {"none", "idle", "batch", "pause", "end", "failed"};
  return kNames[static_cast<std::size_t>(turn)];
}

void look_for_ctrl_c() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

[[noreturn]] void refuse_in_forked_process() {
  throw UserError("the tables belong to the process that this one was forked from",
                  "open them in the process that trains, or start processes with the method spawn");
}

data::Shape own_shape(const setup::TrainSetup& setup, int dense_features, bool weighted) {
  data::Shape shape{.dense_features = dense_features, .multi_hot = true, .weighted = weighted};
  const std::string& text = setup.tables.rows;
  shape.table_rows.assign(static_cast<std::size_t>(std::count(text.begin(), text.end(), '-') + 1), 0);
  return shape;
}

// Gives the model as it is described, and how it pools.
std::pair<std::string, std::string> export_weights(const std::string& folder, const std::string& checkpoint,
                                                   const std::string& to, const std::string& file) {
  const py::gil_scoped_release release;
  const setup::TrainedModel model = setup::open_trained(folder, checkpoint);
  auto arrays = train::weights_of(*model.training);
  train::write_weights(arrays, train::weights_format(to), file);
  constexpr const char* kPooling[] = {"sum", "mean", "weighted"};
  return {describe(model.training->config().model),
          kPooling[static_cast<std::size_t>(model.setup.tables.pooling)]};
}

}  // namespace

std::string HostedTables::wait() {
  for (;;) {
    Turn turn{};
    {
      const py::gil_scoped_release release;
      turn = trainer().wait(patience_);
    }
    if (turn == Turn::failed) failed();
    if (turn != Turn::none) {
      kept_gradients_ = py::list();
      return name_of(turn);
    }
    if (wants_batch()) return "want";
    look_for_ctrl_c();
  }
}

std::shared_ptr<BatchArrays> HostedTables::batch() {
  return std::make_shared<BatchArrays>(trainer().order(), trainer().batch(), trainer().step());
}

py::array_t<float> HostedTables::pooled() {
  py::array_t<float> result = pool_->take(trainer().batch().head.samples, config().tables.width());
  const std::span<float> out(result.mutable_data(), static_cast<std::size_t>(result.size()));
  const py::gil_scoped_release release;
  trainer().pooled(out);
  return result;
}

embedding::TableGradients HostedTables::gradients_of(const py::handle& given, std::size_t table) {
  const std::int32_t dim = config().tables.tables[table].dim;
  if (given.is_none()) {
    if (zeros_.empty())
      zeros_.resize(static_cast<std::size_t>(config().tables.width()));  // stays where it is
    return {.data = zeros_.data(), .stride = 0};
  }
  const auto array = py::cast<py::array>(given);
  constexpr py::ssize_t kFloat = sizeof(float);
  if (array.dtype().kind() != 'f' || array.itemsize() != kFloat)
    throw UserError(fmt::format("the gradient of table {} is not of float32", table));
  if (array.ndim() != 2 || array.shape(0) != trainer().batch().head.samples || array.shape(1) != dim)
    throw UserError(fmt::format("the gradient of table {} is not of {} x {} numbers", table,
                                trainer().batch().head.samples, dim));
  if ((dim > 1 && array.strides(1) != kFloat) || array.strides(0) % kFloat != 0)
    throw UserError(fmt::format("the gradient of table {} does not lie in rows", table));
  return {.data = static_cast<const float*>(array.data()), .stride = array.strides(0) / kFloat};
}

void HostedTables::give_back(const py::list& gradients, double loss) {
  if (gradients.size() != config().tables.tables.size())
    throw UserError(
        fmt::format("{} gradients for {} tables", gradients.size(), config().tables.tables.size()));
  std::vector<embedding::TableGradients> views;
  for (std::size_t t = 0; t < gradients.size(); ++t) views.push_back(gradients_of(gradients[t], t));
  kept_gradients_ = gradients;
  trainer().give_back(std::move(views), loss);
}

std::vector<std::int64_t> HostedTables::rows() const {
  std::vector<std::int64_t> result;
  for (const embedding::TableConfig& table : config().tables.tables) result.push_back(table.rows);
  return result;
}

std::vector<std::int32_t> HostedTables::dims() const {
  std::vector<std::int32_t> result;
  for (const embedding::TableConfig& table : config().tables.tables) result.push_back(table.dim);
  return result;
}

namespace {

// Two that write checkpoints into one folder would replace each other's.
FileLock lock_of(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw UserError({.file = folder.string()}, "cannot be created: " + error.message(),
                    "name another folder for checkpoints");
  return FileLock(folder / ".lock");
}

}  // namespace

LocalTables::LocalTables(const std::string& setup, int dense_features, bool weighted,
                         const std::string& checkpoint)
    : setup_(setup::parse_train_setup(setup, "")) {
  const py::gil_scoped_release release;
  data::Shape shape;
  if (setup_.data.own) {
    shape = own_shape(setup_, dense_features, weighted);
  } else {
    auto source = setup::open_train_data(setup_, data::Part::train);
    shape = source->shape();
    source_ = std::move(source);
  }
  session_ = std::make_unique<train::TablesSession>(make_train_config(setup_, shape), checkpoint);
  if (!checkpoint.empty()) state_ = train::load_state(checkpoint);
}

LocalTables::~LocalTables() { abandon("the program has ended"); }

void LocalTables::start(const std::string& checkpoints, int keep_every, bool save_at_end) {
  const py::gil_scoped_release release;
  if (!checkpoints.empty()) lock_ = lock_of(checkpoints);
  started_ = true;
  if (setup_.data.own) {
    auto own = std::make_unique<data::PushedBatches>([this] { session().trainer().nudge(); });
    own_ = own.get();
    source_ = std::move(own);
  } else {
    source_->skip(session_->first_step());
  }
  train::RunOptions options{
      .checkpoints = checkpoints, .checkpoint_at_end = save_at_end, .keep_every = keep_every};
  if (setup_.steps > 0) options.steps = std::max<std::int64_t>(setup_.steps - session_->first_step(), 0);
  session_->start(std::move(source_), std::move(options));
}

void LocalTables::push(const py::array& dense, const py::array& labels, const py::list& tables) {
  data::Batch batch = batch_of(dense, labels, tables, rows(), session_->first_step() + pushed_);
  if (batch.dense_features != config().dense_features)
    throw UserError(fmt::format("batch {}: has {} dense features, those before had {}",
                                session_->first_step() + pushed_, batch.dense_features,
                                config().dense_features));
  const bool weighted = config().tables.tables.front().pooling == embedding::Pooling::weighted;
  for (std::size_t t = 0; weighted && t < batch.tables.size(); ++t) {
    if (batch.tables[t].weights.size() != batch.tables[t].ids.size())
      throw UserError(
          fmt::format("batch {}: the ids of table {} have no weights", session_->first_step() + pushed_, t),
          "give them, or pooling=\"sum\"");
  }
  ++pushed_;
  own_->push(std::move(batch));
}

void LocalTables::end_of_batches() {
  if (own_ != nullptr) own_->end();
}

std::size_t LocalTables::checked(std::size_t table) const {
  if (started_ && !over_)
    throw UserError("tables are being trained",
                    "read and change them before the first batch or after the last");
  if (table >= config().tables.tables.size())
    throw UserError(fmt::format("there is no table {}; there are {}", table, config().tables.tables.size()));
  return table;
}

py::array_t<float> LocalTables::table(std::size_t table, bool with_state) {
  const embedding::RowLayout layout = config().tables.layouts()[checked(table)];
  const std::int32_t columns = with_state ? layout.used() : layout.dim;
  py::array_t<float> result({config().tables.tables[table].rows, std::int64_t{columns}});
  float* const to = result.mutable_data();
  const py::gil_scoped_release release;
  for (embedding::Tables* const tables : session_->tables()) {
    const embedding::TableShare& held = tables->held(static_cast<std::int64_t>(table));
    const std::int32_t end = std::min(held.end, columns);
    for (std::int64_t i = 0; i < held.rows && held.begin < end; ++i) {
      const float* const from = tables->row(static_cast<std::int64_t>(table), held.id(i));
      std::copy(from, from + (end - held.begin), to + held.id(i) * columns + held.begin);
    }
  }
  return result;
}

void LocalTables::set_table(std::size_t table,
                            const py::array_t<float, py::array::c_style | py::array::forcecast>& rows) {
  const embedding::TableConfig& shape = config().tables.tables[checked(table)];
  if (rows.ndim() != 2 || rows.shape(0) != shape.rows || rows.shape(1) != shape.dim)
    throw UserError(fmt::format("table {} has {} x {} numbers", table, shape.rows, shape.dim));
  const float* const from = rows.data();
  for (embedding::Tables* const tables : session_->tables()) {
    const embedding::TableShare& held = tables->held(static_cast<std::int64_t>(table));
    const std::int32_t end = std::min(held.end, shape.dim);
    for (std::int64_t i = 0; i < held.rows && held.begin < end; ++i) {
      const float* const row = from + held.id(i) * shape.dim;
      std::copy(row + held.begin, row + end, tables->row(static_cast<std::int64_t>(table), held.id(i)));
    }
  }
}

void LocalTables::leave() {
  end_of_batches();
  HostedTables::leave();
}

void LocalTables::abandon(const std::string& why) {
  if (!started_ || over_) return;
  over_ = true;
  end_of_batches();
  const py::gil_scoped_release release;
  session_->abandon(why);
  lock_ = FileLock();
}

void LocalTables::finish() {
  over_ = true;
  const py::gil_scoped_release release;
  session_->finish();
  lock_ = FileLock();
}

train::TablesSession& LocalTables::session() const {
  if (!session_) refuse_in_forked_process();
  return *session_;
}

void LocalTables::forget() {
  over_ = true;
  (void)session_.release();
}

void LocalTables::failed() {
  end_of_batches();
  finish();
}

BagpipeTables::BagpipeTables(int worker_id, int world_size, int trainers, const std::string& master_ip,
                             int master_port, int timeout, std::vector<std::string> assignments) {
  const setup::ByHand given{.worker_id = worker_id,
                            .world_size = world_size,
                            .world_size_trainers = trainers,
                            .master_ip = master_ip,
                            .master_port = master_port,
                            .timeout = timeout,
                            .names = {.worker_id = "worker_id",
                                      .world_size = "world_size",
                                      .world_size_trainers = "trainer_world_size",
                                      .master_port = "master_port"}};
  part_ = std::make_unique<setup::HostedPart>(
      given, setup::Started{.version = version_text(), .yaml = {}, .assignments = std::move(assignments)});
  for (bool ready = false; !ready; look_for_ctrl_c()) {
    const py::gil_scoped_release release;
    ready = part_->ready(std::chrono::milliseconds(50));
  }
}

setup::HostedPart& BagpipeTables::part() const {
  if (!part_) refuse_in_forked_process();
  return *part_;
}

BagpipeTables::~BagpipeTables() { abandon("the program has ended"); }

void BagpipeTables::abandon(const std::string& why) {
  if (!part_) return;
  const py::gil_scoped_release release;
  part_->abandon(why);
}

void BagpipeTables::finish() {
  const py::gil_scoped_release release;
  part().finish();
}

void add_tables(py::module_& module) {
  module.def("whole_checkpoint", [](const std::string& folder) {
    const auto found = train::whole_checkpoint(folder);
    return found ? found->path.string() : std::string();
  });
  module.def("export_weights", &export_weights);
  py::class_<BatchArrays, std::shared_ptr<BatchArrays>>(module, "BatchArrays")
      .def_property_readonly("step", &BatchArrays::step)
      .def_property_readonly("samples", &BatchArrays::samples)
      .def_property_readonly("global_samples", &BatchArrays::global_samples)
      .def_property_readonly("tables", &BatchArrays::tables)
      .def_property_readonly("dense", &BatchArrays::dense)
      .def_property_readonly("labels", &BatchArrays::labels)
      .def("ids", &BatchArrays::ids)
      .def("offsets", &BatchArrays::offsets)
      .def("weights", &BatchArrays::weights);
  py::class_<HostedTables>(module, "HostedTables")
      .def("wait", &HostedTables::wait)
      .def("next", &HostedTables::next)
      .def("save", &HostedTables::save)
      .def("leave", &HostedTables::leave)
      .def("give_state", [](HostedTables& tables, const py::bytes& state) { tables.give_state(state); })
      .def("batch", &HostedTables::batch)
      .def("pooled", &HostedTables::pooled)
      .def("give_back", &HostedTables::give_back)
      .def_property_readonly("kept", &HostedTables::kept)
      .def_property_readonly("batches_done", &HostedTables::batches_done)
      .def_property_readonly("rows", &HostedTables::rows)
      .def_property_readonly("dims", &HostedTables::dims)
      .def_property_readonly("first_step", &HostedTables::first_step)
      .def_property_readonly("state", [](const HostedTables& tables) { return py::bytes(tables.state()); })
      .def("abandon", &HostedTables::abandon)
      .def("finish", &HostedTables::finish)
      .def("forget", &HostedTables::forget);
  py::class_<LocalTables, HostedTables>(module, "LocalTables")
      .def(py::init<const std::string&, int, bool, const std::string&>())
      .def("start", &LocalTables::start)
      .def("push", &LocalTables::push)
      .def("end_of_batches", &LocalTables::end_of_batches)
      .def("table", &LocalTables::table)
      .def("set_table", &LocalTables::set_table);
  py::class_<BagpipeTables, HostedTables>(module, "BagpipeTables")
      .def(py::init<int, int, int, const std::string&, int, int, std::vector<std::string>>());
}

}  // namespace overture::python
