#include "services/manual/completion.h"

#include <fmt/format.h>

#include <functional>
#include <stdexcept>

namespace fluxnetes::services {
namespace {

// Calls `visit` with every command and its path ("fluxnetes get groups").
void ForEach(
    const CommandTree& tree, const std::string& path,
    const std::function<void(const CommandTree&, const std::string&)>& visit) {
  visit(tree, path);
  for (const CommandTree& command : tree.commands)
    ForEach(command, path + " " + command.name, visit);
}

std::string CommandsOf(const CommandTree& tree) {
  std::string words;
  for (const CommandTree& command : tree.commands)
    words += (words.empty() ? "" : " ") + command.name;
  return words;
}

std::string FlagsOf(const CommandTree& tree) {
  std::string words;
  for (const CommandTree::Flag& flag : tree.flags)
    for (const std::string& name : flag.names)
      words += (words.empty() ? "" : " ") + name;
  return words;
}

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text)
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted.push_back(c);
  return quoted + "'";
}

// Returns a bash statement that fills COMPREPLY. Names come from the database,
// so they must not go through compgen, which expands its words.
std::string Reply(const ValueChoice& choice, const std::string& root) {
  if (choice.files) return fmt::format("__{}_files", root);
  if (!choice.command.empty())
    return fmt::format("__{}_names {}", root, choice.command);
  return fmt::format("COMPREPLY=($(compgen -W {} -- \"$word\"))",
                     Quoted(choice.words));
}

// Returns the cases "path,flag" of all flags that take a value.
std::string ValueCases(const CommandTree& root) {
  std::string cases;
  ForEach(root, root.name,
          [&](const CommandTree& tree, const std::string& path) {
            for (const CommandTree::Flag& flag : tree.flags) {
              if (flag.value.empty()) continue;
              std::string patterns;
              for (const std::string& name : flag.names)
                patterns += fmt::format(
                    "{}\"{},{}\"", patterns.empty() ? "" : " | ", path, name);
              cases += fmt::format("    {}) {}; return ;;\n", patterns,
                                   Reply(ChoiceOf(flag.value), root.name));
            }
          });
  return cases;
}

std::string PathCases(const CommandTree& root) {
  std::string cases;
  ForEach(root, root.name,
          [&](const CommandTree& tree, const std::string& path) {
            const std::string flags =
                FlagsOf(tree) + (path == root.name ? "" : " " + FlagsOf(root));
            std::string words = Reply({CommandsOf(tree), "", false}, root.name);
            if (tree.commands.empty() && !tree.arguments.empty())
              words = Reply(ChoiceOf(tree.arguments.front().value), root.name);
            cases += fmt::format(
                "    \"{}\")\n      if [[ $word == -* ]]; then\n        {}\n   "
                "   else\n"
                "        {}\n      fi ;;\n",
                path, Reply({flags, "", false}, root.name), words);
          });
  return cases;
}

std::string ChildCases(const CommandTree& root) {
  std::string cases;
  ForEach(
      root, root.name, [&](const CommandTree& tree, const std::string& path) {
        for (const CommandTree& command : tree.commands) {
          std::string patterns = fmt::format("\"{} {}\"", path, command.name);
          for (const std::string& alias : command.aliases)
            patterns += fmt::format(" | \"{} {}\"", path, alias);
          cases += fmt::format("      {}) path=\"{} {}\" ;;\n", patterns, path,
                               command.name);
        }
      });
  return cases;
}

std::string Bash(const CommandTree& tree) {
  return fmt::format(R"sh(# bash completion for {0}
__{0}_names() {{
  local name
  while IFS= read -r name; do
    if [[ $name == "$word"* ]]; then
      COMPREPLY+=("$(printf '%q' "$name")")
    fi
  done < <("$@" 2>/dev/null)
}}
__{0}_files() {{
  local name
  for name in "$word"*; do
    if [[ -d $name ]]; then
      COMPREPLY+=("$(printf '%q' "$name")/")
      if type compopt >/dev/null 2>&1; then compopt -o nospace 2>/dev/null; fi
    elif [[ -e $name ]]; then
      COMPREPLY+=("$(printf '%q' "$name")")
    fi
  done
}}
__{0}_complete() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local path={0} i
  COMPREPLY=()
  if [[ $word == "=" ]]; then
    word=
  elif [[ $previous == "=" ]]; then
    previous=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${{COMP_WORDS[i]}}" in
{1}    esac
  done
  case "$path,$previous" in
{2}  esac
  case "{0},$previous" in
{3}  esac
  case "$path" in
{4}  esac
}}
complete -F __{0}_complete {0}
)sh",
                     tree.name, ChildCases(tree), ValueCases(tree),
                     ValueCases({tree.name, "", tree.flags, {}, {}}),
                     PathCases(tree));
}

// zsh can run bash completions. zsh runs this script from a folder of $fpath at
// the first completion, so the script must also complete at once.
std::string Zsh(const CommandTree& tree) {
  return fmt::format(
      "#compdef {0}\n"
      "autoload -U +X bashcompinit && bashcompinit\n"
      "{1}"
      "if [[ ${{funcstack[1]}} == _{0} ]]; then\n"
      "  _bash_complete -F __{0}_complete\n"
      "fi\n",
      tree.name, Bash(tree));
}

std::string FishValue(const ValueChoice& choice) {
  if (choice.files) return " -r -F";
  if (!choice.command.empty())
    return fmt::format(" -x -a {}",
                       Quoted("(" + choice.command + " 2>/dev/null)"));
  return " -x" + (choice.words.empty() ? "" : " -a " + Quoted(choice.words));
}

std::string FishFlag(const CommandTree::Flag& flag) {
  std::string text;
  for (const std::string& name : flag.names)
    text += name.starts_with("--") ? " -l " + name.substr(2)
                                   : " -s " + name.substr(1);
  if (!flag.value.empty()) text += FishValue(ChoiceOf(flag.value));
  return text + " -d " + Quoted(flag.about);
}

// Returns a fish function that tests whether the words so far name a command.
std::string FishAt(const CommandTree& root) {
  std::string cases;
  ForEach(root, root.name,
          [&](const CommandTree& tree, const std::string& path) {
            for (const CommandTree& command : tree.commands) {
              const std::string whole = Quoted(path + " " + command.name);
              cases += "            case " + whole;
              for (const std::string& alias : command.aliases)
                cases += " " + Quoted(path + " " + alias);
              cases += "\n                set path " + whole + "\n";
            }
          });
  return fmt::format(R"(function __{0}_at
    set -l path {0}
    for word in (commandline -opc)[2..-1]
        switch "$path $word"
{1}        end
    end
    test "$path" = "$argv"
end
)",
                     root.name, cases);
}

std::string Fish(const CommandTree& root) {
  std::string text =
      fmt::format("# fish completion for {0}\n{1}complete -c {0} -f\n",
                  root.name, FishAt(root));
  ForEach(root, root.name,
          [&](const CommandTree& tree, const std::string& path) {
            const std::string start =
                fmt::format("complete -c {0} -n {1}", root.name,
                            Quoted(fmt::format("__{}_at {}", root.name, path)));
            for (const CommandTree& command : tree.commands)
              text += fmt::format("{} -a {} -d {}\n", start, command.name,
                                  Quoted(command.about));
            const bool everywhere = path == root.name;
            for (const CommandTree::Flag& flag : tree.flags)
              text += (everywhere ? "complete -c " + root.name : start) +
                      FishFlag(flag) + "\n";
            for (const CommandTree::Argument& argument : tree.arguments)
              text += start + FishValue(ChoiceOf(argument.value)) + "\n";
          });
  return text;
}

}  // namespace

ValueChoice ChoiceOf(const std::string& value) {
  if (value == "FILE" || value.ends_with("|FILE")) return {"", "", true};
  if (value.find('|') != std::string::npos) {
    ValueChoice choice;
    for (const char c : value) choice.words.push_back(c == '|' ? ' ' : c);
    return choice;
  }
  if (value == "GROUP") return {"", "fluxnetes get groups -A -o name", false};
  if (value == "QUEUE") return {"", "fluxnetes get queues -o name", false};
  if (value == "ACCOUNT") return {"", "fluxnetes get accounts -o name", false};
  if (value == "POOL") return {"", "fluxnetes pools -o name", false};
  if (value == "JOB") return {"", "fluxnetes get jobs -o name", false};
  if (value == "NODE") return {"", "fluxnetes get nodes -o name", false};
  return {};
}

std::string CompletionScript(const CommandTree& tree,
                             const std::string& shell) {
  if (shell == "bash") return Bash(tree);
  if (shell == "zsh") return Zsh(tree);
  if (shell == "fish") return Fish(tree);
  throw std::logic_error("no such shell");
}

}  // namespace fluxnetes::services
