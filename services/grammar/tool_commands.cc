#include "services/grammar/tool_commands.h"

#include <CLI/CLI.hpp>

#include "services/grammar/command_grammar.h"

namespace fluxnetes::services {

void AddDoctorCommand(CLI::App& app, ToolOptions& options, Command& chosen) {
  CLI::App* doctor = AddCommand(
      app, "doctor",
      "check all that the scheduler rests on, and say how to mend what is "
      "wrong");
  AddOutput(*doctor, options.doctor.output, "table|json|yaml");
  doctor->callback([&options, &chosen] { chosen = options.doctor; });
}

void AddBenchCommand(CLI::App& app, ToolOptions& options, Command& chosen) {
  CLI::App* bench = AddCommand(
      app, "bench", "measure this database and this machine for some seconds");
  bench->add_option("--time", options.time, "of each row (default: 2s)")
      ->type_name("DURATION");
  AddOutput(*bench, options.bench.output, "table|json");
  bench->callback([&options, &chosen] {
    if (!options.time.empty())
      options.bench.time = DurationOf("--time", options.time);
    chosen = options.bench;
  });
}

void AddMatchCommand(CLI::App& app, MatchOptions& options, Command& chosen) {
  CLI::App* match =
      AddCommand(app, "match", "say where and when a jobspec would be placed");
  match->add_option("FILE", options.file, "a jobspec, or - for standard input")
      ->type_name("")
      ->required();
  match
      ->add_option("--nodes", options.nodes,
                   "a file of nodes, in place of what the database knows")
      ->type_name("FILE");
  match
      ->add_option("--pods", options.pods,
                   "how many pods, for a jobspec that leaves it open")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000).description(""));
  match->add_option("--queue", options.queue, "in this queue")
      ->type_name("QUEUE");
  match
      ->add_option("-n,--namespace", options.namespace_name,
                   "as of this namespace")
      ->type_name("NAMESPACE");
  AddOutput(*match, options.output, "table|json|yaml");
  match->callback([&options, &chosen] { chosen = options; });
}

void AddManCommand(CLI::App& app, ToolOptions& options, Command& chosen) {
  CLI::App* man = AddCommand(app, "man", "print or write manual pages");
  man->add_option("COMMAND", options.man.command,
                  "of which command (default: the program)")
      ->type_name("");
  man->add_option("--directory", options.man.directory,
                  "write the pages of all commands into this folder")
      ->type_name("FILE");
  man->add_flag("--markdown", options.man.markdown,
                "instead: the reference of all commands in Markdown");
  man->footer("\nTo read: fluxnetes man get groups | man -l -");
  man->callback([&options, &chosen] { chosen = options.man; });
}

void AddWebCommand(CLI::App& app, ToolOptions& options, Command& chosen) {
  CLI::App* web = AddCommand(
      app, "web",
      "open the pages in a browser, or print a link that opens them once");
  web->add_option("--url", options.web.url,
                  "of the pages, as the browser reaches them (default: that of "
                  "web.listen)")
      ->type_name("URL");
  web->add_flag("--print", options.web.print,
                "print the link also where a browser can be opened");
  web->callback([&options, &chosen] { chosen = options.web; });
}

}  // namespace fluxnetes::services
