#include "services/grpc/grpc_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "services/feed/group_requests.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

std::string WhyNot(const std::string& text) {
  try {
    const GrpcAccess access(text, "access.yaml");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(GrpcAccess, FileWithWhatCannotBeIsRefusedWithThePlace) {
  EXPECT_EQ(WhyNot("- {name: a, role: operator}\n"
                   "- {name: b, role: user, namespaces: [x]}\n"),
            "");
  EXPECT_EQ(WhyNot("- {name: a, role: king}"),
            "access.yaml:1: entry 1: 'king' is no role; right would be viewer, "
            "user or operator");
  EXPECT_THAT(WhyNot("- {name: a, role: viewer}\n- {name: a, role: viewer}"),
              HasSubstr("entry 2: a is there twice"));
  EXPECT_THAT(WhyNot("- {name: a, role: user}"),
              HasSubstr("needs one or more"));
  EXPECT_THAT(WhyNot("- {name: a, role: viewer, namespaces: [x]}"),
              HasSubstr("namespaces are for a user"));
  EXPECT_THAT(WhyNot("- {role: viewer}"),
              HasSubstr("name or group is missing"));
  EXPECT_THAT(WhyNot("- {name: a, rolle: viewer}"),
              HasSubstr("rolle is no key"));
  EXPECT_THAT(WhyNot("{name: a}"), HasSubstr("no list"));
  EXPECT_THAT(WhyNot("- {name: [a], role: viewer}"),
              HasSubstr("right would be name or group, role"));
}

TEST(GrpcAccess, NameAndGroupsGiveTheHighestRoleAndAllNamespaces) {
  const GrpcAccess access(
      "- {name: anna, role: user, namespaces: [a]}\n"
      "- {group: anna, role: operator}\n"
      "- {group: train, role: user, namespaces: [b]}\n"
      "- {group: admins, role: operator}\n",
      "access.yaml");
  EXPECT_EQ(access.RightsOf("otto", {}).role, Role::kViewer);
  const Principal anna = access.RightsOf("anna", {"train", "other"});
  EXPECT_EQ(anna.role, Role::kUser);
  EXPECT_EQ(anna.name, "anna");
  EXPECT_EQ(anna.namespaces, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(access.RightsOf("anna", {"admins"}).role, Role::kOperator);
  EXPECT_THAT(WhyNot("- {name: a, group: b, role: viewer}"),
              HasSubstr("name and group are both there"));
}

TEST(GroupRequests, PageTokenIsReadAsItIsWritten) {
  GroupRow row;
  row.id = 7;
  EXPECT_EQ(GroupPlace::Of(GroupPlace::Behind(row).Token()),
            GroupPlace::Behind(row));
  row = {};
  row.namespace_name = "a";
  row.name = "b/c";
  EXPECT_EQ(GroupPlace::Of(GroupPlace::Behind(row).Token()),
            GroupPlace::Behind(row));
  for (const char* token : {"g", "g/", "g/x", "g/-1", "x/1", "r/a", "/"})
    EXPECT_THROW(GroupPlace::Of(token), GrpcRefusal) << token;
}

}  // namespace
}  // namespace fluxnetes::services
