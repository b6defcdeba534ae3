#include "tests/kubernetes/support/api_trouble.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cluster/kubernetes/kubeconfig.h"
#include "tests/support/places.h"

namespace fluxnetes::testing {
namespace {

constexpr std::chrono::seconds kStartPatience{60};
constexpr const char* kSays = "export KUBECONFIG=";

}  // namespace

ApiTrouble::ApiTrouble(const ControlPlane& plane, std::uint64_t seed) {
  static int count = 0;
  const std::string log =
      plane.folder() + "/trouble" + std::to_string(++count) + ".log";
  process_ = std::make_unique<Process>(
      std::vector<std::string>{SourcePath("hack/cluster"), "trouble",
                               plane.folder(), std::to_string(seed)},
      std::map<std::string, std::string>{}, log);
  WaitUntil(kStartPatience, [&] {
    std::ifstream in(log);
    std::string line;
    if (!std::getline(in, line) || in.eof()) return process_->HasEnded();
    if (line.starts_with(kSays))
      kubeconfig_ = line.substr(std::string(kSays).size());
    return true;
  });
  if (kubeconfig_.empty())
    throw std::runtime_error("hack/cluster trouble did not start: " + log);
  const auto access =
      cluster::ReadKubeconfig(cluster::LoadKubeconfigFiles(kubeconfig_), "");
  control_ = std::make_unique<cluster::HttpClient>(cluster::HttpOptions{
      .address = access.address, .tls = access.tls, .connections = 1});
  Counts();  // it listens
}

std::string ApiTrouble::Send(const std::string& method, const std::string& path,
                             const std::string& body) {
  const auto answer =
      control_->Send({.method = method, .path = path, .body = body});
  if (!answer.Succeeded())
    throw std::runtime_error(path + ": " + answer.error + answer.body);
  return answer.body;
}

void ApiTrouble::Hold(const std::string& path, When when) {
  Send("POST", "/trouble/hold",
       nlohmann::json{{"path", path},
                      {"when", when == When::kAfter ? "after" : "before"}}
           .dump());
}

void ApiTrouble::Release() { Send("POST", "/trouble/release"); }

void ApiTrouble::GoAway() { Send("POST", "/trouble/away"); }

void ApiTrouble::ComeBack() { Send("POST", "/trouble/back"); }

std::map<std::string, int> ApiTrouble::Counts() {
  return nlohmann::json::parse(Send("GET", "/trouble"))
      .get<std::map<std::string, int>>();
}

}  // namespace fluxnetes::testing
