#include "services/http/listening_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

std::string Path(const std::string& name) {
  std::string path = ::testing::TempDir() + "listening_" + name + ".sock";
  std::filesystem::remove(path);
  return path;
}

std::string WhyNot(const std::string& address) {
  try {
    const ListeningSocket socket(address);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "it listens";
}

TEST(ListeningSocket, FileIsForItsOwnerOnlyAndGoesWithIt) {
  const std::string path = Path("mode");
  {
    const ListeningSocket socket("unix:" + path);
    struct stat made {};
    ASSERT_EQ(stat(path.c_str(), &made), 0);
    EXPECT_EQ(made.st_mode & 07777U, 0600U);
    EXPECT_EQ(socket.address(), "unix:" + path);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ListeningSocket, LeavesALiveServerAlone) {
  const std::string path = Path("live");
  const ListeningSocket first("unix:" + path);
  EXPECT_THAT(WhyNot("unix:" + path), HasSubstr("another server"));
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(ListeningSocket, ReplacesASocketThatNobodyServes) {
  const std::string path = Path("stale");
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)),
            0);
  close(fd);
  EXPECT_EQ(WhyNot("unix:" + path), "it listens");
}

TEST(ListeningSocket, DoesNotReplaceAFileOfAnotherKind) {
  const std::string path = Path("file");
  std::ofstream(path) << "precious";
  EXPECT_THAT(WhyNot("unix:" + path), HasSubstr("not a socket"));
  EXPECT_TRUE(std::filesystem::exists(path));
  std::filesystem::remove(path);
}

TEST(ListeningSocket, DoesNotRemoveAnothersFile) {
  const std::string path = Path("moved");
  {
    const ListeningSocket socket("unix:" + path);
    std::filesystem::remove(path);
    std::ofstream(path) << "precious";
  }
  EXPECT_TRUE(std::filesystem::exists(path));
  std::filesystem::remove(path);
}

TEST(ListeningSocket, TakesAFreePort) {
  const ListeningSocket socket("127.0.0.1:0");
  EXPECT_THAT(socket.address(), ::testing::StartsWith("http://127.0.0.1:"));
  EXPECT_THAT(socket.address(), ::testing::Not(::testing::EndsWith(":0")));
  EXPECT_THAT(WhyNot(socket.address()), HasSubstr("in use"));
}

TEST(ListeningSocket, ListensForThisMachineOnly) {
  for (const char* address :
       {"0.0.0.0:0", "192.168.1.1:80", "[::]:0", ":80", "example.org:80"}) {
    EXPECT_THAT(WhyNot(address), HasSubstr("loopback")) << address;
  }
}

TEST(ListeningSocket, SaysWhatIsWrongWithAnAddress) {
  EXPECT_THAT(WhyNot(""), HasSubstr("expected unix:PATH or 127.0.0.1:PORT"));
  EXPECT_THAT(WhyNot("8080"), HasSubstr("expected unix:PATH"));
  EXPECT_THAT(WhyNot("unix:"), HasSubstr("path is missing"));
  EXPECT_THAT(WhyNot("unix:" + std::string(200, 'x')), HasSubstr("longer"));
  EXPECT_THAT(WhyNot("127.0.0.1:99999"), HasSubstr("port"));
  EXPECT_THAT(WhyNot("127.0.0.1:x"), HasSubstr("port"));
  EXPECT_THAT(WhyNot("unix:/nonexistent/x.sock"), HasSubstr("No such file"));
}

}  // namespace
}  // namespace fluxnetes::services
