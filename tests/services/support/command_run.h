// Runs `fluxnetes` in the test's process, with strings as its streams and its
// own environment.
//
//   CommandRun run(Environment{{"FLUXNETES_DATABASE", connection}});
//   EXPECT_EQ(run("get groups"), ExitCode::kOk);
//   EXPECT_EQ(run.out(), "...");
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "services/cli.h"

namespace fluxnetes::services {

using Environment = std::map<std::string, std::string>;

class CommandRun {
 public:
  explicit CommandRun(Environment environment = {})
      : environment_(std::move(environment)) {}

  // Splits `arguments` at blanks and appends `more` unchanged.
  ExitCode operator()(const std::string& arguments,
                      const std::vector<std::string>& more = {}) {
    std::vector<std::string> words;
    std::istringstream in(arguments);
    for (std::string word; in >> word;) words.push_back(word);
    words.insert(words.end(), more.begin(), more.end());
    out_.str("");
    out_.clear(full_ ? std::ios::badbit : std::ios::goodbit);
    err_.str("");
    std::istringstream input(input_);
    Console console{
        .in = input,
        .out = out_,
        .err = err_,
        .terminal = terminal_,
        .colour = false,
        .size = [this] { return size_; },
        .now = [this] { return now_; },
        .environment = [this](const char* name) -> const char* {
          const auto found = environment_.find(name);
          return found == environment_.end() ? nullptr : found->second.c_str();
        },
        .wait = [this](auto) { return wait_(); }};
    return RunCommandLine(words, console, program_);
  }

  std::string out() const { return out_.str(); }
  std::string err() const { return err_.str(); }

  void Set(const std::string& variable, const std::string& value) {
    environment_[variable] = value;
  }
  // Sets the name by which the program is called.
  void CallAs(std::string program) { program_ = std::move(program); }
  void SetNow(sql::Timestamp now) { now_ = now; }
  sql::Timestamp now() const { return now_; }
  // Makes all further output fail.
  void FillOutput() { full_ = true; }
  void SetInput(std::string input) { input_ = std::move(input); }
  void SetTerminal(int columns, int rows) {
    terminal_ = true;
    size_ = {columns, rows};
  }
  // `wait` stands for the user while a command waits; true stops the command.
  void OnWait(std::function<bool()> wait) { wait_ = std::move(wait); }

 private:
  Environment environment_;
  std::string program_ = "fluxnetes";
  std::string input_;
  std::ostringstream out_;
  std::ostringstream err_;
  bool full_ = false;
  bool terminal_ = false;
  std::pair<int, int> size_{0, 0};
  sql::Timestamp now_ = std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now());
  std::function<bool()> wait_ = [] { return true; };
};

}  // namespace fluxnetes::services
