#include "workers/intake/intake_latecomers.h"

#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

cluster::PodRequest Cpu(std::int64_t milli) {
  cluster::PodRequest request;
  request.resources.cpu_milli = milli;
  return request;
}

Vacancy Left(std::optional<int> index, std::int64_t cpu) {
  return {"uid", index, Cpu(cpu), std::nullopt, false};
}

cluster::Pod PodOf(std::optional<int> index, std::int64_t cpu) {
  cluster::Pod pod;
  pod.completion_index = index;
  pod.request = Cpu(cpu);
  return pod;
}

TEST(FindVacancy, PodWithAnIndexTakesThatOfTheSameIndex) {
  const std::vector vacancies{Left(3, 1), Left(1, 2), Left(2, 1)};
  EXPECT_EQ(FindVacancy(vacancies, PodOf(2, 1)), 2u);
  EXPECT_EQ(FindVacancy(vacancies, PodOf(1, 1)), 1u);
  EXPECT_EQ(FindVacancy(vacancies, PodOf(0, 1)), std::nullopt);
}

TEST(FindVacancy, PodWithoutAnIndexTakesTheFirstOfEqualRequest) {
  const std::vector vacancies{Left({}, 2), Left({}, 1), Left({}, 1)};
  EXPECT_EQ(FindVacancy(vacancies, PodOf({}, 1)), 1u);
  EXPECT_EQ(FindVacancy(vacancies, PodOf({}, 3)), std::nullopt);
  EXPECT_EQ(FindVacancy(vacancies, PodOf(0, 2)), std::nullopt);
}

TEST(FindVacancy, TheVacancyOfItsOwnNameComesFirst) {
  std::vector vacancies{Left({}, 1), Left({}, 1)};
  vacancies[0].pod_name = "web-0";
  vacancies[1].pod_name = "web-1";
  cluster::Pod pod = PodOf({}, 1);
  pod.name = "web-1";
  EXPECT_EQ(FindVacancy(vacancies, pod), 1u);
  pod.request = Cpu(2);
  EXPECT_EQ(FindVacancy(vacancies, pod), std::nullopt);
}

TEST(FindFreeVacancy, NameThenShapeOfMembersWithTheSameKindOfController) {
  std::vector vacancies{Left({}, 1), Left({}, 1), Left({}, 2)};
  vacancies[0].owner_kind = "Task";
  vacancies[1].pod_name = "a";
  vacancies[2].pod_name = "b";
  vacancies[2].succeeded = true;
  cluster::Pod pod = PodOf({}, 1);
  pod.name = "c";
  EXPECT_EQ(FindFreeVacancy(vacancies, pod), 1u);
  pod.name = "b";
  EXPECT_EQ(FindFreeVacancy(vacancies, pod), 2u);
  pod.name = "c";
  pod.request = Cpu(2);
  EXPECT_EQ(FindFreeVacancy(vacancies, pod), std::nullopt);
  pod.request = Cpu(1);
  pod.controller = cluster::Owner{"Task", "t", "uid"};
  EXPECT_EQ(FindFreeVacancy(vacancies, pod), 0u);
}

TEST(FindVacancy, TakenOnesAreTakenNoMore) {
  std::vector vacancies{Left({}, 1), Left({}, 1)};
  vacancies[0].taken = true;
  EXPECT_EQ(FindVacancy(vacancies, PodOf({}, 1)), 1u);
  vacancies[1].taken = true;
  EXPECT_EQ(FindVacancy(vacancies, PodOf({}, 1)), std::nullopt);
}

}  // namespace
}  // namespace fluxnetes::workers
