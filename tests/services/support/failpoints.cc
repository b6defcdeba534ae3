#include "tests/services/support/failpoints.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

#include "tests/support/places.h"

namespace fluxnetes::services {
namespace {

bool IsOfFluence(const std::string& name) {
  return name.starts_with("external-");
}

// Adds the names in calls of Failpoint("name"). Each start of the tests'
// program reads all sources, so this must be fast.
void AddFailpointsOf(const std::string& source, std::set<std::string>& names) {
  constexpr std::string_view kCall = "Failpoint(\"";
  for (auto at = source.find(kCall); at != std::string::npos;
       at = source.find(kCall, at)) {
    at += kCall.size();
    const auto end = source.find('"', at);
    if (end != std::string::npos && end > at && source[end + 1] == ')')
      names.insert(source.substr(at, end - at));
  }
}

std::set<std::string> NamesInSources() {
  std::set<std::string> names;
  for (const char* folder : {"sql", "queue", "cluster", "workers", "services"})
    for (const auto& file : std::filesystem::recursive_directory_iterator(
             testing::SourcePath(folder))) {
      if (file.path().extension() != ".cc") continue;
      std::ifstream in(file.path());
      AddFailpointsOf({std::istreambuf_iterator<char>(in), {}}, names);
    }
  return names;
}

std::vector<std::string> FindFailpoints(bool of_fluence) {
  static const std::set<std::string> kNames = NamesInSources();
  std::set<std::string> names = kNames;
  // Where it finds none, tests that kill at each would kill at none.
  if (names.empty()) throw std::logic_error("the sources have no failpoint");
  std::erase_if(names, [=](const std::string& name) {
    return IsOfFluence(name) != of_fluence;
  });
  return {names.begin(), names.end()};
}

}  // namespace

std::vector<std::string> AllFailpoints() { return FindFailpoints(false); }

std::vector<std::string> FailpointsOfPlainGroups() {
  auto all = AllFailpoints();
  std::erase(all, "group-statuses-written");
  return all;
}

std::vector<std::string> FluenceFailpoints() { return FindFailpoints(true); }

std::string TestNameOf(std::string failpoint) {
  std::replace(failpoint.begin(), failpoint.end(), '-', '_');
  return failpoint;
}

}  // namespace fluxnetes::services
