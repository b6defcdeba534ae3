#include "workers/jobspecs/node_terms.h"

#include <gtest/gtest.h>

#include <string>

#include "matcher/jobspec/jobspec.h"
#include "workers/pods/pod_rules.h"

namespace fluxnetes::workers {
namespace {

matcher::Constraint ConstraintOf(const std::string& yaml) {
  return matcher::ParseJobspec(
             "version: 1\nresources: [{type: node, count: 1}]\ntasks: []\n"
             "attributes: {system: {constraints: " +
             yaml + "}}\n")
      .constraint;
}

// "key In [a b], ... | ...".
std::string TermsText(const std::string& yaml) {
  std::string text;
  try {
    for (const auto& term : TermsOf(ConstraintOf(yaml))) {
      if (!text.empty()) text += " | ";
      for (std::size_t i = 0; i < term.size(); ++i) {
        text += (i > 0 ? ", " : "") + term[i].key + " " + term[i].op;
        for (const std::string& value : term[i].values) text += " " + value;
      }
    }
  } catch (const matcher::JobspecError& error) {
    return error.what();
  }
  return text;
}

TEST(NodeTerms, PropertiesAreLabels) {
  EXPECT_EQ(TermsText(R"({properties: ["ssd", "^slow"]})"),
            "fluxnetes.property/ssd Exists, fluxnetes.property/slow "
            "DoesNotExist");
  EXPECT_EQ(TermsText(R"({properties: ["example.com/ssd"]})"),
            "example.com/ssd Exists");
  EXPECT_EQ(TermsText(R"({properties: ["arch=amd64", "^zone=a"]})"),
            "arch In amd64, zone NotIn a");
  EXPECT_EQ(TermsText(R"({properties: ["a b"]})"),
            "attributes.system.constraints: the property \"a b\" is no label "
            "of a node; a name, the key of a label, or KEY=VALUE is right");
}

TEST(NodeTerms, HostsAreNamesAndRanksAreLogicalIds) {
  EXPECT_EQ(TermsText(R"({hostlist: ["node[1-3]", "login"]})"),
            "metadata.name In node1 node2 node3 login");
  EXPECT_EQ(TermsText(R"({not: [{hostlist: ["node1"]}]})"),
            "metadata.name NotIn node1");
  EXPECT_EQ(TermsText(R"({ranks: ["0-2,7"]})"),
            "fluxnetes.logical-id In 0 1 2 7");
  EXPECT_EQ(TermsText(R"({hostlist: ["node[1-5000]"]})"),
            "attributes.system.constraints: names more than 1000 nodes; a "
            "property of these nodes says the same");
}

TEST(NodeTerms, OperatorsBecomeTermsOfWhichOneHolds) {
  EXPECT_EQ(TermsText(R"({or: [{properties: ["a/x"]}, {ranks: ["1"]}]})"),
            "a/x Exists | fluxnetes.logical-id In 1");
  EXPECT_EQ(TermsText(R"({not: [{properties: ["a/x", "^a/y"]}]})"),
            "a/x DoesNotExist | a/y Exists");
  EXPECT_EQ(TermsText(R"({not: [{or: [{ranks: ["1"]}, {ranks: ["2"]}]}]})"),
            "fluxnetes.logical-id NotIn 1, fluxnetes.logical-id NotIn 2");
  EXPECT_EQ(TermsText(R"({and: [{or: [{ranks: ["1"]}, {ranks: ["2"]}]},
                               {or: [{ranks: ["3"]}, {ranks: ["4"]}]}]})"),
            "fluxnetes.logical-id In 1, fluxnetes.logical-id In 3 | "
            "fluxnetes.logical-id In 1, fluxnetes.logical-id In 4 | "
            "fluxnetes.logical-id In 2, fluxnetes.logical-id In 3 | "
            "fluxnetes.logical-id In 2, fluxnetes.logical-id In 4");
}

TEST(NodeTerms, WhatHoldsEverywhereIsNoTermAndNowhereIsRefused) {
  EXPECT_EQ(TermsText("{}"), "");
  EXPECT_EQ(TermsText("{and: []}"), "");
  EXPECT_EQ(TermsText(R"({or: [{and: []}, {ranks: ["1"]}]})"), "");
  EXPECT_EQ(TermsText("{or: []}"),
            "attributes.system.constraints: holds on no node");
}

TEST(NodeTerms, AreLimited) {
  std::string any = "{or: [";
  for (int i = 0; i < 11; ++i)
    any += (i > 0 ? ", " : "") + std::string("{ranks: [\"1\"]}");
  any += "]}";
  EXPECT_EQ(TermsText("{and: [" + any + ", " + any + "]}"),
            "attributes.system.constraints: makes 121 terms; at most 100 are "
            "right");
}

TEST(NodeTerms, LogicalIdIsTheNumberAtTheEndOfTheName) {
  cluster::PodRequest request;
  request.node_affinity = TermsOf(ConstraintOf(R"({ranks: ["0-2"]})"));
  cluster::Node node;
  const auto suits = [&](const char* name) {
    node.name = name;
    return Suits(node, request);
  };
  EXPECT_TRUE(suits("node-002"));
  EXPECT_TRUE(suits("0"));
  EXPECT_FALSE(suits("node-3"));
  EXPECT_FALSE(suits("login"));
  request.node_affinity = TermsOf(ConstraintOf(R"({not: [{ranks: ["0-2"]}]})"));
  EXPECT_FALSE(suits("node-2"));
  EXPECT_TRUE(suits("node-3"));
  EXPECT_TRUE(suits("login"));
}

}  // namespace
}  // namespace fluxnetes::workers
