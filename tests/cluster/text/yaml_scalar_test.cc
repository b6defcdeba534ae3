#include "cluster/text/yaml_scalar.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

struct Typed {
  const char* text;
  const char* json;
};

// What kubectl's library (sigs.k8s.io/yaml 1.6.0) makes of each.
constexpr std::array kTyped = std::to_array<Typed>({
    {"0400", R"(256)"},
    {"0600", R"(384)"},
    {"0o400", R"(256)"},
    {"0O17", R"(15)"},
    {"007", R"(7)"},
    {"-07", R"(-7)"},
    {"00", R"(0)"},
    {"08", R"(8)"},
    {"0_8", R"(8)"},
    {"0o8", R"("0o8")"},
    {"0b101", R"(5)"},
    {"0B11", R"(3)"},
    {"-0b11", R"(-3)"},
    {"0b2", R"("0b2")"},
    {"0b", R"("0b")"},
    {"0x1F", R"(31)"},
    {"0X1f", R"(31)"},
    {"-0x1F", R"(-31)"},
    {"0x", R"("0x")"},
    {"0x1p-2", R"("0x1p-2")"},
    {"1_000", R"(1000)"},
    {"1__0", R"(10)"},
    {"1_", R"(1)"},
    {"_1", R"("_1")"},
    {"+_1", R"(1)"},
    {"1_0.5", R"(10.5)"},
    {".5_0", R"(0.5)"},
    {".5_", R"(".5_")"},
    {"._5", R"("._5")"},
    {"+12", R"(12)"},
    {"+-5", R"("+-5")"},
    {"-0.0", R"(0)"},
    {"1.0", R"(1)"},
    {"1.", R"(1)"},
    {"09.5", R"(9.5)"},
    {".5", R"(0.5)"},
    {"-.5", R"(-0.5)"},
    {"+.5", R"(0.5)"},
    {"1e3", R"(1000)"},
    {"1.5E3", R"(1500)"},
    {"1e-3", R"(0.001)"},
    {"1e20", R"(1e20)"},
    {"4e-400", R"(0)"},
    {"1e400", R"("1e400")"},
    {"1e", R"("1e")"},
    {"1e+", R"("1e+")"},
    {".e5", R"(".e5")"},
    {".", R"(".")"},
    {"-", R"("-")"},
    {"+", R"("+")"},
    {"--", R"("--")"},
    {"18446744073709551615", R"(18446744073709551615)"},
    {"18446744073709551616", R"(18446744073709551616.0)"},
    {"-9223372036854775808", R"(-9223372036854775808)"},
    {"-9223372036854775809", R"(-9223372036854775809.0)"},
    {"0xFFFFFFFFFFFFFFFF", R"(18446744073709551615)"},
    {"0xFFFFFFFFFFFFFFFFF", R"("0xFFFFFFFFFFFFFFFFF")"},
    {"y", R"(true)"},
    {"Y", R"(true)"},
    {"yes", R"(true)"},
    {"Yes", R"(true)"},
    {"on", R"(true)"},
    {"ON", R"(true)"},
    {"True", R"(true)"},
    {"n", R"(false)"},
    {"no", R"(false)"},
    {"No", R"(false)"},
    {"off", R"(false)"},
    {"OFF", R"(false)"},
    {"FALSE", R"(false)"},
    {"yEs", R"("yEs")"},
    {"tRUE", R"("tRUE")"},
    {"", R"(null)"},
    {"~", R"(null)"},
    {"Null", R"(null)"},
    {"nULL", R"("nULL")"},
    {"12:30", R"("12:30")"},
    {"190:20:30", R"("190:20:30")"},
    {"2001-01-01", R"("2001-01-01")"},
    {"1,000", R"("1,000")"},
    {"4Gi", R"("4Gi")"},
    {"12m", R"("12m")"},
    {"1.2.3", R"("1.2.3")"},
    {"inf", R"("inf")"},
    {"=", R"("=")"},
});

TEST(YamlScalar, IsTypedAsKubectlTypesIt) {
  for (const Typed& each : kTyped) {
    const Json read = KubernetesScalar(each.text);
    const Json right = Json::parse(each.json);
    EXPECT_EQ(read, right) << each.text;
    EXPECT_EQ(read.is_number_float(), right.is_number_float()) << each.text;
  }
}

TEST(YamlScalar, InfinityIsANumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(KubernetesScalar(".inf").get<double>(), infinity);
  EXPECT_EQ(KubernetesScalar("+.Inf").get<double>(), infinity);
  EXPECT_EQ(KubernetesScalar("-.INF").get<double>(), -infinity);
  EXPECT_TRUE(std::isnan(KubernetesScalar(".NaN").get<double>()));
  EXPECT_EQ(KubernetesScalar("+-.inf"), Json("+-.inf"));
}

TEST(YamlScalar, IsTypedByTheCoreSchemaForFilesOfOurOwn) {
  EXPECT_EQ(CoreScalar("0400"), Json(400));
  EXPECT_EQ(CoreScalar("0o17"), Json(15));
  EXPECT_EQ(CoreScalar("0x1F"), Json(31));
  EXPECT_EQ(CoreScalar("-2e3"), Json(-2000.0));
  for (const char* const text :
       {"yes", "on", "1_000", ".inf", "-", "1e", "0x", "12m"}) {
    EXPECT_EQ(CoreScalar(text), Json(text));
  }
}

}  // namespace
}  // namespace fluxnetes::cluster
