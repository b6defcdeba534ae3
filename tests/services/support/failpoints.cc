#include "tests/services/support/failpoints.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <stdexcept>

#include "tests/support/places.h"

namespace fluxnetes::services {
namespace {

bool IsOfFluence(const std::string& name) {
  return name.starts_with("external-");
}

std::vector<std::string> FindFailpoints(bool of_fluence) {
  std::set<std::string> names;
  const std::regex call("Failpoint\\(\"([^\"]+)\"\\)");
  for (const char* folder : {"sql", "queue", "cluster", "workers", "services"})
    for (const auto& file : std::filesystem::recursive_directory_iterator(
             testing::SourcePath(folder))) {
      if (file.path().extension() != ".cc") continue;
      std::ifstream in(file.path());
      for (std::string line; std::getline(in, line);)
        if (std::smatch found; std::regex_search(line, found, call))
          names.insert(found[1]);
    }
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
  std::erase(all, "bind-devices-written");
  return all;
}

std::vector<std::string> FluenceFailpoints() { return FindFailpoints(true); }

std::string TestNameOf(std::string failpoint) {
  std::replace(failpoint.begin(), failpoint.end(), '-', '_');
  return failpoint;
}

}  // namespace fluxnetes::services
