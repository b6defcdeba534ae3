#include "workers/pods/group_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;

cluster::Pod PodWith(const std::map<std::string, std::string>& labels) {
  cluster::Pod pod;
  pod.namespace_name = "science";
  pod.name = "train-0";
  pod.labels = labels;
  return pod;
}

GroupLabels Read(const cluster::Pod& pod) {
  return ReadGroupLabels(pod, cluster::ClusterCache());
}

std::string WhyRefused(const std::map<std::string, std::string>& labels) {
  const GroupLabels read = Read(PodWith(labels));
  EXPECT_EQ(read.group_size.has_value(), read.refused.empty());
  return read.refused;
}

TEST(GroupLabels, NameSizeAndQueueAreRead) {
  const GroupLabels expected{"train", 8, "gpu", ""};
  EXPECT_EQ(Read(PodWith({{"fluxnetes.group-name", "train"},
                          {"fluxnetes.group-size", "8"},
                          {"fluxnetes.queue", "gpu"}})),
            expected);
}

TEST(GroupLabels, PodWithoutLabelsIsAGroupOfItsOwn) {
  const GroupLabels expected{"fluxnetes-group-science-train-0", 1, "default",
                             ""};
  EXPECT_EQ(Read(PodWith({{"app", "train"}})), expected);
}

TEST(GroupLabels, SizeThatIsNoNumberFromOneOnIsRefused) {
  const auto why = [](const std::string& size) {
    return WhyRefused(
        {{"fluxnetes.group-name", "train"}, {"fluxnetes.group-size", size}});
  };
  EXPECT_EQ(why("0"),
            "label fluxnetes.group-size is \"0\": a group has at least one "
            "pod; it must be a whole number from 1 to 1048576");
  EXPECT_THAT(why("-3"), HasSubstr("is \"-3\": it is negative; it must be"));
  EXPECT_THAT(why("ten"), HasSubstr("is \"ten\": it is not a whole number"));
  EXPECT_THAT(why("99999999999"),
              HasSubstr("is \"99999999999\": it is too large"));
  EXPECT_THAT(why("-99999999999"), HasSubstr("it is negative"));
  for (const char* size : {"", "3.0", "1e3", " 3", "3 ", "+3", "0x3", "3pods"})
    EXPECT_THAT(why(size), HasSubstr("it must be a whole number")) << size;
  EXPECT_EQ(why("1048576"), "");
  EXPECT_THAT(why("1048577"), HasSubstr("it is too large"));
}

TEST(GroupLabels, GroupNameThatIsNoLabelValueIsRefused) {
  const auto why = [](const std::string& name) {
    return WhyRefused({{"fluxnetes.group-name", name}});
  };
  EXPECT_THAT(why(""), HasSubstr("it is empty; it must be 1 to 63 letters"));
  for (const char* name : {"it's", "50%", "a\\b", "a b", "\xF0\x9F\x98\x80",
                           "-a", "a.", "a/b", "\"; DROP TABLE pods; --"})
    EXPECT_THAT(why(name), HasSubstr("it is not a name")) << name;
  EXPECT_EQ(why("Train_0.a-b"), "");
  EXPECT_EQ(why(std::string(63, 'a')), "");
  EXPECT_THAT(why(std::string(64, 'a')), HasSubstr("it is too long"));
}

TEST(GroupLabels, QueueThatIsNoNameIsRefused) {
  const auto why = [](const std::string& queue) {
    return WhyRefused({{"fluxnetes.queue", queue}});
  };
  EXPECT_THAT(why(""), HasSubstr("label fluxnetes.queue is \"\": it is empty"));
  EXPECT_THAT(why("GPU"), HasSubstr("it is not a name; it must be the name"));
  EXPECT_THAT(why("gpu-"), HasSubstr("it is not a name"));
  EXPECT_THAT(why(std::string(64, 'q')), HasSubstr("it is too long"));
}

TEST(GroupLabels, AccountIsALabelOrAnAnnotation) {
  cluster::Pod pod = PodWith({{"fluxnetes.account", "Physics.4"}});
  EXPECT_EQ(Read(pod).account, "Physics.4");
  pod.annotations["fluxnetes.account"] = "Physics.4";
  EXPECT_EQ(Read(pod).refused, "");
  pod.labels.clear();
  EXPECT_EQ(Read(pod).account, "Physics.4");
  pod.labels["fluxnetes.account"] = "biology";
  EXPECT_EQ(Read(pod).refused,
            "label and annotation fluxnetes.account are \"biology\" and "
            "\"Physics.4\": they must be the same");
  EXPECT_EQ(Read(PodWith({})).account, "");
}

TEST(GroupLabels, AccountThatIsNoLabelValueIsRefused) {
  const auto why = [](const std::string& account) {
    return WhyRefused({{"fluxnetes.account", account}});
  };
  EXPECT_THAT(why(""),
              HasSubstr("label fluxnetes.account is \"\": it is empty; "
                        "it must be 1 to 63 letters"));
  EXPECT_THAT(why("a b"), HasSubstr("it is not a name"));
  EXPECT_THAT(why("-a"), HasSubstr("it is not a name"));
  EXPECT_THAT(why(std::string(64, 'a')), HasSubstr("it is too long"));
  EXPECT_EQ(Read(PodWith({{"fluxnetes.account", "a b"}})).account, "");
}

TEST(GroupLabels, ElasticGroupSaysItsMinimumAndMaximum) {
  GroupLabels expected{"train", 2, "default", ""};
  expected.max_size = 8;
  EXPECT_EQ(Read(PodWith({{"fluxnetes.group-name", "train"},
                          {"fluxnetes.group-min-size", "2"},
                          {"fluxnetes.group-max-size", "8"}})),
            expected);
  EXPECT_EQ(Read(PodWith({{"fluxnetes.group-name", "train"},
                          {"fluxnetes.group-size", "2"},
                          {"fluxnetes.group-max-size", "8"}})),
            expected);
  // Named by its Job, also with a minimum of one.
  cluster::Pod pod = PodWith(
      {{"fluxnetes.group-min-size", "1"}, {"fluxnetes.group-max-size", "1"}});
  pod.controller = {"Job", "train", "uid"};
  expected.group_size = expected.max_size = 1;
  EXPECT_EQ(Read(pod), expected);
}

TEST(GroupLabels, SizesOfElasticGroupsThatMakeNoSenseAreRefused) {
  const auto why = [](std::map<std::string, std::string> labels) {
    labels["fluxnetes.group-name"] = "train";
    return WhyRefused(labels);
  };
  EXPECT_EQ(
      why({{"fluxnetes.group-min-size", "2"}}),
      "label fluxnetes.group-min-size is \"2\": the group has no maximum; "
      "it must be accompanied by the label fluxnetes.group-max-size");
  EXPECT_EQ(why({{"fluxnetes.group-min-size", "4"},
                 {"fluxnetes.group-max-size", "3"}}),
            "label fluxnetes.group-max-size is \"3\": the group starts with 4 "
            "pods; it must be as many or more");
  EXPECT_EQ(why({{"fluxnetes.group-size", "3"},
                 {"fluxnetes.group-min-size", "4"},
                 {"fluxnetes.group-max-size", "8"}}),
            "label fluxnetes.group-min-size is \"4\": the label "
            "fluxnetes.group-size is \"3\"; it must be the same, or alone");
  EXPECT_THAT(
      why({{"fluxnetes.group-min-size", "0"},
           {"fluxnetes.group-max-size", "8"}}),
      HasSubstr("label fluxnetes.group-min-size is \"0\": a group has"));
  EXPECT_THAT(
      why({{"fluxnetes.group-max-size", "many"}}),
      HasSubstr("label fluxnetes.group-max-size is \"many\": it is not"));
  EXPECT_EQ(WhyRefused({{"fluxnetes.group-max-size", "8"}}),
            "label fluxnetes.group-max-size is \"8\": the pod names no group; "
            "it must be accompanied by the label fluxnetes.group-name");
}

TEST(GroupLabels, RefusalOfAHugeValueIsShort) {
  const std::string huge(2 << 20, 'x');
  for (const char* label : {"fluxnetes.group-name", "fluxnetes.group-size",
                            "fluxnetes.queue", "fluxnetes.account"}) {
    const GroupLabels read = Read(PodWith({{label, huge}}));
    EXPECT_LT(read.refused.size(), 400u);
    EXPECT_LT(read.group_name.size(), 100u);
    EXPECT_EQ(read.queue, "default");
  }
}

TEST(GroupLabels, SizeWithoutANameIsRefusedUnlessItIsOne) {
  EXPECT_THAT(WhyRefused({{"fluxnetes.group-size", "3"}}),
              HasSubstr("the pod names no group; it must be accompanied by "
                        "the label fluxnetes.group-name"));
  EXPECT_EQ(WhyRefused({{"fluxnetes.group-size", "1"}}), "");
}

TEST(GroupLabels, FirstFaultIsNamed) {
  EXPECT_THAT(
      WhyRefused({{"fluxnetes.group-name", ""}, {"fluxnetes.group-size", "0"}}),
      HasSubstr("label fluxnetes.group-name"));
}

}  // namespace
}  // namespace fluxnetes::workers
