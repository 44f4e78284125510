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
    root.subject("Basic");
    add_demo(root);
    add_explain(root);
    add_doctor(root);
    root.subject("Simulation");
    add_simulate(root);
    add_flows(root);
    add_sweep(root);
    add_bench(root);
    add_replay(root);
    add_astra(root);
    add_astra2(root);
    add_install_astra(root);
    root.subject("Training");
    add_train(root);
    add_evaluate(root);
    add_predict(root);
    add_export(root);
    add_launch(root);
    add_parties(root);
    add_lookahead(root);
    root.subject("Co-design");
    add_plan(root);
    add_codesign(root);
    add_calibrate(root);
    add_study(root);
    add_validate(root);
    root.subject("Result");
    add_runs(root);
    add_serve(root);
    add_compare(root);
    add_report(root);
    root.subject("File");
    add_generate(root);
    add_import(root);
    add_convert(root);
    add_inspect(root);
    root.subject("Shell");
    add_completion(root);
    add_manual(root);
    add_version(root);
  });
}
