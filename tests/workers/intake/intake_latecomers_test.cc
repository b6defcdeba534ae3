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

TEST(FindVacancy, TakenOnesAreTakenNoMore) {
  std::vector vacancies{Left({}, 1), Left({}, 1)};
  vacancies[0].taken = true;
  EXPECT_EQ(FindVacancy(vacancies, PodOf({}, 1)), 1u);
  vacancies[1].taken = true;
  EXPECT_EQ(FindVacancy(vacancies, PodOf({}, 1)), std::nullopt);
}

}  // namespace
}  // namespace fluxnetes::workers
