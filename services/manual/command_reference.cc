#include "services/manual/command_reference.h"

#include <fmt/format.h>

#include <algorithm>

namespace fluxnetes::services {
namespace {

// Escapes text for a cell of a Markdown table.
std::string TableCell(const std::string& text) {
  std::string shown;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*' || c == '_' || c == '\\')
      shown += '\\';
    shown.push_back(c);
  }
  return shown;
}

// Returns a cell with code, in which only the bar needs an escape.
std::string CellCode(const std::string& text) {
  std::string shown;
  for (const char c : text) shown += c == '|' ? "\\|" : std::string(1, c);
  return "`" + shown + "`";
}

std::string Capital(std::string about) {
  if (!about.empty() && about[0] >= 'a' && about[0] <= 'z')
    about[0] = static_cast<char>(about[0] - 'a' + 'A');
  return about;
}

// Returns "fluxnetes queue set QUEUE SETTING... [flags]".
std::string UsageLine(const CommandTree& tree, const std::string& path) {
  std::string text = path;
  for (const CommandTree::Argument& argument : tree.arguments) {
    const std::string shown = argument.value + (argument.many ? "..." : "");
    text += argument.required ? " " + shown : " [" + shown + "]";
  }
  return text + " [flags]";
}

std::string RowOfFlag(const CommandTree::Flag& flag) {
  std::string names;
  for (const std::string& name : flag.names) {
    const bool last = name == flag.names.back();
    names +=
        (names.empty() ? "" : ", ") +
        CellCode(last && !flag.value.empty() ? name + " " + flag.value : name);
  }
  return fmt::format("| {} | {} |\n", names, TableCell(flag.about));
}

std::string SectionOf(const CommandTree& tree, const std::string& path) {
  std::string rows;
  for (const CommandTree::Argument& argument : tree.arguments)
    rows += fmt::format("| {} | {} |\n", CellCode(argument.value),
                        TableCell(argument.about));
  for (const CommandTree::Flag& flag : tree.flags)
    if (std::ranges::find(flag.names, "--help") == flag.names.end())
      rows += RowOfFlag(flag);
  if (!rows.empty()) rows = "\n| | |\n|---|---|\n" + rows;
  return fmt::format("\n### {}\n\n{}.\n\n```\n{}\n```\n{}", path,
                     Capital(tree.about), UsageLine(tree, path), rows);
}

// Returns the link target of a section's heading.
std::string Anchor(const std::string& path) {
  std::string anchor = path;
  std::ranges::replace(anchor, ' ', '-');
  return anchor;
}

// Adds the commands that do something, not those that only have subcommands.
void AddCommands(const CommandTree& tree, const std::string& path,
                 std::string& table, std::string& sections) {
  for (const CommandTree& command : tree.commands) {
    const std::string below = path + " " + command.name;
    if (!command.commands.empty()) {
      AddCommands(command, below, table, sections);
      continue;
    }
    table +=
        fmt::format("| [`{}`](#{}) | {} |\n", below.substr(below.find(' ') + 1),
                    Anchor(below), TableCell(command.about));
    sections += SectionOf(command, below);
  }
}

}  // namespace

std::string CommandReference(const CommandTree& tree) {
  std::string table = "| command | does |\n|---|---|\n";
  std::string sections;
  AddCommands(tree, tree.name, table, sections);
  return table + sections;
}

}  // namespace fluxnetes::services
