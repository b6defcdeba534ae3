#include "matcher/resource_query/loader.h"

#include <filesystem>
#include <fstream>

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

}  // namespace

std::optional<std::string> ReadFile(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  const auto size = std::filesystem::file_size(path, error);
  if (error || size > kMaxGraphBytes) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string text(size, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(size))) {
    return std::nullopt;
  }
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
