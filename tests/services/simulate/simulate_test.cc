// `fluxnetes simulate`: valid and invalid flags, error messages, and output.
#include "services/simulate/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>

#include "tests/services/simulate/simulate_command.h"

namespace fluxnetes::services {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two jobs of four processors each, and a small one between them.
constexpr auto kThreeJobs = R"(; MaxProcs: 4
1 0 -1 100 4 -1 -1 4 200 -1 1 1 -1 -1 -1 -1 -1 -1
2 10 -1 50 4 -1 -1 4 50 -1 1 2 -1 -1 -1 -1 -1 -1
3 20 -1 30 1 -1 -1 1 20 -1 1 1 -1 -1 -1 -1 -1 -1
4 30 -1 -1 4 -1 -1 4 50 -1 0 1 -1 -1 -1 -1 -1 -1
)";

constexpr auto kSmallNodes = R"(
nodes:
  - {name: node, count: 2, cpu: 4, memory: 8Gi}
)";

constexpr auto kManifests = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: waves}
spec:
  parallelism: 2
  completions: 5
  template:
    metadata:
      annotations: {fluxnetes.io/run-seconds: "10"}
    spec:
      schedulerName: fluxnetes
      restartPolicy: Never
      containers:
        - {name: main, image: x, resources: {requests: {cpu: "1"}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: gang}
spec:
  parallelism: 2
  completions: 2
  template:
    metadata:
      labels: {fluxnetes.group-name: gang, fluxnetes.group-size: "2"}
    spec:
      schedulerName: fluxnetes
      restartPolicy: Never
      activeDeadlineSeconds: 30
      containers:
        - name: main
          image: x
          command: [sleep, "100"]
          resources: {requests: {cpu: "4"}}
)";

TEST_F(SimulateCommand, RunsATraceOnTheMachineOfItsHeader) {
  run_.SetInput(kThreeJobs);
  const json document = RunToJson("--swf - --csv " + Path("rows.csv"));
  EXPECT_EQ(document["kind"], "Simulation");
  EXPECT_EQ(document["nodes"], 4);
  EXPECT_EQ(document["leftOut"], 1);
  EXPECT_EQ(document["groups"]["total"], 3);
  EXPECT_EQ(document["groups"]["ended"], 2);
  EXPECT_EQ(document["groups"]["timedOut"], 1);
  EXPECT_EQ(document["makespan"], 170);
  EXPECT_EQ(document["wait"]["max"], 130);
  EXPECT_EQ(document["fairness"]["users"], 2);
  EXPECT_EQ(document["complete"], true);
  EXPECT_THAT(run_.err(), HasSubstr("1 job was left out: the run time"));
  // The third job fits only after the second. It gets a reservation when the
  // second starts, and is ended at its limit, which is shorter than its run
  // time.
  EXPECT_THAT(
      Rows(),
      ElementsAre("group,user,queue,pods,nodes,submit,start,end,wait,duration,"
                  "promised,promised_at,evictions,state",
                  "1,1,default,4,4,0,0,100,0,200,,,0,ended",
                  "2,2,default,4,4,10,100,150,90,50,200,10,0,ended",
                  "3,1,default,1,1,20,150,170,130,20,150,100,0,timed out"));
}

TEST_F(SimulateCommand, JobsLargerThanTheMachineAreLeftOut) {
  const std::string trace = "--swf " + FileWith("t.swf", kThreeJobs);
  const json document = RunToJson(trace + " --nodes 3 --cpus-per-node 1");
  EXPECT_EQ(document["groups"]["total"], 1);
  EXPECT_EQ(document["leftOut"], 3);
  EXPECT_THAT(run_.err(), HasSubstr("2 jobs were left out: larger than the 3 "
                                    "processors there are"));
  EXPECT_EQ(RunToJson(trace + " --nodes 3 --add-nodes 1:like=node0 "
                              "--cpus-per-node 1")["leftOut"],
            1);
}

TEST_F(SimulateCommand, NodesAddedTwiceAreOthers) {
  const json document =
      RunToJson("--swf " + FileWith("t.swf", kThreeJobs) +
                " --nodes 1 --cpus-per-node 1 --add-nodes 2:like=node0 "
                "--add-nodes 1:like=node0");
  EXPECT_EQ(document["nodes"], 4);
  EXPECT_EQ(document["leftOut"], 1);
  EXPECT_EQ(document["groups"]["unsatisfiable"], 0);
}

TEST_F(SimulateCommand, JobOfTooManyPodsIsRefusedWithItsPlace) {
  std::string manifests = kManifests;
  manifests.replace(manifests.find("completions: 5"), 14,
                    "completions: 1000001");
  EXPECT_EQ(run_("simulate -f " + FileWith("jobs.yaml", manifests) +
                 " --nodes " + FileWith("nodes.yaml", kSmallNodes)),
            ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("jobs.yaml"));
  EXPECT_THAT(run_.err(), HasSubstr("has 1000001 pods; at most 1000000"));
}

TEST_F(SimulateCommand, NodesAndTheirCpusMayBeOthers) {
  const std::string trace = "--swf " + FileWith("t.swf", kThreeJobs);
  EXPECT_EQ(RunToJson(trace + " --nodes 2 --cpus-per-node 4")["wait"]["max"],
            40);
  EXPECT_EQ(RunToJson(trace + " --cpus-per-node 2")["nodes"], 2);
  EXPECT_EQ(RunToJson(trace + " --add-nodes 3:like=node1")["nodes"], 7);
  const json document =
      RunToJson(trace + " --nodes " + FileWith("n.yaml", kSmallNodes));
  EXPECT_EQ(document["nodes"], 2);
  EXPECT_EQ(document["cpuMilli"], 8'000);
}

TEST_F(SimulateCommand, JobsMayOverrunWhatTheySaid) {
  const std::string trace = "--swf " + FileWith("t.swf", kThreeJobs);
  EXPECT_EQ(RunToJson(trace + " --overrun 5s")["makespan"], 175);
  EXPECT_EQ(RunToJson(trace + " --overrun 1m")["groups"]["timedOut"], 0);
}

TEST_F(SimulateCommand, PolicyAndQueueSettingsMatter) {
  const std::string jobs =
      FileWith("t.swf",
               "1 0 -1 100 3 -1 -1 3 100 -1 1 1 -1 -1 -1 -1 -1 -1\n"
               "2 1 -1 10 4 -1 -1 4 10 -1 1 1 -1 -1 -1 -1 -1 -1\n"
               "3 2 -1 10 1 -1 -1 1 10 -1 1 1 -1 -1 -1 -1 -1 -1\n");
  const std::string trace = "--nodes 4 --swf " + jobs;
  EXPECT_EQ(RunToJson(trace)["wait"]["p50"], 0);
  EXPECT_EQ(RunToJson(trace + " --policy fcfs")["wait"]["p50"], 99);
  EXPECT_EQ(
      RunToJson(trace + " --queue default:queue_policy=fcfs")["wait"]["p50"],
      99);
  EXPECT_EQ(
      RunToJson(trace + " --queue default:paused=true")["groups"]["waiting"],
      3);
}

TEST_F(SimulateCommand, OrderOfAQueueMatters) {
  // The second job is short, the third belongs to another user than the others.
  const std::string trace =
      "--nodes 1 --csv " + Path("rows.csv") + " --swf " +
      FileWith("t.swf",
               "1 0 -1 100 1 -1 -1 1 100 -1 1 1 -1 -1 -1 -1 -1 -1\n"
               "2 1 -1 50 1 -1 -1 1 50 -1 1 1 -1 -1 -1 -1 -1 -1\n"
               "3 2 -1 60 1 -1 -1 1 60 -1 1 2 -1 -1 -1 -1 -1 -1\n"
               "4 3 -1 10 1 -1 -1 1 10 -1 1 1 -1 -1 -1 -1 -1 -1\n");
  const auto starts = [&](const std::string& settings) {
    RunToJson(trace + settings);
    std::string text;
    for (const std::string& row : Rows()) {
      std::istringstream cells(row);
      std::string cell;
      for (int i = 0; i < 7; ++i) std::getline(cells, cell, ',');
      text += cell + " ";
    }
    return text;
  };
  EXPECT_EQ(starts(""), "start 0 100 150 210 ");
  EXPECT_EQ(starts(" --queue default:queue_order=shortest"),
            "start 0 110 160 100 ");
  EXPECT_EQ(starts(" --queue default:queue_order=shortest "
                   "--queue default:ageing=0"),
            "start 0 100 150 210 ");
  EXPECT_EQ(starts(" --queue default:queue_order=fair_share "
                   "--queue default:half_life=1d"),
            "start 0 160 100 210 ");
}

TEST_F(SimulateCommand, SaysWhichQueuesNobodyIsIn) {
  const std::string drawn = "simulate --lublin jobs=3 --nodes 4 ";
  EXPECT_EQ(run_(drawn + "--queue default:queue_policy=fcfs"), ExitCode::kOk);
  EXPECT_EQ(run_.err(), "");
  EXPECT_EQ(run_(drawn + "--queue elsewhere:queue_policy=fcfs "
                         "--queue elsewhere:ageing=1"),
            ExitCode::kOk);
  EXPECT_EQ(run_.err(),
            "Warning: --queue elsewhere: no group is in this queue\n");
}

TEST_F(SimulateCommand, DrawsTheSameJobsFromTheSameSeed) {
  const std::string drawn = "--lublin jobs=300,load=0.8,users=4 --nodes 16 ";
  json first = RunToJson(drawn + "--seed 7");
  json again = RunToJson(drawn + "--seed 7");
  json other = RunToJson(drawn + "--seed 8");
  for (json* document : {&first, &again, &other})
    document->erase("tookSeconds");
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
  EXPECT_EQ(first["groups"]["ended"], 300);
  EXPECT_EQ(first["fairness"]["users"], 4);
}

TEST_F(SimulateCommand, DrawsNoJobsForNodesWithoutAWholeProcessor) {
  EXPECT_EQ(run_("simulate --lublin jobs=3 --nodes " +
                 FileWith("nodes.yaml",
                          "nodes: [{name: node, cpu: 500m, memory: 8Gi}]")),
            ExitCode::kUsage);
  EXPECT_THAT(run_.err(), HasSubstr("the nodes have no whole processor"));
}

TEST_F(SimulateCommand, RunsManifestsAsTheSimulatedClusterWould) {
  const json document = RunToJson(
      "-f " + FileWith("jobs.yaml", kManifests) + " --nodes " +
      FileWith("nodes.yaml", kSmallNodes) + " --csv " + Path("rows.csv"));
  EXPECT_EQ(document["groups"]["total"], 6);
  // Two run at a time; the gang needs both nodes empty and is ended at its
  // deadline.
  EXPECT_THAT(
      Rows(),
      ElementsAre(
          ::testing::_,
          "default/waves-0,default,default,1,1,0,0,10,0,,,,0,ended",
          "default/waves-1,default,default,1,1,0,0,10,0,,,,0,ended",
          "default/waves-2,default,default,1,1,10,40,50,30,,40,10,0,ended",
          "default/waves-3,default,default,1,1,10,40,50,30,,,,0,ended",
          "default/waves-4,default,default,1,1,50,50,60,0,,,,0,ended",
          "default/gang,default,default,2,2,0,10,40,10,30,,,0,timed out"));
}

TEST_F(SimulateCommand, SaysWhatOfManifestsIsLeftOut) {
  const std::string nodes = " --nodes " + FileWith("nodes.yaml", kSmallNodes);
  std::string text = kManifests;
  text.replace(text.find("group-size: \"2\""), 15, "group-size: \"3\"");
  text.replace(text.find("schedulerName: fluxnetes"), 24,
               "schedulerName: somebody ");
  const json document = RunToJson("-f " + FileWith("jobs.yaml", text) + nodes);
  EXPECT_EQ(document["groups"]["total"], 0);
  EXPECT_THAT(
      run_.err(),
      HasSubstr("has the schedulerName \"somebody\", not \"fluxnetes\""));
  EXPECT_THAT(run_.err(),
              HasSubstr("2 of 3 pods of the group default/gang are there"));
}

TEST_F(SimulateCommand, WhatIsLeftOfAJobStartsAsASmallerGroup) {
  const std::string text =
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: rest}\nspec:\n"
      "  parallelism: 2\n  completions: 3\n  template:\n    metadata:\n"
      "      labels: {fluxnetes.group-name: rest, fluxnetes.group-size: "
      "\"2\"}\n    spec:\n      schedulerName: fluxnetes\n"
      "      restartPolicy: Never\n      containers: [{name: c, image: x, "
      "command: [sleep, \"10\"], resources: {requests: {cpu: \"1\"}}}]\n";
  const json document = RunToJson(
      "-f " + FileWith("jobs.yaml", text) + " --nodes " +
      FileWith("nodes.yaml", kSmallNodes) + " --csv " + Path("rows.csv"));
  EXPECT_EQ(document["groups"]["total"], 2);
  EXPECT_THAT(run_.err(),
              HasSubstr("1 of 2 pods of the group default/rest are there; "
                        "what is left of its Job starts as a smaller group"));
  EXPECT_THAT(
      Rows(),
      ElementsAre(::testing::_,
                  "default/rest,default,default,2,1,0,0,10,0,,,,0,ended",
                  "default/rest,default,default,1,1,10,10,20,0,,,,0,ended"));
}

TEST_F(SimulateCommand, ManifestsMayNameQueuesThatAreThere) {
  std::string text = kManifests;
  text.replace(text.find("labels: {"), 9, "labels: {fluxnetes.queue: gpu, ");
  const std::string arguments = "-f " + FileWith("jobs.yaml", text) +
                                " --nodes " +
                                FileWith("nodes.yaml", kSmallNodes);
  EXPECT_EQ(run_("simulate " + arguments), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("there is no queue \"gpu\""));
  EXPECT_EQ(RunToJson(arguments + " --queue gpu:")["groups"]["total"], 6);
}

TEST_F(SimulateCommand, PicturesAreWellFormed) {
  RunToJson("--lublin jobs=200,load=0.9 --nodes 16 --gantt " + Path("g.svg") +
            " --utilisation " + Path("u.svg") + " --waits " + Path("w.svg"));
  for (const char* name : {"g.svg", "u.svg", "w.svg"}) {
    pugi::xml_document picture;
    ASSERT_TRUE(picture.load_file(Path(name).c_str())) << name;
    EXPECT_STREQ(picture.document_element().name(), "svg");
    EXPECT_EQ(Read(name).find("nan"), std::string::npos) << name;
    EXPECT_EQ(Read(name).find("inf"), std::string::npos) << name;
  }
  pugi::xml_document gantt;
  gantt.load_file(Path("g.svg").c_str());
  int boxes = 0;
  for (const auto& box : gantt.document_element().children("rect")) {
    const double left = box.attribute("x").as_double();
    EXPECT_GE(left, 0);
    EXPECT_LE(left + box.attribute("width").as_double(), 960.1);
    boxes += box.child("title").empty() ? 0 : 1;
  }
  EXPECT_GT(boxes, 200);
}

TEST_F(SimulateCommand, PictureOfALargeRunStaysSmall) {
  RunToJson("--lublin jobs=8000,load=0.7 --nodes 64 --gantt " + Path("g.svg"));
  EXPECT_LT(std::filesystem::file_size(Path("g.svg")), 3'000'000U);
  pugi::xml_document gantt;
  ASSERT_TRUE(gantt.load_file(Path("g.svg").c_str()));
  EXPECT_THAT(Read("g.svg"), HasSubstr("How full 64 nodes were"));
  EXPECT_THAT(Read("g.svg"), HasSubstr("fill-opacity"));
}

// The GPUs are full, of the cpus hardly any is in use.
TEST_F(SimulateCommand, UtilisationIsThatOfTheScarcestResource) {
  std::string manifests = kManifests;
  const std::string cpu = "{cpu: \"4\"}";
  manifests.replace(manifests.find(cpu), cpu.size(),
                    "{cpu: \"1\"}, limits: {nvidia.com/gpu: 1}");
  const std::string arguments =
      "-f " + FileWith("jobs.yaml", manifests.substr(manifests.find("---"))) +
      " --nodes " +
      FileWith("nodes.yaml",
               "nodes:\n  - {name: 'n', count: 2, cpu: 64, memory: 8Gi, "
               "resources: {nvidia.com/gpu: 1}}\n") +
      " --gantt -";
  EXPECT_EQ(run_("simulate " + arguments), ExitCode::kOk) << run_.err();
  EXPECT_THAT(run_.out(),
              HasSubstr("Utilisation: 100.0 % of nvidia.com/gpu, 1.6 % of "
                        "cpu\n"));
  const json document = RunToJson(arguments.substr(0, arguments.find(" --g")));
  EXPECT_EQ(document["utilisation"], 1);
  EXPECT_EQ(document["utilisationBy"],
            json::parse(R"([{"resource": "nvidia.com/gpu", "share": 1.0},
                            {"resource": "cpu", "share": 0.015625}])"));
}

TEST_F(SimulateCommand, TableSaysTheSameInWords) {
  run_.SetInput(kThreeJobs);
  EXPECT_EQ(run_("simulate --swf -"), ExitCode::kOk);
  EXPECT_THAT(run_.out(), HasSubstr("Groups:      3: 2 ended, 1 timed out\n"));
  EXPECT_THAT(run_.out(), HasSubstr("Makespan:    2m50s\n"));
  EXPECT_THAT(run_.out(), HasSubstr("Reserved:    2 made, 2 kept\n"));
}

TEST_F(SimulateCommand, SaysHowManyWereEvictedWhereQueuesPreempt) {
  run_.SetInput(kThreeJobs);
  run_("simulate --swf -");
  EXPECT_THAT(run_.out(), Not(HasSubstr("Evictions:")));
  run_.SetInput(kThreeJobs);
  EXPECT_EQ(run_("simulate --swf - --queue default:preemption=lower_priority"),
            ExitCode::kOk);
  EXPECT_THAT(run_.out(), HasSubstr("Evictions:   0\n"));
}

TEST_F(SimulateCommand, ShowsProgressOnATerminalOnly) {
  run_("simulate --lublin jobs=2000,load=0.7 --nodes 16");
  EXPECT_THAT(run_.err(), IsEmpty());
}

TEST_F(SimulateCommand, WhoStopsItHasTheFiguresSoFar) {
  int looks = 0;
  run_.OnWait([&] { return ++looks > 1; });
  EXPECT_EQ(run_("simulate --lublin jobs=2000,load=0.7 --nodes 16 --csv " +
                 Path("rows.csv")),
            ExitCode::kInterrupted);
  EXPECT_THAT(run_.out(), HasSubstr("the figures are of a part.\n"));
  EXPECT_THAT(run_.out(), HasSubstr("still wait"));
  EXPECT_EQ(Rows().size(), 2'001U);
}

TEST_F(SimulateCommand, ChartIsAsWideAsTheTerminal) {
  const std::string trace =
      "simulate --gantt - --swf " + FileWith("t.swf", kThreeJobs);
  EXPECT_EQ(run_(trace), ExitCode::kOk);
  EXPECT_THAT(run_.out(), HasSubstr("\n1 ####"));
  EXPECT_THAT(run_.out(), HasSubstr("2m50s\n. waits, # has its nodes\n"));
  const auto widest = [&] {
    std::size_t width = 0;
    std::istringstream lines(run_.out().substr(run_.out().find("\n\n")));
    for (std::string line; std::getline(lines, line);)
      width = std::max(width, line.size());
    return width;
  };
  EXPECT_EQ(widest(), 80U);
  run_.SetTerminal(52, 20);
  EXPECT_EQ(run_(trace), ExitCode::kOk);
  EXPECT_EQ(widest(), 52U);
}

struct WrongUse {
  std::string arguments;
  ExitCode code;
  std::string said;
};

class WrongSimulation : public SimulateCommand,
                        public ::testing::WithParamInterface<WrongUse> {};

TEST_P(WrongSimulation, IsRefusedInASentence) {
  run_.SetInput(kThreeJobs);
  EXPECT_EQ(run_("simulate " + GetParam().arguments), GetParam().code);
  EXPECT_THAT(run_.err(), HasSubstr(GetParam().said));
  EXPECT_THAT(run_.out(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    SimulateCommand, WrongSimulation,
    ::testing::Values(
        WrongUse{"", ExitCode::kUsage, "there is nothing to simulate"},
        WrongUse{"--swf - --lublin jobs=3", ExitCode::kUsage,
                 "there is more than one thing to simulate"},
        WrongUse{"--swf /nowhere/t.swf", ExitCode::kFailed,
                 "/nowhere/t.swf: No such file or directory"},
        WrongUse{"--swf /tmp", ExitCode::kFailed, "/tmp: is a directory"},
        WrongUse{"--swf - --nodes 0", ExitCode::kUsage,
                 "0 nodes cannot be simulated, 1 to 100000 can"},
        WrongUse{"--swf - --nodes /nowhere/n.yaml", ExitCode::kFailed,
                 "/nowhere/n.yaml"},
        WrongUse{"--swf - --cpus-per-node 0", ExitCode::kUsage,
                 "--cpus-per-node"},
        WrongUse{"--swf - --policy fast", ExitCode::kUsage,
                 "queue_policy: 'fast' is not allowed"},
        WrongUse{"--swf - --queue gpu", ExitCode::kUsage,
                 "Right would be QUEUE:KEY=VALUE"},
        WrongUse{"--swf - --queue gpu:depth=3", ExitCode::kUsage,
                 "'depth=3' is no setting of a queue"},
        WrongUse{"--swf - --gantt - -o json", ExitCode::kUsage,
                 "--gantt - goes with a table only"},
        WrongUse{"--swf - --overrun fast", ExitCode::kUsage, "fast"},
        WrongUse{"--swf - --csv /nowhere/rows.csv", ExitCode::kFailed,
                 "/nowhere/rows.csv cannot be written"},
        WrongUse{"--lublin jobs=3", ExitCode::kUsage,
                 "it is not said how many nodes there are"},
        WrongUse{"--lublin jobs=3.5 --nodes 4", ExitCode::kUsage,
                 "'jobs=3.5' is not allowed"},
        WrongUse{"--lublin load=0 --nodes 4", ExitCode::kUsage,
                 "'load=0' is not allowed"},
        WrongUse{"--lublin load=1,load=2 --nodes 4", ExitCode::kUsage,
                 "'load=2' is not allowed"},
        WrongUse{"--lublin jobs --nodes 4", ExitCode::kUsage,
                 "'jobs' is not allowed"},
        WrongUse{"-f /nowhere/jobs.yaml --nodes 4", ExitCode::kUsage,
                 "manifests need nodes"}));

}  // namespace
}  // namespace fluxnetes::services
