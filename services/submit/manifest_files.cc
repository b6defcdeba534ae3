#include "services/submit/manifest_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "services/console/display_text.h"
#include "services/console/exit_code.h"
#include "services/console/input_file.h"

namespace fluxnetes::services {
namespace {

struct ManifestSource {
  std::string name;
  std::string text;
};

// False for a file of a directory that is no manifest (nodes.yaml beside Jobs).
bool LooksLikeManifest(const std::string& text) {
  return text.find("kind:") != std::string::npos ||
         text.find("\"kind\"") != std::string::npos;
}

void AddDirectory(const std::string& path, std::vector<ManifestSource>& sources,
                  Console& console) {
  const std::size_t before = sources.size();
  for (const std::string& file : ManifestFilesIn(path)) {
    ManifestSource source{file, ReadInputFile(file)};
    if (LooksLikeManifest(source.text))
      sources.push_back(std::move(source));
    else
      console.err << Printable(file) << ": is no manifest, passed over\n";
  }
  if (sources.size() == before)
    throw Failure(ExitCode::kFailed, path + ": has no manifests",
                  "Right would be files *.yaml, *.yml or *.json.");
}

std::vector<ManifestSource> ReadSources(const ManifestFiles& options,
                                        Console& console) {
  std::vector<ManifestSource> sources;
  for (const std::string& path : options.files) {
    std::error_code error;
    if (path == "-")
      sources.push_back(
          {"(standard input)", ReadInput(console.in, "(standard input)")});
    else if (std::filesystem::is_directory(path, error))
      AddDirectory(path, sources, console);
    else
      sources.push_back({path, ReadInputFile(path)});
  }
  return sources;
}

// Checks all sources and prints all errors before it throws.
std::vector<cluster::Manifest> CheckedManifests(
    const std::vector<ManifestSource>& sources, const ManifestFiles& options,
    Console& console) {
  cluster::ManifestOptions reading;
  reading.namespace_name = options.namespace_name;
  reading.pod_groups = options.pod_groups;
  reading.claims = options.claims;
  reading.devices = options.devices;
  std::vector<cluster::Manifest> manifests;
  int wrong = 0;
  for (const ManifestSource& source : sources) {
    if (options.names) reading.number_names_from = manifests.size();
    try {
      for (cluster::Manifest& manifest :
           cluster::ReadManifests(source.text, source.name, reading))
        manifests.push_back(std::move(manifest));
    } catch (const cluster::InputError& error) {
      console.err << "error: " << Printable(error.what()) << '\n';
      ++wrong;
    }
  }
  if (wrong > 0)
    throw Failure(
        ExitCode::kFailed,
        fmt::format("{} of {} files {} wrong; {}", wrong, sources.size(),
                    wrong == 1 ? "is" : "are", options.otherwise));
  return manifests;
}

}  // namespace

std::vector<cluster::Manifest> ReadManifestFiles(const ManifestFiles& options,
                                                 Console& console) {
  return CheckedManifests(ReadSources(options, console), options, console);
}

}  // namespace fluxnetes::services
