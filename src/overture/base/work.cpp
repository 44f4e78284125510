#include "overture/base/work.h"

namespace overture {
namespace {

constexpr std::array<WorkKind, kWorks> kKinds{{
    {Work::other, "other", {"", "", ""}, "What has no name"},
    {Work::begin_step, "begin_step", {"rows", "", ""}, "A trainer reads its order"},
    {Work::pack_rows,
     "pack_rows",
     {"rows", "numbers", "scanned"},
     "Rows that leave the cache, for one server"},
    {Work::ask_rows, "ask_rows", {"rows", "scanned", ""}, "A request for rows, to one server"},
    {Work::take_rows, "take_rows", {"rows", "numbers", ""}, "Rows from a server go into the cache"},
    {Work::gather, "gather", {"lookups", "numbers", "rows"}, "Rows are looked up and pooled"},
    {Work::forward, "forward", {"samples", "inputs", "outputs"}, "Linear layer, forward"},
    {Work::input_gradient,
     "input_gradient",
     {"samples", "inputs", "outputs"},
     "Linear layer, back to its inputs"},
    {Work::weight_gradient,
     "weight_gradient",
     {"samples", "inputs", "outputs"},
     "Linear layer, gradient of its weights"},
    {Work::interact, "interact", {"samples", "vectors", "columns"}, "Dot products of vectors, forward"},
    {Work::interact_back,
     "interact_back",
     {"samples", "vectors", "columns"},
     "Dot products of vectors, backward"},
    {Work::model, "model", {"samples", "losses", "gradients"}, "The rest of a model: loss, joined columns"},
    {Work::update_rows,
     "update_rows",
     {"lookups", "numbers", "rows"},
     "Gradients of rows are added up and applied"},
    {Work::sum_rows, "sum_rows", {"lookups", "numbers", "rows"}, "Gradients of rows are added up"},
    {Work::pack_gradients,
     "pack_gradients",
     {"scanned", "numbers", ""},
     "Gradients of rows, for their owners"},
    {Work::apply_gradients,
     "apply_gradients",
     {"rows", "received", "sent"},
     "Owners apply gradients and pack rows"},
    {Work::take_updates, "take_updates", {"numbers", "", ""}, "Rows that others own"},
    {Work::late_pack_gradients,
     "late_pack_gradients",
     {"scanned", "numbers", ""},
     "pack_gradients behind the next batch"},
    {Work::late_apply_gradients,
     "late_apply_gradients",
     {"rows", "received", "sent"},
     "apply_gradients behind the next batch"},
    {Work::late_take_updates, "late_take_updates", {"numbers", "", ""}, "take_updates behind the next batch"},
    {Work::pack_dense, "pack_dense", {"numbers", "", ""}, "Dense gradients for those who add them up"},
    {Work::add_dense, "add_dense", {"numbers", "", ""}, "A share of the dense gradients is added up"},
    {Work::take_dense,
     "take_dense",
     {"numbers", "", ""},
     "Dense parameters that other trainers have changed"},
    {Work::update_dense,
     "update_dense",
     {"numbers", "", ""},
     "Dense parameters are updated: a share, with several trainers"},
    {Work::end_step, "end_step", {"rows", "", ""}, "A trainer ends a step"},
    {Work::serve_rows, "serve_rows", {"rows", "numbers", ""}, "A server answers a request"},
    {Work::store_rows, "store_rows", {"rows", "numbers", ""}, "A server takes rows back"},
    {Work::read_data, "read_data", {"samples", "lookups", ""}, "The oracle reads a batch"},
    {Work::look_ahead, "look_ahead", {"lookups", "", ""}, "The oracle's planner takes a batch in"},
    {Work::plan, "plan", {"lookups", "rows", ""}, "The oracle plans a step"},
    {Work::pack_order, "pack_order", {"bytes", "rows", ""}, "The oracle writes an order, for one trainer"},
    {Work::send, "send", {"bytes", "", ""}, "A message is handed to the transport"},
    {Work::take, "take", {"bytes", "", ""}, "A message is handed to a party"},
}};

}  // namespace

std::span<const WorkKind> work_kinds() { return kKinds; }

Work priced_as(Work work) {
  switch (work) {
    case Work::late_pack_gradients: return Work::pack_gradients;
    case Work::late_apply_gradients: return Work::apply_gradients;
    case Work::late_take_updates: return Work::take_updates;
    default: return work;
  }
}

}  // namespace overture
