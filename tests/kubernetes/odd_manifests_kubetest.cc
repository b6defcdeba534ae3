// What an API server would refuse or read otherwise is refused or read so here:
// odd manifests are sent to a real one, in YAML, and read and created here.
#include <cstdlib>
#include <sstream>

#include "cluster/files/manifest.h"
#include "cluster/simulated/simulated_cluster.h"
#include "services/simulated_api/cluster_api.h"
#include "tests/kubernetes/support/kube_test.h"
#include "tests/kubernetes/support/odd_manifests.h"
#include "tests/kubernetes/support/same_object.h"

namespace fluxnetes::testing {
namespace {

using cluster::HttpResponse;

// What became of a manifest.
struct Fate {
  bool taken = false;
  nlohmann::json sent;
  nlohmann::json stored;
  std::string why_not;
};

class OddManifestsOnKubernetes : public OnKubernetes {
 protected:
  OddManifestsOnKubernetes()
      : api_(simulated_, {.address = "127.0.0.1:0"}), client_(nullptr) {
    starts_ = false;
    api_.Start();
    client_ = std::make_unique<cluster::HttpClient>(
        cluster::HttpOptions{.address = api_.address()});
  }

  std::string CollectionOf(const std::string& manifest) const {
    return manifest.find("kind: Job") == std::string::npos ? Path("pods")
                                                           : Path("jobs");
  }

  // The API server reads YAML by the library of kubectl. It stores nothing.
  Fate OnTheServer(const std::string& manifest) {
    const HttpResponse answer = plane().api().Send(
        {.method = "POST",
         .path = CollectionOf(manifest) + "?dryRun=All&fieldValidation=Strict",
         .body = manifest,
         .content_type = "application/yaml"});
    return FateOf(answer);
  }

  Fate Here(const std::string& manifest) {
    cluster::Manifest read;
    try {
      read = cluster::ReadManifests(manifest, "odd.yaml",
                                    {.namespace_name = home_})
                 .at(0);
    } catch (const cluster::InputError& error) {
      Fate refused;
      refused.why_not = error.what();
      return refused;
    }
    Fate fate = FateOf(client_->Send(
        {.method = "POST",
         .path = CollectionOf(manifest) + "?fieldValidation=Strict",
         .body = read.json}));
    fate.sent = Json::parse(read.json);
    if (fate.taken) {
      simulated_.Delete(
          {fate.stored["kind"], home_, fate.stored["metadata"]["name"], ""});
    }
    return fate;
  }

  // Empty: both refuse, or both store the same.
  static std::string Difference(const Fate& server, const Fate& here) {
    if (server.taken != here.taken) {
      return server.taken ? "refused here alone: " + here.why_not
                          : "taken here alone: " + server.why_not;
    }
    if (!server.taken) return "";
    const std::string sent = FirstDifference(here.sent, server.stored);
    if (!sent.empty()) return "stored by the server otherwise: " + sent;
    // `generateName` is in what was sent alone.
    Json stored = here.stored;
    if (here.sent["metadata"].contains("generateName"))
      stored["metadata"]["generateName"] = "x";
    const std::string theirs = AsSimulated(server.stored);
    const std::string ours = AsSimulated(stored);
    return theirs == ours ? ""
                          : "stored as\n" + theirs + "\nand here as\n" + ours;
  }

 private:
  static Fate FateOf(const HttpResponse& answer) {
    Fate fate;
    fate.taken = answer.Succeeded();
    fate.stored = Json::parse(answer.body, nullptr, false);
    if (!fate.taken) fate.why_not = answer.error + answer.body;
    return fate;
  }

  cluster::SimulatedCluster simulated_;
  services::ClusterApi api_;
  std::unique_ptr<cluster::HttpClient> client_;
};

TEST_F(OddManifestsOnKubernetes, AreTakenOrRefusedAndReadAsByTheServer) {
  const char* const given = std::getenv("FLUXNETES_TEST_SEED");
  const std::uint64_t seed =
      given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
  SCOPED_TRACE("repeat with FLUXNETES_TEST_SEED=" + std::to_string(seed));
  OddManifests manifests(seed);
  constexpr int kFew = 400;
  constexpr int kMany = 20'000;
  int taken = 0;
  const int all = IsLong() ? kMany : kFew;
  for (int i = 0; i < all; ++i) {
    const std::string manifest = manifests.Next();
    const Fate server = OnTheServer(manifest);
    taken += server.taken ? 1 : 0;
    EXPECT_EQ(Difference(server, Here(manifest)), "") << manifest;
  }
  // Else the comparison says little.
  EXPECT_GT(taken, all / 5);
  EXPECT_LT(taken, all * 4 / 5);
}

}  // namespace
}  // namespace fluxnetes::testing
