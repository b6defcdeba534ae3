#include "services/submit/delete_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <ostream>

#include "cluster/kubernetes/api_path.h"
#include "cluster/kubernetes/deletion.h"
#include "services/console/display_text.h"
#include "services/submit/submission.h"

namespace fluxnetes::services {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBetweenLooks{100};
constexpr std::chrono::minutes kLongestWait{1};

struct Target {
  std::string namespace_name;
  std::string name;
};

Target TargetOf(const std::string& text, const std::string& namespace_name) {
  const std::size_t slash = text.find('/');
  Target target = slash == std::string::npos
                      ? Target{namespace_name, text}
                      : Target{text.substr(0, slash), text.substr(slash + 1)};
  // Anything else would be another path.
  const auto named = [](const std::string& part) {
    return !part.empty() && part.front() != '.' &&
           std::ranges::all_of(part, [](char c) {
             return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                    c == '-' || c == '.';
           });
  };
  if (named(target.namespace_name) && named(target.name)) return target;
  throw Failure(ExitCode::kUsage, fmt::format("'{}' is not a name", text),
                "Right would be NAME or NAMESPACE/NAME, of small letters, "
                "digits, '-' and '.'.");
}

// Returns false if the object is still there when the time is over or the user
// wants to stop.
bool AwaitEnd(cluster::HttpClient& client, const cluster::ApiResource& resource,
              const Target& target, const std::string& uid, Console& console) {
  const auto end = std::chrono::steady_clock::now() + kLongestWait;
  while (cluster::IsStillThere(client, resource, target.namespace_name,
                               target.name, uid)) {
    if (std::chrono::steady_clock::now() >= end || console.wait(kBetweenLooks))
      return false;
  }
  return true;
}

ExitCode DeleteOne(cluster::HttpClient& client,
                   const cluster::ApiResource& resource, const Target& target,
                   Console& console) {
  using Outcome = cluster::Deletion::Outcome;
  const std::string called =
      fmt::format("{}/{}", resource.kind == "Job" ? "job.batch" : "pod",
                  Printable(target.name));
  const cluster::Deletion deletion = cluster::DeleteByName(
      client, resource, target.namespace_name, target.name);
  if (deletion.outcome != Outcome::kDeleted) {
    console.err << "error: " << called << ": " << Printable(deletion.error)
                << '\n';
    return deletion.outcome == Outcome::kMissing ? ExitCode::kNotFound
                                                 : ExitCode::kFailed;
  }
  const bool gone = AwaitEnd(client, resource, target, deletion.uid, console);
  console.out << called << (gone ? " deleted\n" : " is being deleted\n");
  return ExitCode::kOk;
}

}  // namespace

ExitCode RunDelete(const DeleteOptions& options, const Config& config,
                   Console& console) {
  const auto resource = cluster::ResourceOfKind(options.kind);
  assert(resource);
  std::vector<Target> targets;
  for (const std::string& name : options.names)
    targets.push_back(TargetOf(name, options.namespace_name));
  const auto client = OpenCluster(config);
  ExitCode code = ExitCode::kOk;
  for (const Target& target : targets) {
    const ExitCode one = DeleteOne(*client, *resource, target, console);
    if (one != ExitCode::kOk) code = one;
  }
  return code;
}

}  // namespace fluxnetes::services
