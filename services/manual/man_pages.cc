#include "services/manual/man_pages.h"

#include <fmt/format.h>

#include <algorithm>

#include "services/console/exit_code.h"

namespace fluxnetes::services {
namespace {

// Escapes text for roff.
std::string Roff(const std::string& text) {
  std::string shown;
  for (const char c : text) {
    if (c == '\\')
      shown += "\\e";
    else if (c == '-')
      shown += "\\-";
    else
      shown.push_back(c);
  }
  if (shown.starts_with('.') || shown.starts_with('\'')) shown = "\\&" + shown;
  return shown;
}

std::string Sentence(std::string about) {
  if (!about.empty() && about[0] >= 'a' && about[0] <= 'z')
    about[0] = static_cast<char>(about[0] - 'a' + 'A');
  return about.ends_with('.') ? about : about + ".";
}

std::string PageName(const std::string& path) {
  std::string name = path;
  std::ranges::replace(name, ' ', '-');
  return name;
}

// Returns "-o, --output FORM", in bold and italic.
std::string FlagCalled(const CommandTree::Flag& flag) {
  std::string text;
  for (const std::string& name : flag.names)
    text += fmt::format("{}\\fB{}\\fR", text.empty() ? "" : ", ", Roff(name));
  if (!flag.value.empty()) text += fmt::format(" \\fI{}\\fR", Roff(flag.value));
  return text;
}

std::string ListOfFlags(const CommandTree& tree, const std::string& group) {
  std::string text;
  for (const CommandTree::Flag& flag : tree.flags)
    if (flag.group == group)
      text += fmt::format(".TP\n{}\n{}\n", FlagCalled(flag),
                          Roff(Sentence(flag.about)));
  return text;
}

std::string SynopsisOf(const CommandTree& tree, const std::string& path) {
  std::string text = fmt::format(".B {}\n", Roff(path));
  if (!tree.commands.empty()) return text + "\\fICOMMAND\\fR [\\fIflags\\fR]\n";
  for (const CommandTree::Argument& argument : tree.arguments) {
    const std::string shown = fmt::format("\\fI{}{}\\fR", Roff(argument.value),
                                          argument.many ? " ..." : "");
    text += (argument.required ? shown : "[" + shown + "]") + "\n";
  }
  return text + "[\\fIflags\\fR]\n";
}

// The list of subcommands that have pages of their own.
std::string ListOfCommands(const CommandTree& tree, const std::string& path) {
  std::string text;
  for (const CommandTree& command : tree.commands)
    text += fmt::format(".TP\n.BR {} (1)\n{}\n",
                        Roff(PageName(path + " " + command.name)),
                        Roff(Sentence(command.about)));
  return text;
}

std::string ListOfArguments(const CommandTree& tree) {
  std::string text;
  for (const CommandTree::Argument& argument : tree.arguments)
    text += fmt::format(".TP\n\\fI{}\\fR\n{}\n", Roff(argument.value),
                        Roff(Sentence(argument.about)));
  return text;
}

std::string ListOfExitCodes() {
  std::string text;
  for (const auto& [code, about] : kExitCodes)
    text += fmt::format(".TP\n.B {}\n{}\n", static_cast<int>(code),
                        Roff(Sentence(std::string(about))));
  return text;
}

// Returns a section; empty if its text is.
std::string Section(const char* title, const std::string& text) {
  return text.empty() ? "" : fmt::format(".SH {}\n{}", title, text);
}

void AddPages(const CommandTree& tree, const std::string& path,
              const std::string& version, const CommandTree& root,
              std::vector<ManPage>& pages) {
  const bool whole = &tree == &root;
  std::string title = PageName(path);
  std::ranges::transform(title, title.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  std::string text = fmt::format(
      ".TH {} 1 \"\" \"{}\" \"Fluxnetes\"\n.SH NAME\n{} \\- {}\n", Roff(title),
      Roff("fluxnetes " + version), Roff(PageName(path)), Roff(tree.about));
  text += Section("SYNOPSIS", SynopsisOf(tree, path));
  text += Section("COMMANDS", ListOfCommands(tree, path));
  text += Section("ARGUMENTS", ListOfArguments(tree));
  text += Section("OPTIONS", ListOfFlags(tree, ""));
  if (whole) {
    text += Section("SETTINGS",
                    "Every command takes them; the name of a variable of the "
                    "environment is in brackets.\n" +
                        ListOfFlags(tree, "Settings"));
    text += Section("EXIT STATUS", ListOfExitCodes());
  } else {
    text +=
        Section("SEE ALSO", fmt::format(".BR {} (1)\nhas the flags that change "
                                        "settings, and the exit codes.\n",
                                        Roff(root.name)));
  }
  pages.push_back({PageName(path) + ".1", std::move(text)});
  for (const CommandTree& command : tree.commands)
    AddPages(command, path + " " + command.name, version, root, pages);
}

}  // namespace

std::vector<ManPage> ManPages(const CommandTree& tree,
                              const std::string& version) {
  std::vector<ManPage> pages;
  AddPages(tree, tree.name, version, tree, pages);
  return pages;
}

}  // namespace fluxnetes::services
