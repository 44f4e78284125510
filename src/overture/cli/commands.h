// The subcommands, one file each.
#pragma once

#include "overture/cli/command.h"

namespace overture::cli {

void add_astra(Command& root);
void add_bench(Command& root);
void add_demo(Command& root);
void add_explain(Command& root);
void add_flows(Command& root);
void add_generate(Command& root);
void add_import(Command& root);
void add_lookahead(Command& root);
void add_serve(Command& root);
void add_simulate(Command& root);
void add_sweep(Command& root);
void add_validate(Command& root);

}  // namespace overture::cli
