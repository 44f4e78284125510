// HostedTables: what Python sees of embedding tables: a trainer without a model, whose oracle and servers are
// threads here or processes elsewhere. Everything that waits lets other Python threads run, and looks for
// Ctrl-C now and then.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "native/batch_arrays.h"

#include "overture/base/file_lock.h"
#include "overture/data/pushed_batches.h"
#include "overture/setup/hosted_part.h"
#include "overture/setup/train_setup.h"
#include "overture/train/tables_session.h"

namespace overture::python {

class HostedTables {
 public:
  virtual ~HostedTables() = default;

  // Until it is the program's turn; says why: idle, batch, pause, end, or "want": a batch of the user's own
  // is wanted. Throws what went wrong elsewhere.
  std::string wait();
  void next() { trainer().next(); }
  void save() { trainer().save(); }
  virtual void leave() { trainer().leave(); }
  void give_state(std::string state) { trainer().give_state(std::move(state)); }

  // In the turn of a batch.
  std::shared_ptr<BatchArrays> batch();
  py::array_t<float> pooled();
  // Arrays by table, samples x dim, whose rows may lie anywhere; None is a gradient of zeros. They are kept
  // until the next turn.
  void give_back(const py::list& gradients, double loss);

  std::string kept() { return trainer().kept().string(); }
  std::int64_t batches_done() { return trainer().batches_done(); }
  std::vector<std::int64_t> rows() const;
  std::vector<std::int32_t> dims() const;
  virtual std::int64_t first_step() const = 0;
  virtual std::string state() const = 0;

  virtual void abandon(const std::string& why) = 0;
  virtual void finish() = 0;
  // In a forked process, whose copy of the tables has no threads: it is given up as it is.
  virtual void forget() = 0;

 protected:
  virtual train::HostedTrainer& trainer() = 0;
  virtual const train::TrainConfig& config() const = 0;
  virtual bool wants_batch() { return false; }
  // Throws what really went wrong when the trainer's driver has failed.
  virtual void failed() = 0;

 private:
  embedding::TableGradients gradients_of(const py::handle& given, std::size_t table);

  std::shared_ptr<FloatPool> pool_ = std::make_shared<FloatPool>();
  py::list kept_gradients_;
  std::vector<float> zeros_;
  std::chrono::milliseconds patience_{50};
};

// All in this process.
class LocalTables final : public HostedTables {
 public:
  // `setup` is that of `overture train`, as YAML or JSON. With data of one's own, `dense_features` and
  // `weighted` are told here.
  LocalTables(const std::string& setup, int dense_features, bool weighted, const std::string& checkpoint);
  ~LocalTables() override;

  // Checkpoints go to this folder; none are written when it is empty.
  void start(const std::string& checkpoints, int keep_every, bool save_at_end);
  void push(const py::array& dense, const py::array& labels, const py::list& tables);
  void end_of_batches();

  // Before start() and after the end: a whole table, rows x dim; with the optimizer's memory, wider.
  py::array_t<float> table(std::size_t table, bool with_state);
  void set_table(std::size_t table,
                 const py::array_t<float, py::array::c_style | py::array::forcecast>& rows);

  void leave() override;
  std::int64_t first_step() const override { return session().first_step(); }
  std::string state() const override { return state_; }
  void abandon(const std::string& why) override;
  void finish() override;
  void forget() override;

 protected:
  train::HostedTrainer& trainer() override { return session().trainer(); }
  const train::TrainConfig& config() const override { return session().config(); }
  bool wants_batch() override { return own_ != nullptr && own_->wants(); }
  void failed() override;

 private:
  train::TablesSession& session() const;
  std::size_t checked(std::size_t table) const;

  setup::TrainSetup setup_;
  std::unique_ptr<data::BatchSource> source_;  // until the start
  std::unique_ptr<train::TablesSession> session_;
  data::PushedBatches* own_ = nullptr;
  std::int64_t pushed_ = 0;
  std::string state_;
  bool started_ = false;
  bool over_ = false;
  FileLock lock_;  // of the checkpoints' folder, from the start to the end
};

// Among processes.
class BagpipeTables final : public HostedTables {
 public:
  BagpipeTables(int worker_id, int world_size, int trainers, const std::string& master_ip, int master_port,
                int timeout, std::vector<std::string> assignments);
  ~BagpipeTables() override;

  std::int64_t first_step() const override { return part().first_step(); }
  std::string state() const override { return part().state(); }
  void abandon(const std::string& why) override;
  void finish() override;
  void forget() override { (void)part_.release(); }

 protected:
  train::HostedTrainer& trainer() override { return part().trainer(); }
  const train::TrainConfig& config() const override { return part().config(); }
  void failed() override { part().finish(); }

 private:
  setup::HostedPart& part() const;

  std::unique_ptr<setup::HostedPart> part_;
};

void add_tables(py::module_& module);

}  // namespace overture::python
