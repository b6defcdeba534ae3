// The scheduler is killed at each step of a Match of the Fluence-compatible
// services. The next process knows the decision, and a caller that asks again
// gets no second allocation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <map>

#include "fluence/fluxion.grpc.pb.h"
#include "tests/services/support/deployment.h"
#include "tests/services/support/failpoints.h"
#include "tests/services/support/grpc_client.h"
#include "tests/support/postgres.h"

namespace fluxnetes::services {
namespace {

using std::chrono::seconds;
using testing::WaitUntil;

class MatchKilledAt : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<testing::Process> Serve(const std::string& failpoint = "") {
    std::map<std::string, std::string> environment = {
        {"FLUXNETES_GRPC_LISTEN", socket_}};
    if (!failpoint.empty()) environment["FLUXNETES_FAILPOINT"] = failpoint;
    return world_.Serve(environment);
  }

  // Takes all of the four nodes with 4 cpu each.
  grpc::Status Match(fluxion::MatchResponse* response,
                     seconds patience = kPatience) {
    fluxion::MatchRequest request;
    request.set_jobname("train");
    request.set_count(8);
    request.mutable_podspec()->set_cpu(2);
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    context.set_deadline(std::chrono::system_clock::now() + patience);
    return fluxion::FluxionService::NewStub(PlainChannel(socket_))
        ->Match(&context, request, response);
  }

  testing::TestDatabase database_;
  Deployment world_{database_.options()};
  const std::string socket_ = "unix:" + world_.folder() + "/grpc";
};

TEST_P(MatchKilledAt, HoldsItsNodesOnce) {
#ifndef FLUXNETES_FAULTS
  GTEST_SKIP() << "needs a build with FLUXNETES_FAULTS=ON";
#endif
  auto serve = Serve(GetParam());
  fluxion::MatchResponse response;
  const bool answered = Match(&response, seconds(30)).ok();
  // The commit tells the caller, who may be faster than the kill.
  EXPECT_TRUE(!answered || GetParam() == "match-committed");
  ASSERT_EQ(serve->WaitForEnd(seconds(60)), -SIGKILL) << world_.Log();
  serve = Serve();
  const grpc::Status status = Match(&response);
  ASSERT_TRUE(status.ok()) << status.error_message() << world_.Log();
  EXPECT_TRUE(response.allocated()) << world_.Log();
  EXPECT_EQ(response.nodelist_size(), 4);
  EXPECT_EQ(world_.Ask("SELECT count(*) || ' of ' || count(DISTINCT "
                       "fluxion_job) FROM placements"),
            "8 of 1");

  fluxion::CancelRequest cancel;
  fluxion::CancelResponse cancelled;
  cancel.set_fluxid(response.fluxid());
  grpc::ClientContext context;
  SetPatience(context);
  EXPECT_TRUE(fluxion::FluxionService::NewStub(PlainChannel(socket_))
                  ->Cancel(&context, cancel, &cancelled)
                  .ok());
  EXPECT_TRUE(WaitUntil(kPatience, [this] {
    return world_.Ask("SELECT count(*) FROM pod_groups") == "0";
  })) << world_.Log();
  EXPECT_EQ(world_.Ask("SELECT count(*) FROM jobs"), "0");
}

std::vector<std::string> OnTheWay() {
  std::vector<std::string> all = FluenceFailpoints();
  all.insert(all.end(), {"match-leased", "match-decided", "match-committed"});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Failpoints, MatchKilledAt,
                         ::testing::ValuesIn(OnTheWay()),
                         [](const auto& instance) {
                           return TestNameOf(instance.param);
                         });

}  // namespace
}  // namespace fluxnetes::services
