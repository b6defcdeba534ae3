#include "cluster/files/structure_file.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/files/field_rules.h"
#include "cluster/text/json_field.h"
#include "cluster/text/quote.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

constexpr const char* kExample =
    "like [{label: pool=thin, file: thin.xml}, {label: pool=fat, structure: "
    "\"sockets: 2, cores: 128\"}]";

[[noreturn]] void RefuseEntry(const std::string& place,
                              const std::string& why) {
  throw InputError(place + ": " + why);
}

void SplitLabel(const Json& entry, const std::string& place,
                LabelledStructure& read) {
  static constexpr std::array kLabelRules = {
      FieldRule{"key", FieldRule::Kind::kQualifiedName, true},
      FieldRule{"value", FieldRule::Kind::kLabelValue}};
  const std::string label = Text(entry, "label");
  const auto equals = label.find('=');
  if (equals == std::string::npos) {
    RefuseEntry(place + ".label", Quote(label) +
                                      " must be a label with its value, like "
                                      "nvidia.com/gpu.product=A100");
  }
  read.label = label.substr(0, equals);
  read.value = label.substr(equals + 1);
  const auto wrong = WhatIsWrong({{"key", read.label}, {"value", read.value}},
                                 kLabelRules, place + ".label");
  if (wrong) throw InputError(*wrong);
}

LabelledStructure ReadEntry(
    const Json& entry, const std::string& place, StructureTexts& texts,
    const std::function<std::string(const std::string&)>& read_file) {
  if (!entry.is_object()) RefuseEntry(place, "must be a mapping");
  for (const auto& [key, value] : entry.items()) {
    if (key != "label" && key != "file" && key != "structure") {
      RefuseEntry(place, "does not know " + Quote(key) +
                             "; it may have label, file and structure");
    }
    if (!value.is_string()) RefuseEntry(place + "." + key, "must be a text");
  }
  if (entry.contains("file") == entry.contains("structure")) {
    RefuseEntry(place, "must have either file or structure");
  }
  LabelledStructure read;
  SplitLabel(entry, place, read);
  const std::string file = Text(entry, "file");
  read.place = file.empty() ? place + ".structure" : place + ".file " + file;
  read.text = file.empty() ? Text(entry, "structure") : read_file(file);
  const std::string& fault = texts.Read(read.text).fault;
  if (!fault.empty()) RefuseEntry(read.place, fault);
  return read;
}

}  // namespace

std::vector<LabelledStructure> ReadStructureFile(
    std::string_view text, const std::string& source,
    const std::function<std::string(const std::string& file)>& read) {
  std::vector<LabelledStructure> all;
  StructureTexts texts;
  ReadYaml(
      text, source,
      [&](const Json& document, int line) {
        const std::string place = source + ":" + std::to_string(line);
        const Json& entries = At(document, "structures");
        if (!entries.is_array() || entries.empty() || document.size() != 1) {
          RefuseEntry(place,
                      std::string("must have a list structures, ") + kExample);
        }
        for (std::size_t i = 0; i < entries.size(); ++i) {
          all.push_back(ReadEntry(
              entries[i], place + ": structures[" + std::to_string(i) + "]",
              texts, read));
        }
      },
      {}, YamlTypes::kCore);
  if (all.empty()) {
    RefuseEntry(source,
                std::string("must have a list structures, ") + kExample);
  }
  return all;
}

}  // namespace fluxnetes::cluster
