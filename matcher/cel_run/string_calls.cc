// Functions of strings. Places in strings count characters.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "matcher/cel_run/calls.h"
#include "matcher/cel_run/regex.h"

namespace fluxnetes::matcher::cel {

std::shared_ptr<const re2::RE2> ReadRegex(std::string_view pattern,
                                          std::string& fault) {
  // \C matches a byte, which Go refuses.
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] != '\\') continue;
    if (pattern[++i] == 'C') {
      fault = "\\C is not supported";
      return nullptr;
    }
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto regex = std::make_shared<const re2::RE2>(
      re2::StringPiece(pattern.data(), pattern.size()), options);
  if (regex->ok()) return regex;
  fault = regex->error();
  return nullptr;
}

namespace {

using enum Value::Kind;

Value OutOfRange(Evaluation& evaluation, std::int64_t place) {
  return evaluation.memory.Error(fmt::format("{} is out of range", place));
}

// Where the character of this number begins; the end for their count.
std::size_t ByteOf(std::string_view text, std::int64_t character) {
  std::size_t byte = 0;
  for (; character > 0 && byte < text.size(); --character) {
    ++byte;
    while (byte < text.size() && (text[byte] & 0xC0) == 0x80) ++byte;
  }
  return byte;
}

std::int64_t Length(std::string_view text) {
  return static_cast<std::int64_t>(CountCharacters(text));
}

Value Contains(Evaluation&, Operands operands) {
  if (!Are(operands, {kString, kString})) return NoOverload();
  return Value::Bool(operands[0].text.find(operands[1].text) !=
                     std::string_view::npos);
}

Value StartsWith(Evaluation&, Operands operands) {
  if (!Are(operands, {kString, kString})) return NoOverload();
  return Value::Bool(operands[0].text.starts_with(operands[1].text));
}

Value EndsWith(Evaluation&, Operands operands) {
  if (!Are(operands, {kString, kString})) return NoOverload();
  return Value::Bool(operands[0].text.ends_with(operands[1].text));
}

Value CharAt(Evaluation& evaluation, Operands operands) {
  if (!Are(operands, {kString, kInt})) return NoOverload();
  const std::string_view text = operands[0].text;
  const std::int64_t place = operands[1].integer;
  if (place < 0 || place > Length(text)) return OutOfRange(evaluation, place);
  const std::size_t first = ByteOf(text, place);
  return Value::String(text.substr(first, ByteOf(text.substr(first), 1)));
}

Value Substring(Evaluation& evaluation, Operands operands) {
  const std::string_view text = operands[0].text;
  if (!Are(operands, {kString, kInt}) &&
      !Are(operands, {kString, kInt, kInt})) {
    return NoOverload();
  }
  const std::int64_t length = Length(text);
  const std::int64_t first = operands[1].integer;
  const std::int64_t last = operands.size() == 3 ? operands[2].integer : length;
  if (first < 0 || first > length) return OutOfRange(evaluation, first);
  if (last < first || last > length) return OutOfRange(evaluation, last);
  const std::size_t begin = ByteOf(text, first);
  return Value::String(
      text.substr(begin, ByteOf(text.substr(begin), last - first)));
}

template <char kFrom, char kTo, int kAway>
Value ChangeCase(Evaluation& evaluation, Operands operands) {
  if (!Are(operands, {kString})) return NoOverload();
  const std::string_view text = operands[0].text;
  const std::span<char> changed = evaluation.memory.New<char>(text.size());
  std::ranges::transform(text, changed.begin(), [](char c) {
    return c >= kFrom && c <= kTo ? static_cast<char>(c + kAway) : c;
  });
  return Value::String({changed.data(), changed.size()});
}

// The space that Unicode has, as Go's strings.TrimSpace takes it.
std::size_t SpaceAt(std::string_view text) {
  constexpr auto kSpaces = std::to_array<std::string_view>(
      {" ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\u0085",
       "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004",
       "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a", "\u2028",
       "\u2029", "\u202f", "\u205f", "\u3000"});
  for (const std::string_view space : kSpaces) {
    if (text.starts_with(space)) return space.size();
  }
  return 0;
}

Value Trim(Evaluation&, Operands operands) {
  if (!Are(operands, {kString})) return NoOverload();
  std::string_view text = operands[0].text;
  while (const std::size_t space = SpaceAt(text)) text.remove_prefix(space);
  while (!text.empty()) {
    std::size_t last = text.size() - 1;
    while (last > 0 && (text[last] & 0xC0) == 0x80) --last;
    if (SpaceAt(text.substr(last)) == 0) break;
    text.remove_suffix(text.size() - last);
  }
  return Value::String(text);
}

// Replaces at most `count` times, or everywhere if it is negative. An empty
// text is found before each character and at the end.
Value Replace(Evaluation& evaluation, Operands operands) {
  if (!Are(operands, {kString, kString, kString}) &&
      !Are(operands, {kString, kString, kString, kInt})) {
    return NoOverload();
  }
  std::string_view rest = operands[0].text;
  const std::string_view old = operands[1].text;
  const std::string_view fresh = operands[2].text;
  std::int64_t count = operands.size() == 4 ? operands[3].integer : -1;
  std::string out;
  for (; count != 0; --count) {
    const std::size_t place = old.empty() ? 0 : rest.find(old);
    if (place == rest.npos) break;
    evaluation.memory.Step(fresh.size() + 1);
    out += rest.substr(0, place);
    out += fresh;
    rest.remove_prefix(place + old.size());
    if (!old.empty()) continue;
    if (rest.empty()) break;
    const std::size_t character = ByteOf(rest, 1);
    out += rest.substr(0, character);
    rest.remove_prefix(character);
  }
  out += rest;
  return Value::String(evaluation.memory.KeepText(out));
}

Value ListOf(Evaluation& evaluation,
             const std::vector<std::string_view>& texts) {
  const std::span<Value> list = evaluation.memory.New<Value>(texts.size());
  std::ranges::transform(texts, list.begin(), Value::String);
  return Value::List(list);
}

// Into at most `count` parts, or all if it is negative; without a separator
// into characters.
Value Split(Evaluation& evaluation, Operands operands) {
  if (!Are(operands, {kString, kString}) &&
      !Are(operands, {kString, kString, kInt})) {
    return NoOverload();
  }
  std::string_view rest = operands[0].text;
  const std::string_view separator = operands[1].text;
  const std::int64_t count = operands.size() == 3 ? operands[2].integer : -1;
  std::vector<std::string_view> parts;
  if (count == 0 || (separator.empty() && rest.empty())) {
    return ListOf(evaluation, parts);
  }
  while (count < 0 || static_cast<std::int64_t>(parts.size()) + 1 < count) {
    evaluation.memory.Step();
    const std::size_t end =
        separator.empty() ? ByteOf(rest, 1) : rest.find(separator);
    if (end == rest.npos || (separator.empty() && end == rest.size())) break;
    parts.push_back(rest.substr(0, end));
    rest.remove_prefix(end + separator.size());
  }
  parts.push_back(rest);
  return ListOf(evaluation, parts);
}

Value JoinTexts(Evaluation& evaluation, Operands operands) {
  if (!Are(operands, {kList}) && !Are(operands, {kList, kString})) {
    return NoOverload();
  }
  const std::string_view between =
      operands.size() == 2 ? operands[1].text : std::string_view();
  std::string out;
  bool first = true;
  for (const Value& element : operands[0].List()) {
    if (element.kind != kString) {
      return Value::Error("join needs a list of strings");
    }
    evaluation.memory.Step(element.text.size() + between.size() + 1);
    if (!first) out += between;
    first = false;
    out += element.text;
  }
  return Value::String(evaluation.memory.KeepText(out));
}

Value IndexOfText(Evaluation& evaluation, std::string_view text,
                  std::string_view wanted, std::int64_t offset) {
  if (wanted.empty()) return Value::Int(offset);
  if (offset < 0) return OutOfRange(evaluation, offset);
  if (offset >= Length(text)) return Value::Int(-1);
  const std::size_t found = text.find(wanted, ByteOf(text, offset));
  if (found == text.npos) return Value::Int(-1);
  return Value::Int(Length(text.substr(0, found)));
}

Value LastIndexOfText(Evaluation& evaluation, std::string_view text,
                      std::string_view wanted, std::int64_t offset) {
  if (wanted.empty()) return Value::Int(offset);
  if (offset < 0) return OutOfRange(evaluation, offset);
  if (offset >= Length(text)) return Value::Int(-1);
  const std::size_t found = text.rfind(wanted, ByteOf(text, offset));
  if (found == text.npos) return Value::Int(-1);
  return Value::Int(Length(text.substr(0, found)));
}

Value IndexOfElement(Evaluation& evaluation, Operands operands) {
  const std::span<const Value> list = operands[0].List();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (Equal(list[i], operands[1], evaluation.memory).IsTrue()) {
      return Value::Int(static_cast<std::int64_t>(i));
    }
  }
  return Value::Int(-1);
}

Value LastIndexOfElement(Evaluation& evaluation, Operands operands) {
  const std::span<const Value> list = operands[0].List();
  for (std::size_t i = list.size(); i-- > 0;) {
    if (Equal(list[i], operands[1], evaluation.memory).IsTrue()) {
      return Value::Int(static_cast<std::int64_t>(i));
    }
  }
  return Value::Int(-1);
}

Value IndexOf(Evaluation& evaluation, Operands operands) {
  if (operands[0].kind == kList && operands.size() == 2) {
    return IndexOfElement(evaluation, operands);
  }
  const bool offset = Are(operands, {kString, kString, kInt});
  if (!offset && !Are(operands, {kString, kString})) return NoOverload();
  return IndexOfText(evaluation, operands[0].text, operands[1].text,
                     offset ? operands[2].integer : 0);
}

Value LastIndexOf(Evaluation& evaluation, Operands operands) {
  if (operands[0].kind == kList && operands.size() == 2) {
    return LastIndexOfElement(evaluation, operands);
  }
  const std::string_view text = operands[0].text;
  if (Are(operands, {kString, kString, kInt})) {
    return LastIndexOfText(evaluation, text, operands[1].text,
                           operands[2].integer);
  }
  if (!Are(operands, {kString, kString})) return NoOverload();
  if (operands[1].text.empty()) return Value::Int(Length(text));
  if (text.size() < operands[1].text.size()) return Value::Int(-1);
  return LastIndexOfText(evaluation, text, operands[1].text, Length(text) - 1);
}

// `regex` is that of operands[1], if it is known already.
std::shared_ptr<const re2::RE2> RegexOf(Evaluation& evaluation,
                                        const Value& pattern, Value& error) {
  std::string fault;
  auto regex = ReadRegex(pattern.text, fault);
  if (!regex) error = evaluation.memory.Error("bad pattern: " + fault);
  return regex;
}

re2::StringPiece Piece(std::string_view text) {
  return {text.data(), text.size()};
}

Value Matches(Evaluation& evaluation, Operands operands) {
  if (!Are(operands, {kString, kString})) return NoOverload();
  Value error;
  const auto regex = RegexOf(evaluation, operands[1], error);
  if (!regex) return error;
  return Value::Bool(re2::RE2::PartialMatch(Piece(operands[0].text), *regex));
}

// The matches in order, as Go's FindAllString: an empty one right behind
// another does not count.
std::vector<std::string_view> AllMatches(Evaluation& evaluation,
                                         std::string_view text,
                                         const re2::RE2& regex,
                                         std::int64_t most) {
  std::vector<std::string_view> found;
  std::size_t place = 0;
  std::size_t last_end = std::string_view::npos;
  while (place <= text.size() &&
         (most < 0 || static_cast<std::int64_t>(found.size()) < most)) {
    evaluation.memory.Step(text.size() - place + 1);
    re2::StringPiece match;
    if (!regex.Match(Piece(text), place, text.size(), re2::RE2::UNANCHORED,
                     &match, 1)) {
      break;
    }
    const auto begin = static_cast<std::size_t>(match.data() - text.data());
    const std::size_t end = begin + match.size();
    const bool accepted = !match.empty() || begin != last_end;
    if (accepted) found.push_back(text.substr(begin, match.size()));
    if (end > place || !match.empty()) {
      place = end;
    } else {
      place += std::max<std::size_t>(ByteOf(text.substr(place), 1), 1);
    }
    if (accepted) last_end = end;
  }
  return found;
}

Value Find(Evaluation& evaluation, Operands operands) {
  if (!Are(operands, {kString, kString})) return NoOverload();
  Value error;
  const auto regex = RegexOf(evaluation, operands[1], error);
  if (!regex) return error;
  const auto found = AllMatches(evaluation, operands[0].text, *regex, 1);
  return Value::String(found.empty() ? std::string_view() : found[0]);
}

Value FindAll(Evaluation& evaluation, Operands operands) {
  const bool most = Are(operands, {kString, kString, kInt});
  if (!most && !Are(operands, {kString, kString})) return NoOverload();
  Value error;
  const auto regex = RegexOf(evaluation, operands[1], error);
  if (!regex) return error;
  return ListOf(evaluation, AllMatches(evaluation, operands[0].text, *regex,
                                       most ? operands[2].integer : -1));
}

}  // namespace

std::span<const NamedCall> StringCalls() {
  static constexpr auto kCalls = std::to_array<NamedCall>({
      {"contains", Contains},
      {"startsWith", StartsWith},
      {"endsWith", EndsWith},
      {"charAt", CharAt},
      {"substring", Substring},
      {"lowerAscii", ChangeCase<'A', 'Z', 'a' - 'A'>},
      {"upperAscii", ChangeCase<'a', 'z', 'A' - 'a'>},
      {"trim", Trim},
      {"replace", Replace},
      {"split", Split},
      {"join", JoinTexts},
      {"indexOf", IndexOf},
      {"lastIndexOf", LastIndexOf},
      {"matches", Matches},
      {"find", Find},
      {"findAll", FindAll},
  });
  return kCalls;
}

}  // namespace fluxnetes::matcher::cel
