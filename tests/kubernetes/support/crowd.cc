#include "tests/kubernetes/support/crowd.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>

#include "cluster/text/yaml_document.h"
#include "tests/invariants/invariants.h"
#include "tests/kubernetes/support/kube_scene.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr int kMostGangs = 8;   // that arrive at once, pod by pod
constexpr int kMostPods = 150;  // that have not ended when more are made
constexpr int kNodes = 8;
// So long nothing may move, and what does not agree may be under way.
constexpr seconds kStandstill{120};

}  // namespace

unsigned CrowdOnKubernetes::Seed() {
  const char* given = std::getenv("FLUXNETES_TEST_SEED");
  return given == nullptr ? 1 : std::stoul(given);
}

void CrowdOnKubernetes::SetUp() {
  OnKubernetes::SetUp();
  if (IsSkipped() || HasFatalFailure()) return;
  journal_ = JournalOf(kNodes);
}

void CrowdOnKubernetes::TearDown() {
  OnKubernetes::TearDown();
  journal_.reset();
}

// Their pods come in any order.
void CrowdOnKubernetes::SubmitSome(int gangs) {
  std::vector<cluster::HttpRequest> requests;
  for (; gangs > 0; --gangs) {
    const auto name = fmt::format("g{}", ++made_);
    const int size = 1 + static_cast<int>(random_() % 8);
    pods_ += size;
    const Shape shape{
        .cpu = 1 + static_cast<int>(random_() % 2),
        .seconds = fmt::format("{:.1f}", 0.1 * (1 + random_() % 10))};
    for (int i = 0; i < size; ++i) {
      cluster::ReadYaml(
          BarePod(fmt::format("{}-{}", name, i), name, size, shape), "pod",
          [&](const Json& pod, int) {
            requests.push_back(
                {.method = "POST", .path = Path("pods"), .body = pod.dump()});
          });
    }
  }
  std::ranges::shuffle(requests, random_);
  for (const auto& answer : plane().api().SendAll(std::move(requests)))
    EXPECT_TRUE(answer.Succeeded() || answer.status == 409)
        << answer.error << answer.body;
}

// What does not hold may be under way; what still does not after a while is
// wrong.
void CrowdOnKubernetes::CheckInvariants() {
  KubeScene scene(plane().api(), database_->pool(), bound_by_others_);
  std::map<std::string, SteadyTime> wrong;
  const auto now = steady_clock::now();
  for (const std::string& violation : Invariants({}).Check(scene)) {
    const auto known = wrong_since_.find(violation);
    const auto since = known == wrong_since_.end() ? now : known->second;
    wrong[violation] = since;
    if (now - since > kStandstill) ADD_FAILURE() << violation;
  }
  wrong_since_ = std::move(wrong);
}

// The pods of gangs that are over, as somebody does on any cluster.
void CrowdOnKubernetes::ClearAway() {
  const std::string over =
      Ask("SELECT coalesce(string_agg(group_name, ','), '') FROM "
          "group_history WHERE group_name <> ALL('{" +
          fmt::format("{}", fmt::join(cleared_, ",")) + "}')");
  if (over.empty()) return;
  cleared_.push_back(over);
  Send("DELETE", Path("pods") + "?labelSelector=fluxnetes.group-name%20in%20(" +
                     over + ")");
}

void CrowdOnKubernetes::Rest() {
  for (int i = 0; i < 40; ++i) PauseBetweenLooks();
}

void CrowdOnKubernetes::RunAll(int gangs,
                               const std::function<bool()>& between) {
  int ended = 0;
  bool done = false;
  auto moved_at = steady_clock::now();
  while (!done || made_ < gangs || ended < pods_) {
    const PodJournal::Sum sum = journal_->Look();
    if (sum.ended > ended) moved_at = steady_clock::now();
    ended = sum.ended;
    const int wanted = std::max(gangs - made_, done ? 0 : 1);
    if (wanted > 0 && pods_ - ended < kMostPods)
      SubmitSome(std::min<int>(wanted, 1 + random_() % kMostGangs));
    ClearAway();
    CheckInvariants();
    ASSERT_FALSE(HasFailure());
    ASSERT_THAT(sum.violations, ::testing::IsEmpty());
    ASSERT_LT(steady_clock::now() - moved_at, kStandstill)
        << "nothing moves; " << pods_ - ended << " pods have not ended, "
        << fmt::format("bound in part: {}", fmt::join(sum.in_part, ", "));
    done = between();
  }
}

void CrowdOnKubernetes::ExpectAllRanOnce() {
  EXPECT_TRUE(Comes([&] { return Leftovers().empty(); })) << Leftovers();
  const PodJournal::Sum sum = journal_->Look();
  EXPECT_THAT(sum.violations, ::testing::IsEmpty());
  EXPECT_EQ(sum.made, pods_);
  EXPECT_EQ(sum.bound, pods_);
  EXPECT_EQ(sum.whole, made_);
  EXPECT_THAT(sum.in_part, ::testing::IsEmpty());
  EXPECT_EQ(Ask("SELECT count(*) || ' of ' || count(DISTINCT group_name) FROM "
                "group_history WHERE result = 'succeeded'"),
            fmt::format("{0} of {0}", made_));
  EXPECT_EQ(Ask("SELECT count(*) FROM jobs_finished WHERE state = 'discarded'"),
            "0");
  EXPECT_EQ(Differences(), "");
  RecordProperty("seed", static_cast<int>(Seed()));
  RecordProperty("longest_burst_milliseconds",
                 static_cast<int>(sum.longest_burst.count()));
}

}  // namespace fluxnetes::testing
