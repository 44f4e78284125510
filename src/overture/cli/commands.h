// The subcommands, one file each.
#pragma once

#include "overture/cli/command.h"

namespace overture::cli {

void add_astra(Command& root);
void add_astra2(Command& root);
void add_bench(Command& root);
void add_bench_transport(Command& bench);  // under it
void add_codesign(Command& root);
void add_compare(Command& root);
void add_convert(Command& root);
void add_completion(Command& root);
void add_demo(Command& root);
void add_evaluate(Command& root);
void add_doctor(Command& root);
void add_explain(Command& root);
void add_export(Command& root);
void add_flows(Command& root);
void add_generate(Command& root);
void add_generate_dataset(Command& generate);  // under it
void add_generate_tasks(Command& generate);
void add_generate_topology(Command& generate);
void add_generate_chakra(Command& generate);
void add_generate_infragraph(Command& generate);
void add_import(Command& root);
void add_import_astra2(Command& import);  // under it
void add_import_htsim_log(Command& import);
void add_import_infragraph(Command& import);
void add_inspect(Command& root);
void add_install_astra(Command& root);
void add_launch(Command& root);
void add_lookahead(Command& root);
void add_replay(Command& root);
void add_report(Command& root);
void add_manual(Command& root);
void add_plan(Command& root);
void add_predict(Command& root);
void add_parties(Command& root);  // oracle, trainer, server
void add_runs(Command& root);     // and tag
void add_serve(Command& root);
void add_simulate(Command& root);
void add_study(Command& root);
void add_astra_tutorial(Command& study);  // under it
void add_cache_networks(Command& study);
void add_failures(Command& study);
void add_hoti_dlrm(Command& study);
void add_opera_dlrm(Command& study);
void add_sweep(Command& root);
void add_validate(Command& root);
void add_calibrate(Command& root);
void add_version(Command& root);  // and help
void add_train(Command& root);

}  // namespace overture::cli
