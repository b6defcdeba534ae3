#include "tests/matcher/resource_query/session_stage.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string_view>

#include "tests/matcher/random/tree_picture.h"

namespace fluxnetes::matcher {
namespace {

constexpr const char* kTwoNodes = R"(
    cluster0/node0 core=2
    cluster0/node1 core=2)";

constexpr const char* kCore = R"({version: 1, tasks: [], resources:
    [{type: slot, count: 1, label: a, with: [{type: core, count: 1}]}],
    attributes: {system: {duration: 60}}})";
constexpr const char* kNode = R"({version: 1, tasks: [], resources:
    [{type: slot, count: 1, label: a, with: [{type: node, count: 1, exclusive: true}]}],
    attributes: {system: {duration: 60}}})";

// Returns the line without its indent, the word INFO, the folder, and how long
// something took.
std::string Bare(std::string line, const std::string& folder) {
  constexpr std::string_view kInfo = "INFO: ";
  if (line.starts_with(kInfo)) line.erase(0, kInfo.size());
  line.erase(0, line.find_first_not_of(" -"));
  const auto path = line.find(folder + "/");
  if (path == std::string::npos) return line;
  line.erase(path, folder.size() + 1);
  const bool timed = line.rfind(", ") != std::string::npos;
  return timed ? line.substr(0, line.rfind(", ")) : line;
}

}  // namespace

SessionStage::SessionStage()
    : folder_(::testing::TempDir() + "session." + std::to_string(getpid())),
      picture_(kTwoNodes) {
  std::filesystem::create_directories(folder_);
  Save("core.yaml", kCore);
  Save("node.yaml", kNode);
  Start("low", MatchFormat::kSimple);
}

SessionStage::~SessionStage() { std::filesystem::remove_all(folder_); }

void SessionStage::Start(const char* policy, MatchFormat format) {
  options_.policy = *ParsePolicy(policy);
  options_.format = format;
  session_ = std::make_unique<Session>(
      Matcher(Tree(picture_), {.policy = options_.policy}), options_,
      Session::Streams{results_, standard_, errors_});
}

std::string SessionStage::Save(const std::string& name,
                               const std::string& text) {
  std::ofstream(folder_ + "/" + name) << text;
  return folder_ + "/" + name;
}

std::string SessionStage::Run(std::string line) {
  for (auto at = line.find('%'); at != std::string::npos; at = line.find('%')) {
    line.replace(at, 1, folder_ + "/");
  }
  results_.str("");
  standard_.str("");
  errors_.str("");
  EXPECT_TRUE(session_->Run(line));
  return results_.str();
}

std::string SessionStage::Play(const std::string& lines) {
  std::string played;
  std::istringstream commands(lines);
  for (std::string command; std::getline(commands, command);) {
    if (command.find_first_not_of(' ') == std::string::npos) continue;
    std::string text;
    const auto add = [&](const std::string& part, const std::string& before) {
      std::istringstream in(part);
      for (std::string line; std::getline(in, line);) {
        if (line + "\n" == kBar) continue;
        text += (text.empty() ? "" : "; ") + before + Bare(line, folder_);
      }
    };
    Run(command);
    add(results_.str(), "");
    add(standard_.str(), "");
    add(errors_.str(), "error: ");
    played += text + "\n";
  }
  return played;
}

}  // namespace fluxnetes::matcher
