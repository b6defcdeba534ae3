// place_jobs GRAPH.graphml JOBSPEC...: each job now, or as soon as it fits.
#include <matcher/fluxion/matcher.h>
#include <matcher/jobspec/jobspec.h>
#include <matcher/readers/grug.h>
#include <matcher/writers/match_writer.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace matcher = fluxnetes::matcher;

std::string Read(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Place(matcher::Matcher& cluster, matcher::JobId job, const char* path) {
  const matcher::Jobspec jobspec = matcher::ParseJobspec(Read(path));
  const matcher::Match match = cluster.Run(
      job, jobspec, matcher::MatchOp::kAllocateOrElseReserve, /*now=*/0);
  std::cout << "job " << job << ": ";
  if (match.found()) {
    std::cout << "from " << match.at << " s for " << match.duration << " s\n"
              << matcher::WriteSimple(cluster.graph(), match.taken);
  } else {
    std::cout << "does not fit. " << match.error << '\n';
  }
}

int main(int argc, char** argv) try {
  if (argc < 2) throw std::runtime_error("which graph?");
  matcher::MatcherOptions options;
  options.policy = matcher::Policy::kLonode;
  matcher::Matcher cluster(matcher::ReadGrug(Read(argv[1])), options);
  for (int job = 2; job < argc; ++job) Place(cluster, job - 1, argv[job]);
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
