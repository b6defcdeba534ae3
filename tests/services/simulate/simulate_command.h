// `fluxnetes simulate` with a folder for its input and output.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "services/simulate/simulate.h"
#include "tests/services/support/command_run.h"

namespace fluxnetes::services {

class SimulateCommand : public ::testing::Test {
 protected:
  SimulateCommand() {
    char name[] = "/tmp/fluxnetes-simulate-XXXXXX";
    directory_ = mkdtemp(name);
    run_.OnWait([] { return false; });
  }
  ~SimulateCommand() override { std::filesystem::remove_all(directory_); }

  std::string Path(const std::string& name) const {
    return directory_ + "/" + name;
  }
  std::string FileWith(const std::string& name, const std::string& text) {
    std::ofstream(Path(name)) << text;
    return Path(name);
  }
  std::string Read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(Path(name)).rdbuf();
    return text.str();
  }
  nlohmann::json RunToJson(const std::string& arguments) {
    EXPECT_EQ(run_("simulate -o json " + arguments), ExitCode::kOk)
        << run_.err();
    return nlohmann::json::parse(run_.out());
  }
  std::vector<std::string> Rows() const {
    std::vector<std::string> rows;
    std::istringstream lines(Read("rows.csv"));
    for (std::string line; std::getline(lines, line);) rows.push_back(line);
    return rows;
  }

  std::string directory_;
  CommandRun run_;
};

}  // namespace fluxnetes::services
