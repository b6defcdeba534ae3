// resource-query: Fluxion's matcher from the command line.
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iostream>

#include "matcher/resource_query/loader.h"
#include "matcher/resource_query/options.h"
#include "matcher/resource_query/session.h"

namespace {

using fluxnetes::matcher::LoadMatcher;
using fluxnetes::matcher::Matcher;
using fluxnetes::matcher::QueryEnd;
using fluxnetes::matcher::QueryOptions;
using fluxnetes::matcher::Session;

int RunSession(const QueryOptions& options) {
  std::ofstream file;
  if (!options.output.empty()) {
    file.open(options.output);
    if (!file) {
      std::cerr << "[ERROR] can't write --test-output: " << options.output
                << '\n';
      return 1;
    }
  }
  const auto started = std::chrono::steady_clock::now();
  Matcher matcher = LoadMatcher(options);
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - started;
  std::ostream& results = options.output.empty() ? std::cout : file;
  Session session(std::move(matcher), options, {results, std::cout, std::cerr});
  if (options.times) session.SayLoaded(took.count());
  std::string line;
  while (std::getline(std::cin, line) && session.Run(line)) {
    std::cout.flush();
    results.flush();
  }
  return session.SaveGraph() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const auto parsed = fluxnetes::matcher::ParseQueryOptions(argc, argv);
  if (const auto* end = std::get_if<QueryEnd>(&parsed)) {
    std::cerr << end->text;
    return end->code;
  }
  try {
    return RunSession(std::get<QueryOptions>(parsed));
  } catch (const std::exception& error) {
    std::cerr << ": Runtime error: resource_query_t: ERROR: " << error.what()
              << '\n';
    return 1;
  }
}
