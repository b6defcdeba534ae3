// Workloads as users of Fluence have them, with another schedulerName and
// nothing else changed.
#include <fmt/format.h>

#include "tests/kubernetes/support/kube_test.h"
#include "tests/kubernetes/support/pod_journal.h"

namespace fluxnetes::testing {
namespace {

// An Indexed Job of four pods of 2 cpu each, which fill the cluster.
constexpr const char* kFluenceJob = R"(
apiVersion: batch/v1
kind: Job
metadata:
  name: lammps
  {job}
spec:
  parallelism: 4
  completions: 4
  completionMode: Indexed
  template:
    metadata:
      {pods}
      annotations: {{{annotations}}}
    spec:
      schedulerName: fluence
      restartPolicy: Never
      containers:
        - name: lammps
          image: lammps
          command: [lmp]
          resources:
            requests: {{cpu: 2}}
)";
constexpr const char* kFluenceGroup =
    R"(fluence.flux-framework.org/pod-group: lammps)";
constexpr const char* kFluenceSize =
    R"(fluence.flux-framework.org/group-size: "4")";

// Where its group is named.
struct FluencePlace {
  const char* name;
  const char* job;          // of its metadata
  const char* pods;         // of its template's
  const char* annotations;  // of its template
};

class FluenceOnKubernetes : public OnKubernetes,
                            public ::testing::WithParamInterface<FluencePlace> {
};

TEST_P(FluenceOnKubernetes, GangRunsWholeWithAnotherSchedulerNameOnly) {
  PodJournal journal(plane().api(), home_,
                     {{Node(0), 4'000}, {Node(1), 4'000}});
  AddUnmanaged("other", Node(1), 1);
  const auto filled = [](const std::string& text) {
    std::string line = text;
    for (const auto& [mark, with] :
         {std::pair{"GROUP", kFluenceGroup}, std::pair{"SIZE", kFluenceSize}})
      if (const auto at = line.find(mark); at != line.npos)
        line.replace(at, std::string(mark).size(), with);
    return line;
  };
  std::string job = fmt::format(
      fmt::runtime(kFluenceJob), fmt::arg("job", filled(GetParam().job)),
      fmt::arg("pods", filled(GetParam().pods)),
      fmt::arg("annotations", filled(GetParam().annotations)));
  job.replace(job.find("schedulerName: fluence"), 22,
              "schedulerName: fluxnetes");
  Submit(job);
  // There is room for three of them.
  ASSERT_TRUE(Comes([&] { return !ReasonOf("lammps").empty(); }));
  EXPECT_EQ(Ask("SELECT group_size FROM pod_groups"), "4");
  EXPECT_EQ(journal.Look().bound, 1);
  Delete("pods/other");
  ASSERT_TRUE(Comes("lammps", "bound")) << StateOf("lammps");
  // The journal may hear of them later than the scheduler did.
  EXPECT_TRUE(Comes([&] { return journal.Look().bound == 5; }));
  EXPECT_EQ(journal.Look().violations, std::vector<std::string>{});
  for (const cluster::Pod& pod : Pods()) EndPod(pod.name);
  EXPECT_TRUE(Comes("lammps", "succeeded")) << StateOf("lammps");
  EXPECT_TRUE(Comes(
      [&] { return Get("jobs/lammps")["status"].value("succeeded", 0) == 4; }));
}

INSTANTIATE_TEST_SUITE_P(
    Named, FluenceOnKubernetes,
    ::testing::Values(
        FluencePlace{"ByLabelsOfPods", "", "labels: {GROUP, SIZE}", ""},
        FluencePlace{"ByAnnotationsOfPods", "", "", "GROUP, SIZE"},
        FluencePlace{"ByAnnotationsOfTheJob", "annotations: {GROUP}", "", ""}),
    [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace fluxnetes::testing
