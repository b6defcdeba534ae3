#include "tests/kubernetes/support/kube_scene.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cluster/devices/claim_decoder.h"
#include "cluster/json/objects.h"

namespace fluxnetes::testing {
namespace {

nlohmann::json List(cluster::HttpClient& api, const std::string& path) {
  const auto answer = api.Send({.path = path});
  if (!answer.Succeeded())
    throw std::runtime_error("GET " + path + ": " + answer.error + answer.body);
  return nlohmann::json::parse(answer.body);
}

}  // namespace

cluster::SimulatedCluster::Snapshot KubeScene::Truth() {
  cluster::SimulatedCluster::Snapshot truth;
  const auto nodes = List(api_, "/api/v1/nodes");
  for (const auto& node : nodes.at("items"))
    truth.nodes.push_back(
        std::make_shared<cluster::Node>(cluster::DecodeNode(node)));
  const auto pods = List(api_, "/api/v1/pods");
  for (const auto& pod : pods.at("items"))
    truth.pods.push_back(
        std::make_shared<cluster::Pod>(cluster::DecodePod(pod)));
  truth.now = std::chrono::time_point_cast<cluster::Time::duration>(
      std::chrono::system_clock::now());
  return truth;
}

std::vector<cluster::ResourceClaimPointer> KubeScene::DeviceClaims() {
  std::vector<cluster::ResourceClaimPointer> claims;
  const auto list = List(api_, "/apis/resource.k8s.io/v1/resourceclaims");
  for (const auto& claim : list.at("items"))
    claims.push_back(std::make_shared<cluster::ResourceClaim>(
        cluster::DecodeResourceClaim(claim)));
  return claims;
}

}  // namespace fluxnetes::testing
