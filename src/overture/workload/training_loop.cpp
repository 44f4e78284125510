#include "overture/workload/training_loop.h"

#include <algorithm>

#include "overture/base/check.h"

namespace overture::workload {
namespace {

using enum PassKind;
using system::CollectiveKind;
using system::SchedulingPolicy;

// One collective over and over, nothing computed.
Loop micro(Trainer& t) {
  for (int pass = 0; pass < t.passes(); ++pass) {
    t.issue(0, weight_gradient, t.policy());
    t.pass_done();
  }
  co_return;
}

Loop data_parallel(Trainer& t) {
  for (int pass = 0; pass < t.passes(); ++pass) {
    for (int i = 0; i < t.layers(); ++i) {
      co_await t.finished(i, weight_gradient);
      co_await t.compute(i, forward);
      co_await t.step();
    }
    for (int i = t.layers() - 1; i >= 0; --i) {
      co_await t.compute(i, weight_gradient);
      t.issue(i, weight_gradient, t.policy());
      co_await t.step();
      if (i == 0) break;  // nothing wants the input gradient of the first layer
      co_await t.compute(i, input_gradient);
      co_await t.step();
    }
    t.pass_done();
  }
}

// Forward through all layers, each handing its activations on before the next starts.
Loop inference(Trainer& t) {
  for (int pass = 0; pass < t.passes(); ++pass) {
    for (int i = 0; i < t.layers(); ++i) {
      co_await t.finished(i, weight_gradient);
      co_await t.compute(i, forward);
      co_await t.issue_and_wait(i, forward, t.policy());
      co_await t.step();
    }
    t.pass_done();
  }
}

struct ModelParallelRules {
  bool first_input_gradient;  // is it communicated, too?
  bool weight_gradients;      // are they communicated at all?
};

// Where a recomputation that starts at layer i goes back to.
int checkpoint_before(const Workload& workload, int i) {
  int nearest = 0;
  for (const int checkpoint : workload.checkpoints) {
    if (checkpoint <= i) nearest = std::max(nearest, checkpoint);
  }
  return nearest;
}

// Model parallel and its hybrids. With checkpoints, a layer marked so recomputes the activations that its
// backward pass needs: forward again from the nearest checkpoint, until the next layer is one so marked.
Loop model_parallel(Trainer& t, ModelParallelRules rules) {
  const auto& starts = t.workload().recompute_starts;
  const auto starts_recomputation = [&](int i) {
    return std::find(starts.begin(), starts.end(), i) != starts.end();
  };
  for (int pass = 0; pass < t.passes(); ++pass) {
    for (int i = 0; i < t.layers(); ++i) {
      co_await t.finished(i, weight_gradient);
      co_await t.compute(i, forward);
      co_await t.issue_and_wait(i, forward, t.policy());
      co_await t.step();
    }
    for (int i = t.layers() - 1; i >= 0; --i) {
      if (starts_recomputation(i)) {
        co_await t.step();
        int j = checkpoint_before(t.workload(), i);
        do {
          co_await t.finished(j, weight_gradient);
          co_await t.compute(j, forward);
          co_await t.issue_and_wait(j, forward, t.policy());
          co_await t.step();
        } while (!starts_recomputation(++j));
        i = j;  // usually the layer that asked; the original goes on wherever it meets a marked one
      }
      co_await t.compute(i, input_gradient);
      if (i > 0 || rules.first_input_gradient) t.issue(i, input_gradient, SchedulingPolicy::lifo);
      co_await t.step();
      co_await t.compute(i, weight_gradient);
      if (rules.weight_gradients) t.issue(i, weight_gradient, SchedulingPolicy::fifo);
      co_await t.finished(i, input_gradient);
      co_await t.step();
    }
    t.pass_done();
  }
}

// Layer 0 is the embedding: its all-to-all overlaps the bottom MLP, whose last layer waits for it. The
// enhanced loop lets the all-to-all of the gradients overlap the next iteration.
Loop dlrm(Trainer& t, bool wait_for_embedding_gradient) {
  const int bottom = t.workload().last_bottom_layer;
  for (int pass = 0; pass < t.passes(); ++pass) {
    for (int i = 0; i < t.layers(); ++i) {
      co_await t.finished(i, weight_gradient);
      co_await t.compute(i, forward);
      const auto& communication = t.workload().layers[static_cast<std::size_t>(i)].forward.communication;
      if (communication && communication->kind == CollectiveKind::all_to_all) {
        t.issue(i, forward, SchedulingPolicy::highest);
      } else if (i == bottom) {
        co_await t.finished(0, forward);
      }
      co_await t.step();
    }
    for (int i = t.layers() - 1; i >= 0; --i) {
      co_await t.compute(i, weight_gradient);
      t.issue(i, weight_gradient, t.policy());
      if (wait_for_embedding_gradient) co_await t.finished(i, input_gradient);
      co_await t.step();
      if (i == 0) break;
      co_await t.compute(i, input_gradient);
      if (i == bottom + 1) t.issue(0, input_gradient, SchedulingPolicy::highest);
      co_await t.step();
    }
    t.pass_done();
  }
}

}  // namespace

Loop training_loop(Trainer& trainer) {
  switch (trainer.workload().parallelism) {
    case Parallelism::micro: return micro(trainer);
    case Parallelism::data: return data_parallel(trainer);
    case Parallelism::distributed_inference: return inference(trainer);
    case Parallelism::model:
      return model_parallel(trainer, {.first_input_gradient = false, .weight_gradients = false});
    case Parallelism::hybrid_data_model:
    case Parallelism::hybrid_model_data:
    case Parallelism::hybrid_customized:
      return model_parallel(trainer, {.first_input_gradient = false, .weight_gradients = true});
    case Parallelism::hybrid_transformer:
    case Parallelism::hybrid_transformer_fwd_in_bckwd:
      return model_parallel(trainer, {.first_input_gradient = true, .weight_gradients = true});
    case Parallelism::hybrid_dlrm: return dlrm(trainer, true);
    case Parallelism::hybrid_dlrm_enhanced: return dlrm(trainer, false);
  }
  check(false, "every parallelism has a loop");
  return {};
}

}  // namespace overture::workload
