#include "services/config/log.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "services/console/secret.h"

namespace fluxnetes::services {
namespace {

std::string Logged(LogFormat format, auto write,
                   LogLevel level = LogLevel::kInfo) {
  std::ostringstream out;
  const Log log({.level = level, .format = format, .out = &out});
  write(log);
  return out.str();
}

TEST(Log, JsonLineHasTheFieldsWithTheirTypes) {
  const std::string line = Logged(LogFormat::kJson, [](const Log& log) {
    log.Info("group allocated",
             {{"group", "a/train"}, {"pods", 8}, {"ms", 3.5}, {"first", true}});
  });
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["level"], "info");
  EXPECT_EQ(json["message"], "group allocated");
  EXPECT_EQ(json["group"], "a/train");
  EXPECT_EQ(json["pods"], 8);
  EXPECT_EQ(json["ms"], 3.5);
  EXPECT_EQ(json["first"], true);
  EXPECT_TRUE(json["time"].get<std::string>().ends_with("Z"));
}

TEST(Log, TextQuotesWhatHasBlanks) {
  const std::string line = Logged(LogFormat::kText, [](const Log& log) {
    log.Warn("node lost", {{"node", "n1"}, {"why", "not ready"}, {"n", 2}});
  });
  EXPECT_NE(line.find("node lost  node=n1 why=\"not ready\" n=2\n"),
            std::string::npos)
      << line;
}

TEST(Log, WhatAUserWroteIsNeverALineOfItsOwn) {
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    const std::string line = Logged(format, [](const Log& log) {
      log.Info("pod\nrefused", {{"label", "x\n{\"level\":\"error\"}\x1b[2J"}});
    });
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
    EXPECT_EQ(line.find('\x1b'), std::string::npos);
  }
}

TEST(Log, BytesThatAreNoUtf8AreReplaced) {
  const std::string line = Logged(LogFormat::kJson, [](const Log& log) {
    log.Info("odd", {{"label", "a\xff\xfe"}});
  });
  EXPECT_TRUE(nlohmann::json::accept(line)) << line;
}

TEST(Log, LowerLevelsAreNotWritten) {
  const auto write = [](const Log& log) {
    log.Debug("d");
    log.Info("i");
    log.Error("e");
  };
  const std::string lines = Logged(LogFormat::kText, write, LogLevel::kWarn);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1) << lines;
}

// Returns what standard error shows on a terminal.
std::string Shown() {
  int terminal = -1;
  int program = -1;
  if (openpty(&terminal, &program, nullptr, nullptr, nullptr) != 0) return "?";
  const int kept = dup(STDERR_FILENO);
  dup2(program, STDERR_FILENO);
  Log({}).Info("hello");
  dup2(kept, STDERR_FILENO);
  close(kept);
  // The output comes in pieces.
  std::string shown;
  for (char c = 0; c != '\n' && read(terminal, &c, 1) == 1;) shown += c;
  close(program);
  close(terminal);
  return shown;
}

TEST(Log, TerminalGetsTextInColourUnlessNoColorIsSet) {
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  EXPECT_NE(Shown().find("\x1b["), std::string::npos);
  setenv("NO_COLOR", "1", 1);
  const std::string plain = Shown();
  unsetenv("NO_COLOR");
  EXPECT_EQ(plain.find("\x1b["), std::string::npos) << plain;
  EXPECT_TRUE(plain.ends_with("info    hello\r\n")) << plain;
}

TEST(Log, PasswordsAreMasked) {
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    const std::string line = Logged(format, [](const Log& log) {
      log.Error("no connection to postgresql://u:geheim@h/db",
                {{"connection", "host=h password=geheim"}});
    });
    EXPECT_EQ(line.find("geheim"), std::string::npos) << line;
  }
}

TEST(Secret, EveryFormOfAPasswordIsMasked) {
  EXPECT_EQ(MaskPasswords("host=h password=p user=u"),
            "host=h password=*** user=u");
  EXPECT_EQ(MaskPasswords("password = 'a b\\' c' host=h"),
            "password = *** host=h");
  EXPECT_EQ(MaskPasswords("PASSWORD=x"), "PASSWORD=***");
  EXPECT_EQ(MaskPasswords("sslpassword=x host=h"), "sslpassword=*** host=h");
  EXPECT_EQ(MaskPasswords("postgresql://u:p@h:5432/db"),
            "postgresql://u:***@h:5432/db");
  EXPECT_EQ(MaskPasswords("postgres://u:p@q@h/db?password=z&user=v"),
            "postgres://u:***@h/db?password=***&user=v");
  EXPECT_EQ(MaskPasswords("postgresql://h:5432/db"), "postgresql://h:5432/db");
  EXPECT_EQ(MaskPasswords("host=h user=u"), "host=h user=u");
  EXPECT_EQ(MaskPasswords("password='unclosed"), "password=***");
  EXPECT_EQ(MaskPasswords("password=x\\"), "password=***");
}

}  // namespace
}  // namespace fluxnetes::services
