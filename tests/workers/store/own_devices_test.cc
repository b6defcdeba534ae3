#include "workers/store/own_devices.h"

#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

std::string Held(const std::string& driver, const std::string& device,
                 const std::string& more = "") {
  return R"({"claim":"c","request":"r","driver":")" + driver +
         R"(","pool":"node0","device":")" + device + "\"" + more + "}";
}

TEST(OwnDevices, CountByDriverWithoutAdminAccess) {
  EXPECT_EQ(
      OwnDevices("[" + Held("gpu.example.com", "gpu-0") + "," +
                 Held("gpu.example.com", "gpu-1") + "," +
                 Held("nic.example.com", "eth-0") + "," +
                 Held("nic.example.com", "eth-1", R"(,"admin":true)") + "]"),
      R"({"gpu.example.com":2,"nic.example.com":1})");
}

TEST(OwnDevices, SharedOnesMustBeCompared) {
  EXPECT_EQ(OwnDevices(""), std::nullopt);
  const std::string own = "[" + Held("gpu.example.com", "gpu-0") + ",";
  EXPECT_EQ(OwnDevices(own +
                       Held("gpu.example.com", "gpu-1",
                            R"(,"shared":"default/team")") +
                       "]"),
            std::nullopt);
  EXPECT_EQ(
      OwnDevices(own +
                 Held("gpu.example.com", "gpu-1",
                      R"(,"share":"aaaaaaaa-0000-4000-8000-000000000000")") +
                 "]"),
      std::nullopt);
}

}  // namespace
}  // namespace fluxnetes::workers
