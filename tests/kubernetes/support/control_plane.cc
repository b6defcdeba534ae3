#include "tests/kubernetes/support/control_plane.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cluster/kubernetes/kubeconfig.h"
#include "tests/support/places.h"

namespace fluxnetes::testing {
namespace {

const std::string kScript = SourcePath("hack/cluster");
constexpr int kCannotBuild = 3;          // of hack/cluster: there is no Go
constexpr int kFirstWithPodGroups = 36;  // Kubernetes 1.36

std::unique_ptr<ControlPlane> the_plane;
std::string why_none;  // empty: not asked for yet, or there is one

cluster::ApiAccess AccessBy(const std::string& kubeconfig) {
  return cluster::ReadKubeconfig(cluster::LoadKubeconfigFiles(kubeconfig), "");
}

}  // namespace

ControlPlane* ControlPlane::Get() {
  if (the_plane || !why_none.empty()) return the_plane.get();
  const auto tools = TryScript(fmt::format("{} tools", Quoted(kScript)));
  if (tools.status == kCannotBuild) {
    why_none = "no API server: " + tools.said;
  } else if (tools.status != 0) {
    throw std::runtime_error("hack/cluster tools: " + tools.said);
  } else {
    the_plane.reset(new ControlPlane);
  }
  return the_plane.get();
}

const std::string& ControlPlane::WhyNone() { return why_none; }

void ControlPlane::Stop() { the_plane.reset(); }

ControlPlane::ControlPlane() {
  std::string folder =
      std::filesystem::temp_directory_path() / "fluxnetes-kube.XXXXXX";
  if (mkdtemp(folder.data()) == nullptr)
    throw std::runtime_error("cannot make a folder like " + folder);
  folder_ = folder;
  lifeline_ = std::make_unique<Lifeline>(
      fmt::format("{} down {}; rm -rf {}", Quoted(kScript), Quoted(folder_),
                  Quoted(folder_)));
  setenv("POD_GROUPS", "1", /*overwrite=*/1);
  Script("up", "0");
  Script("scheduler");
  kubeconfig_ = folder_ + "/scheduler.kubeconfig";
  const auto access = AccessBy(folder_ + "/admin.kubeconfig");
  access_ = {.address = access.address,
             .tls = access.tls,
             .credentials = access.credentials,
             .connections = 4};
  api_ = std::make_unique<cluster::HttpClient>(access_);
  const auto answer = api_->Send({.path = "/version"});
  if (!answer.Succeeded())
    throw std::runtime_error("GET /version: " + answer.error + answer.body);
  version_ = nlohmann::json::parse(answer.body).at("gitVersion");
}

ControlPlane::~ControlPlane() {
  api_.reset();
  try {
    Script("down");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
}

bool ControlPlane::HasPodGroups() const {
  int minor = 0;
  if (std::sscanf(version_.c_str(), "v1.%d", &minor) != 1)
    throw std::runtime_error("Kubernetes of version " + version_);
  return minor >= kFirstWithPodGroups;
}

std::string ControlPlane::Tool(const std::string& program) {
  const auto tools =
      TryScript(fmt::format("{} tools {}", Quoted(kScript), Quoted(program)));
  if (tools.status == kCannotBuild) return "";
  if (tools.status != 0)
    throw std::runtime_error("hack/cluster tools: " + tools.said);
  return tools.said.substr(tools.said.rfind('\n') + 1) + "/" + program;
}

std::string ControlPlane::Report() const {
  return TryScript(fmt::format("{} status {}; tail -n 3 {}/log/* | cut -c -500",
                               Quoted(kScript), Quoted(folder_),
                               Quoted(folder_)))
      .said;
}

void ControlPlane::Script(const std::string& verb, const std::string& more) {
  RunScript(
      fmt::format("{} {} {} {}", Quoted(kScript), verb, Quoted(folder_), more));
}

}  // namespace fluxnetes::testing
