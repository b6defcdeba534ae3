#include "matcher/resource_query/loader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "matcher/jgf.h"
#include "matcher/readers/grug.h"
#include "matcher/readers/hwloc.h"
#include "matcher/readers/rv1exec.h"

namespace fluxnetes::matcher {
namespace {

ResourceGraph LoadGraph(const QueryOptions& options, const std::string& text,
                        RTimes& times) {
  const std::string& format = options.load_format;
  if (format == "grug") return ReadGrug(text);
  if (format == "hwloc") return ReadHwloc(text, options.allow_list);
  if (format == "jgf" || format == "jgf_shorthand") return ReadJgf(text);
  return ReadRv1exec(text, &times);
}

// Of a regular file: as much as it has at first.
std::optional<std::string> ReadAll(int file) {
  struct stat about {};
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) ||
      static_cast<std::size_t>(about.st_size) > kMaxGraphBytes) {
    return std::nullopt;
  }
  std::string text(about.st_size, '\0');
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t got = read(file, text.data() + done, text.size() - done);
    if (got <= 0) return std::nullopt;
    done += static_cast<std::size_t>(got);
  }
  return text;
}

}  // namespace

std::optional<std::string> ReadFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  auto text = ReadAll(file);
  close(file);
  return text;
}

Matcher LoadMatcher(const QueryOptions& options) {
  const auto text = ReadFile(options.load_file);
  if (!text) throw GraphError("can't read " + options.load_file);
  RTimes times;
  ResourceGraph graph = LoadGraph(options, *text, times);
  graph.SetDominant(graph.AddSubsystem(options.subsystem));
  if (graph.root() == kNoVertex) {
    throw GraphError("the graph has no root in the subsystem " +
                     options.subsystem);
  }
  MatcherOptions how;
  how.policy = options.policy;
  how.prune_filters = options.prune_filters;
  how.flexible = options.flexible;
  if (times.expiration > 0) {
    how.start = times.start;
    how.end = times.expiration;
  }
  return Matcher(std::move(graph), how);
}

}  // namespace fluxnetes::matcher
