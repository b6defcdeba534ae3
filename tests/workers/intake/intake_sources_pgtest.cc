// Groups from labels and objects of other systems (group_labels.h), recorded by
// intake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workers/support/lifecycle_fixture.h"
#include "workers/pods/group_labels.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;

const cluster::PodGroupName kWorkers{cluster::PodGroupApi::kCoscheduling,
                                     "default", "workers"};

class IntakeSources : public LifecycleTest {
 protected:
  void CreateMember(const std::string& name) {
    cluster::Pod pod = PodOf({.name = name});
    pod.labels[cluster::kCoschedulingLabel] = "workers";
    door.Put(std::move(pod));
  }
  std::string Filling() {
    return AskAll(
        "SELECT group_name, members, group_size FROM groups_provisional "
        "ORDER BY 1");
  }
  std::string Refused(const std::string& pod) {
    return Ask(
        "SELECT coalesce(refused, '') FROM pods_provisional "
        "WHERE pod_name = '" +
        pod + "'");
  }
  int Notices() {
    return std::stoi(Ask("SELECT count(*) FROM jobs WHERE kind = 'notice'"));
  }
};

TEST_F(IntakeSources, PodsThatComeBeforeTheirPodGroupWaitForIt) {
  CreateMember("a");
  CreateMember("b");
  Observe();
  EXPECT_EQ(Filling(), "");
  EXPECT_THAT(Refused("a"), HasSubstr("which is not there"));
  EXPECT_EQ(Notices(), 2);
  door.PutGroup(kWorkers, 2);
  Observe();
  EXPECT_EQ(Filling(), "workers|2|2");
  EXPECT_EQ(Refused("a"), "");
  EXPECT_EQ(Notices(), 2);
  ObserveAndPromote();
  EXPECT_THAT(StateOf("workers"), HasSubstr("pending"));
}

TEST_F(IntakeSources, PodGroupThatIsThereSaysTheSize) {
  door.PutGroup(kWorkers, 2);
  CreateMember("a");
  Observe();
  EXPECT_EQ(Filling(), "workers|1|2");
  EXPECT_EQ(Notices(), 0);
}

TEST_F(IntakeSources, GroupFollowsTheSizeOfItsPodGroup) {
  door.PutGroup(kWorkers, 3);
  CreateMember("a");
  CreateMember("b");
  ObserveAndPromote();
  EXPECT_EQ(Filling(), "workers|2|3");
  door.PutGroup(kWorkers, 2);
  ObserveAndPromote();
  EXPECT_THAT(StateOf("workers"), HasSubstr("pending"));
  door.PutGroup(kWorkers, 4);
  ObserveAndPromote();
  EXPECT_EQ(Filling(), "workers|2|4");
}

TEST_F(IntakeSources, GroupWhosePodGroupIsDeletedWaitsForItAgain) {
  door.PutGroup(kWorkers, 2);
  CreateMember("a");
  CreateMember("b");
  ObserveAndPromote();
  EXPECT_THAT(StateOf("workers"), HasSubstr("pending"));
  door.PutGroup(kWorkers, 0);
  ObserveAndPromote();
  EXPECT_THAT(Refused("a"), HasSubstr("which is not there"));
  EXPECT_EQ(Filling(), "");
  door.PutGroup(kWorkers, 2);
  ObserveAndPromote();
  EXPECT_THAT(StateOf("workers"), HasSubstr("pending"));
}

TEST_F(IntakeSources, NothingIsWrittenTwiceForPodsThatWaitForAPodGroup) {
  CreateMember("a");
  Observe();
  const std::int64_t recorded = intake->counts().recorded;
  intake->CompareEverything();
  Observe();
  EXPECT_EQ(intake->counts().recorded, recorded);
  EXPECT_EQ(Notices(), 1);
}

TEST_F(IntakeSources, MarksOfAJobThatComeAfterItsPodsMakeThemAGang) {
  for (const char* name : {"a", "b"}) {
    door.Put(PodOf({.name = name, .owner = "lammps"}));
  }
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT group_size FROM pod_groups"), "1\n1");
  door.PutJob({.uid = "uid-of-lammps",
               .resource_version = "",
               .annotations = {{kFluenceNameLabel, "lammps"}},
               .parallelism = 2});
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT group_name, group_size FROM pod_groups"),
            "lammps|2");
}

// Two pods of one core each.
std::string TwoSlots(const std::string& system) {
  return "version: 1\nresources: [{type: slot, label: s, count: 2, with: "
         "[{type: core, count: 1}]}]\ntasks: []\nattributes: {system: {" +
         system + "}}\n";
}

class JobspecsOfJobs : public IntakeSources {
 protected:
  JobspecsOfJobs() { Observe(); }  // the first list has no Jobs

  void CreatePod(const std::string& name) {
    cluster::Pod pod = PodOf({.name = name, .owner = "lammps"});
    pod.request.resources.cpu_milli = 1'000;
    door.Put(std::move(pod));
  }
  // Gives the Job another jobspec; its pods stay as they are.
  void SetJobspec(const std::string& system) {
    door.PutJob({.uid = "uid-of-lammps",
                 .resource_version = "",
                 .annotations = {{"fluxnetes.jobspec", TwoSlots(system)}},
                 .parallelism = 2});
    ObserveAndPromote();
  }
  std::string Asked(const std::string& table) {
    return AskAll(
        "SELECT DISTINCT coalesce(duration_seconds::text, 'none'), "
        "coalesce(request #>> '{nodeAffinity,0,0,key}', 'any') FROM " +
        table);
  }
};

TEST_F(JobspecsOfJobs, DurationAndNodesThatComeLaterAreTakenWhileAGroupFills) {
  SetJobspec("");
  CreatePod("a");
  ObserveAndPromote();
  EXPECT_EQ(Filling(), "lammps|1|2");
  SetJobspec("duration: 60");
  EXPECT_EQ(Asked("pods_provisional"), "60|any");
  SetJobspec("duration: 60, constraints: {properties: [\"a/x\"]}");
  EXPECT_EQ(Asked("pods_provisional"), "60|a/x");
  SetJobspec("");
  EXPECT_EQ(Asked("pods_provisional"), "none|any");
}

TEST_F(JobspecsOfJobs, DurationAndNodesThatComeLaterAreTakenByAWaitingGroup) {
  SetJobspec("");
  CreatePod("a");
  CreatePod("b");
  ObserveAndPromote();
  EXPECT_THAT(StateOf("lammps"), HasSubstr("pending"));
  SetJobspec("duration: 60");
  EXPECT_EQ(Asked("pods"), "60|any");
  EXPECT_EQ(Ask("SELECT duration_seconds FROM pod_groups"), "60");
  SetJobspec("duration: 60, constraints: {properties: [\"a/x\"]}");
  EXPECT_EQ(Asked("pods"), "60|a/x");
  EXPECT_THAT(StateOf("lammps"), HasSubstr("pending"));
  const std::int64_t recorded = intake->counts().recorded;
  intake->CompareEverything();
  Observe();
  EXPECT_EQ(intake->counts().recorded, recorded) << "written though the same";
}

// The pods of a Job that first has no jobspec wait as groups of one.
class JobspecsThatComeLate : public JobspecsOfJobs {
 protected:
  JobspecsThatComeLate() {
    CreatePod("a");
    CreatePod("b");
    ObserveAndPromote();
    EXPECT_EQ(Groups(), kA + "|1|pending\n" + kB + "|1|pending");
  }
  std::string Groups() {
    return AskAll(
        "SELECT group_name, group_size, state FROM pod_groups ORDER BY 1");
  }
  std::string Pods() {
    return AskAll(
        "SELECT p.pod_name, g.group_name, p.state, p.request #>> "
        "'{nodeAffinity,0,0,key}' FROM pods p JOIN pod_groups g "
        "ON g.id = p.group_id ORDER BY 1");
  }
  void ExpectNothingToWrite() {
    Observe();
    const std::int64_t recorded = intake->counts().recorded;
    intake->CompareEverything();
    ObserveAndPromote();
    EXPECT_EQ(intake->counts().recorded, recorded) << "written though the same";
  }

  const std::string kA = "fluxnetes-group-default-a";
  const std::string kB = "fluxnetes-group-default-b";
  const std::string kToX = "constraints: {properties: [\"a/x\"]}";
};

TEST_F(JobspecsThatComeLate, MakeAGangOfPodsThatWait) {
  SetJobspec(kToX);
  EXPECT_EQ(Groups(), "lammps|2|pending");
  EXPECT_EQ(Pods(), "a|lammps|waiting|a/x\nb|lammps|waiting|a/x");
  EXPECT_EQ(Filling(), "");
  EXPECT_EQ(AskAll("SELECT * FROM group_history"), "");
  ExpectNothingToWrite();
}

// It is no longer bound by itself: a POST that is under way meets a conflict.
TEST_F(JobspecsThatComeLate, TakeAPlaceBackThatIsNotBoundYet) {
  Allocate(kA);
  SetJobspec(kToX);
  EXPECT_EQ(Groups(), "lammps|2|pending");
  EXPECT_EQ(Pods(), "a|lammps|waiting|a/x\nb|lammps|waiting|a/x");
  EXPECT_EQ(AskAll("SELECT * FROM placements"), "");
  EXPECT_EQ(door.touched, (std::vector<std::string>{"default/a"}));
  ExpectNothingToWrite();
}

TEST_F(JobspecsThatComeLate, LeaveAPodWhereItIsBound) {
  Allocate(kA);
  Bind(kA);
  Observe();
  SetJobspec(kToX);
  EXPECT_EQ(Groups(), kA + "|1|bound");
  EXPECT_EQ(Pods(), "a|" + kA + "|bound|NULL");
  EXPECT_EQ(Filling(), "lammps|1|2");
  ExpectNothingToWrite();
}

TEST_F(JobspecsThatComeLate, MakeGroupsOfOneAgainWhenTheyAreTakenAway) {
  SetJobspec(kToX);
  door.PutJob({.uid = "uid-of-lammps",
               .resource_version = "",
               .annotations = {},
               .parallelism = 2});
  ObserveAndPromote();
  EXPECT_EQ(Groups(), kA + "|1|pending\n" + kB + "|1|pending");
  EXPECT_EQ(Filling(), "");
  ExpectNothingToWrite();
}

}  // namespace
}  // namespace fluxnetes::workers
