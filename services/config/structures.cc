#include "services/config/structures.h"

#include <filesystem>
#include <stdexcept>
#include <string>

#include "cluster/files/structure_file.h"
#include "services/console/exit_code.h"
#include "services/console/input_file.h"

namespace fluxnetes::services {

std::vector<cluster::LabelledStructure> LoadStructures(const Config& config) {
  const std::string& path = config.cluster.structures;
  if (path.empty()) return {};
  const auto folder = std::filesystem::path(path).parent_path();
  try {
    return cluster::ReadStructureFile(
        ReadInputFile(path), path, [&folder](const std::string& file) {
          return ReadInputFile((folder / file).string());
        });
  } catch (const std::runtime_error& error) {
    throw Failure(ExitCode::kUsage, error.what(),
                  "It is set by --structures, FLUXNETES_STRUCTURES or "
                  "cluster.structures; docs/inside.md describes the file.");
  }
}

}  // namespace fluxnetes::services
