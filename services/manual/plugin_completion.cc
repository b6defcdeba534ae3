#include "services/manual/plugin_completion.h"

#include <algorithm>
#include <sstream>

#include "services/manual/completion.h"

namespace fluxnetes::services {
namespace {

// Cobra's ShellCompDirectiveDefault and ShellCompDirectiveNoFileComp.
constexpr auto kFilesToo = ":0";
constexpr auto kNoFiles = ":4";

const CommandTree::Flag* FindFlag(const CommandTree& tree,
                                  const std::string& name) {
  for (const CommandTree::Flag& flag : tree.flags)
    if (std::ranges::find(flag.names, name) != flag.names.end()) return &flag;
  return nullptr;
}

// The command that the words lead to, and the flag whose value is being typed.
struct Reached {
  const CommandTree* command;
  const CommandTree::Flag* flag = nullptr;
};

Reached Follow(const CommandTree& root, const std::vector<std::string>& words) {
  Reached reached{&root};
  const auto flag_named = [&](const std::string& name) {
    const CommandTree::Flag* flag = FindFlag(*reached.command, name);
    return flag != nullptr ? flag : FindFlag(root, name);
  };
  const auto takes_value = [](const CommandTree::Flag* flag) {
    return flag != nullptr && !flag->value.empty();
  };
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (takes_value(flag_named(words[i]))) {
      if (i + 2 == words.size()) reached.flag = flag_named(words[i]);
      ++i;
      continue;
    }
    const auto below = std::ranges::find_if(
        reached.command->commands,
        [&](const CommandTree& command) { return command.IsCalled(words[i]); });
    if (below != reached.command->commands.end()) reached.command = &*below;
  }
  if (const auto equals = words.back().find('=');
      reached.flag == nullptr && words.back().starts_with("--") &&
      equals != std::string::npos)
    if (const auto* flag = flag_named(words.back().substr(0, equals));
        takes_value(flag))
      reached.flag = flag;
  return reached;
}

PluginOffers OffersOf(const std::string& value) {
  const ValueChoice choice = ChoiceOf(value);
  PluginOffers offers{.words = {}, .names = {}, .files = choice.files};
  std::istringstream words(choice.words);
  for (std::string word; words >> word;) offers.words.push_back({word, ""});
  std::istringstream command(choice.command);
  for (std::string word; command >> word;) offers.names.push_back(word);
  if (!offers.names.empty()) offers.names.erase(offers.names.begin());
  return offers;
}

void AddFlags(const CommandTree& tree, PluginOffers& offers) {
  for (const CommandTree::Flag& flag : tree.flags)
    for (const std::string& name : flag.names)
      offers.words.push_back({name, flag.about});
}

}  // namespace

PluginOffers PluginOffersFor(const CommandTree& tree,
                             const std::vector<std::string>& words) {
  if (words.empty()) return PluginOffersFor(tree, {""});
  const Reached reached = Follow(tree, words);
  if (reached.flag != nullptr) return OffersOf(reached.flag->value);
  PluginOffers offers;
  if (words.back().starts_with("-")) {
    AddFlags(*reached.command, offers);
    if (reached.command != &tree) AddFlags(tree, offers);
    return offers;
  }
  for (const CommandTree& command : reached.command->commands)
    offers.words.push_back({command.name, command.about});
  if (offers.words.empty() && !reached.command->arguments.empty())
    return OffersOf(reached.command->arguments.front().value);
  return offers;
}

std::string PluginAnswer(const PluginOffers& offers, const std::string& names,
                         std::string begun) {
  if (begun.starts_with("--") && begun.find('=') != std::string::npos)
    begun.erase(0, begun.find('=') + 1);
  std::string answer;
  for (const auto& [word, about] : offers.words)
    if (word.starts_with(begun))
      answer += word + (about.empty() ? "" : "\t" + about) + "\n";
  std::istringstream lines(names);
  for (std::string name; std::getline(lines, name);)
    if (name.starts_with(begun)) answer += name + "\n";
  return answer + (offers.files ? kFilesToo : kNoFiles) + "\n";
}

}  // namespace fluxnetes::services
