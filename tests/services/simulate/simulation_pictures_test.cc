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
      course_.node_cpu.push_back(2'000);
    }
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

}  // namespace
}  // namespace fluxnetes::services
