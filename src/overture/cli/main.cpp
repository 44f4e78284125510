#include <string>
#include <vector>

#include "overture/cli/astra_arguments.h"
#include "overture/cli/commands.h"

int main(int argc, char** argv) {
  using namespace overture::cli;
  std::vector<std::string> arguments = expand_astra_prefixes(as_called({argv, argv + argc}));
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return run(static_cast<int>(pointers.size()), pointers.data(), [](Command& root) {
    add_demo(root);
    add_simulate(root);
    add_astra(root);
    add_astra2(root);
    add_install_astra(root);
    add_import(root);
    add_inspect(root);
    add_flows(root);
    add_sweep(root);
    add_plan(root);
    add_codesign(root);
    add_study(root);
    add_calibrate(root);
    add_validate(root);
    add_serve(root);
    add_runs(root);
    add_doctor(root);
    add_completion(root);
    add_manual(root);
    add_train(root);
    add_parties(root);
    add_launch(root);
    add_evaluate(root);
    add_predict(root);
    add_export(root);
    add_lookahead(root);
    add_bench(root);
    add_replay(root);
    add_report(root);
    add_compare(root);
    add_generate(root);
    add_convert(root);
    add_explain(root);
    add_version(root);
  });
}
