#include "services/simulate/simulation_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/simulation/trace_scenario.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// More groups than a picture shows singly, all of 2 cpus on the only node,
// which has 4.
class HeatPicture : public ::testing::Test {
 protected:
  static constexpr int kGroups = 20'001;

  HeatPicture() {
    std::vector<cluster::SwfJob> jobs(kGroups, {.processors = 2});
    scenario_ = workers::ScenarioOf(jobs, workers::NodesOfCpus(1, 4), 4, {});
    course_.groups.resize(kGroups);
    for (int i = 0; i < kGroups; ++i) {
      course_.first_node.push_back(i);
      course_.nodes.push_back(0);
      course_.node_amounts.push_back(2'000);
    }
    course_.resources = {"cpu"};
  }

  // The groups run one after the other, each for so many seconds.
  std::string PictureOf(std::int64_t seconds) {
    for (int i = 0; i < kGroups; ++i) {
      workers::GroupCourse& group = course_.groups[static_cast<std::size_t>(i)];
      group.nodes = 1;
      group.start = i * seconds;
      course_.end = group.end = (i + 1) * seconds;
    }
    return GanttPicture(scenario_, course_);
  }

  workers::Scenario scenario_;
  workers::Course course_;
};

TEST_F(HeatPicture, OfNoTimeIsEmpty) {
  EXPECT_THAT(PictureOf(0), Not(HasSubstr("fill-opacity")));
}

TEST_F(HeatPicture, SaysHowFullNodesWereNotWhetherAnybodyWasThere) {
  const std::string picture = PictureOf(10);
  EXPECT_THAT(picture, HasSubstr("fill-opacity=\"0.5\""));
  EXPECT_THAT(picture, Not(HasSubstr("#2171b5\" />")));
}

// Each group has the only GPU of the node, and a tenth of its cpus.
TEST_F(HeatPicture, NodeIsAsFullAsItsScarcestResource) {
  for (cluster::Node& node : scenario_.nodes)
    node.allocatable.SetExtended("nvidia.com/gpu", 1);
  course_.resources = {"cpu", "nvidia.com/gpu"};
  course_.node_amounts.clear();
  for (int i = 0; i < kGroups; ++i)
    for (const std::int64_t amount : {400, 1})
      course_.node_amounts.push_back(amount);
  const std::string picture = PictureOf(10);
  EXPECT_THAT(picture, HasSubstr("(their scarcest resource)"));
  EXPECT_THAT(picture, HasSubstr("#2171b5\" />"));
  EXPECT_THAT(picture, Not(HasSubstr("fill-opacity")));
}

TEST_F(HeatPicture, UtilisationHasALineForEachResource) {
  for (cluster::Node& node : scenario_.nodes)
    node.allocatable.SetExtended("nvidia.com/gpu", 1);
  scenario_.requests[0].request.resources.SetExtended("nvidia.com/gpu", 1);
  PictureOf(10);
  const std::string picture = UtilisationPicture(scenario_, course_);
  EXPECT_THAT(picture,
              HasSubstr("In use: nvidia.com/gpu (blue), cpu (orange)"));
  EXPECT_THAT(picture, HasSubstr("stroke=\"#f28e2b\""));
}

}  // namespace
}  // namespace fluxnetes::services
