// Whether what always holds (tests/invariants/invariants.h) holds on a cluster
// and its database, for tests that are scripts:
//
//   check_invariants KUBECONFIG CONNECTION [SCHEMA]
//
// KUBECONFIG is the administrator's. Exit status 0: all of it holds. Else 1,
// with a line for each violation that is still there after a minute, since what
// is seen once may be under way to the scheduler.
#include <chrono>
#include <exception>
#include <iostream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cluster/http/http_client.h"
#include "cluster/kubernetes/kubeconfig.h"
#include "sql/connection/pool.h"
#include "tests/invariants/invariants.h"
#include "tests/kubernetes/support/kube_scene.h"

namespace fluxnetes::testing {
namespace {

constexpr std::chrono::seconds kPatience{60};
constexpr std::chrono::milliseconds kPause{300};

std::vector<std::string> Violations(const std::string& kubeconfig,
                                    const sql::PoolOptions& options) {
  const auto access =
      cluster::ReadKubeconfig(cluster::LoadKubeconfigFiles(kubeconfig), "");
  cluster::HttpClient api({.address = access.address,
                           .tls = access.tls,
                           .credentials = access.credentials,
                           .connections = 2});
  sql::Pool database(options);
  const std::set<std::string> nobody;
  KubeScene scene(api, database, nobody);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  std::vector<std::string> wrong;
  while (!(wrong = Invariants({}).Check(scene)).empty() &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(kPause);
  return wrong;
}

}  // namespace
}  // namespace fluxnetes::testing

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::cerr << "check_invariants KUBECONFIG CONNECTION [SCHEMA]\n";
    return 2;
  }
  try {
    fluxnetes::sql::PoolOptions options;
    options.connection = argv[2];
    if (argc > 3) options.schema = argv[3];
    options.application_name = "check_invariants";
    options.max_connections = 2;
    const auto wrong = fluxnetes::testing::Violations(argv[1], options);
    for (const std::string& violation : wrong) std::cout << violation << '\n';
    return wrong.empty() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "check_invariants: " << error.what() << '\n';
    return 1;
  }
}
