#include "services/submit/submit.h"

#include <fmt/format.h>

#include <ostream>

#include "cluster/files/manifest.h"
#include "cluster/http/http_client.h"
#include "cluster/kubernetes/submission.h"
#include "services/console/display_text.h"
#include "services/submit/manifest_files.h"
#include "services/submit/pool_check.h"
#include "services/submit/short_groups.h"
#include "services/submit/submission.h"

namespace fluxnetes::services {
namespace {

// Warns of an object that the cluster accepts and the scheduler will not place.
void Warn(const cluster::Manifest& manifest, const Config& config,
          Console& console) {
  const std::string why = WhyNotScheduled(manifest, config.schedulers);
  if (why.empty()) return;
  console.err << Printable(fmt::format("Warning: {} will not be scheduled by "
                                       "Fluxnetes: {}",
                                       Called(manifest), why))
              << '\n';
}

void WarnOfAll(const std::vector<cluster::Manifest>& manifests,
               const Config& config, Console& console) {
  for (const cluster::Manifest& manifest : manifests)
    Warn(manifest, config, console);
  for (const ShortGroup& group : ShortGroups(manifests, config.schedulers)) {
    if (group.text.empty()) continue;
    console.err << (group.others_follow ? "Note: " : "Warning: ")
                << Printable(group.text) << '\n';
  }
}

// Returns what frees the name of an object that exists already; "" for kinds
// that `fluxnetes delete` does not know.
std::string HowToFree(const cluster::Submitted& object) {
  const char* const noun = object.kind == "Job"   ? "job"
                           : object.kind == "Pod" ? "pod"
                                                  : nullptr;
  if (noun == nullptr) return {};
  return Printable(fmt::format("`fluxnetes delete {} {}/{}` deletes it, "
                               "finished or not; then submit it again.",
                               noun, object.namespace_name, object.name)) +
         "\n";
}

// Returns true if it was created.
bool SubmitOne(cluster::HttpClient& client, const cluster::Manifest& manifest,
               const SubmitOptions& options, Console& console) {
  const cluster::Submitted submitted =
      cluster::Submit(client, manifest.json, options.namespace_name);
  for (const std::string& warning : submitted.warnings)
    console.err << "Warning: " << Printable(Called(manifest)) << ": "
                << Printable(warning) << '\n';
  if (!submitted.created) {
    console.err << "error: " << Printable(manifest.place) << ": "
                << Printable(submitted.error) << '\n';
    if (submitted.taken) console.err << HowToFree(submitted);
    return false;
  }
  console.out << Printable(Called(manifest, submitted.name))
              << (options.output == OutputFormat::kName ? "" : " created")
              << '\n';
  return true;
}

}  // namespace

ExitCode RunSubmit(const SubmitOptions& options, const Config& config,
                   const std::function<sql::Pool&()>& database,
                   Console& console) {
  const std::vector<cluster::Manifest> manifests =
      ReadManifestFiles({.files = options.files,
                         .namespace_name = options.namespace_name,
                         .claims = true,
                         .otherwise = "nothing was submitted"},
                        console);
  WarnOfAll(manifests, config, console);
  WarnOfPools(manifests, config.schedulers, database, console);
  if (options.dry_run) {
    for (const cluster::Manifest& manifest : manifests)
      console.out << Printable(Called(manifest)) << " checked (dry run)\n";
    return ExitCode::kOk;
  }
  const auto client = OpenCluster(config);
  bool all = true;
  for (const cluster::Manifest& manifest : manifests)
    all = SubmitOne(*client, manifest, options, console) && all;
  return all ? ExitCode::kOk : ExitCode::kFailed;
}

}  // namespace fluxnetes::services
