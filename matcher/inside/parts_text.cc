#include "matcher/inside/parts_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "matcher/graph/id_set.h"
#include "matcher/graph/text_sets.h"

namespace fluxnetes::matcher {
namespace {

constexpr std::size_t kMostDigits = 9;

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '.' || c == ':' || c == '_' || c == '-';
}

void AppendName(std::string_view name, std::string& text) {
  for (const char c : name) {
    if (IsPlain(c)) {
      text += c;
    } else {
      text += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
}

// A name as what is before its number, and the number; no number: -1.
struct NumberedName {
  std::string_view base;
  std::int64_t number = -1;
};

NumberedName SplitAtNumber(std::string_view name) {
  std::size_t at = name.size();
  while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') --at;
  const std::string_view digits = name.substr(at);
  const bool leading_zero = digits.size() > 1 && digits[0] == '0';
  if (digits.empty() || leading_zero || digits.size() > kMostDigits) {
    return {name};
  }
  std::int64_t number = 0;
  for (const char digit : digits) number = number * 10 + (digit - '0');
  return {name.substr(0, at), number};
}

class PartsWriter {
 public:
  PartsWriter(const NodeStructure& structure,
              const std::vector<VertexIndex>& vertices)
      : structure_(structure), vertices_(vertices) {}

  std::string Write() {
    for (std::size_t i = 0; i < vertices_.size();) {
      const VertexIndex v = vertices_[i];
      const VertexIndex end = structure_.end(v);
      const auto below = static_cast<std::size_t>(end - v);
      // In order of index, all below v is there if the last one is.
      const bool whole = below > 1 && i + below <= vertices_.size() &&
                         vertices_[i + below - 1] == end - 1;
      Add(v, whole);
      i += whole ? below : 1;
    }
    Flush();
    return std::move(text_);
  }

 private:
  void Add(VertexIndex v, bool whole) {
    const VertexIndex parent = structure_.parent(v);
    const NumberedName name =
        v == 0 ? NumberedName{} : SplitAtNumber(structure_.graph().Name(v));
    if (numbers_.empty() || name.number <= numbers_.back() ||
        parent != parent_ || name.base != base_ || whole != whole_) {
      Flush();
    }
    parent_ = parent;
    base_ = name.base;
    whole_ = whole;
    if (name.number >= 0) {
      numbers_.push_back(name.number);
    } else {
      WriteItem("");
    }
  }

  void Flush() {
    if (numbers_.empty()) return;
    std::string numbers;
    if (numbers_.size() == 1) {
      AppendNumber(numbers_[0], numbers);
    } else {
      numbers = "[";
      AppendIdSet(numbers_, numbers);
      numbers += "]";
    }
    WriteItem(numbers);
    numbers_.clear();
  }

  void WriteItem(std::string_view numbers) {
    if (!text_.empty()) text_ += ' ';
    if (parent_ > 0) {
      AppendPath(parent_);
      text_ += '/';
    }
    AppendName(base_, text_);
    text_ += numbers;
    if (whole_) text_ += '/';
  }

  void AppendPath(VertexIndex v) {
    if (structure_.parent(v) > 0) {
      AppendPath(structure_.parent(v));
      text_ += '/';
    }
    AppendName(structure_.graph().Name(v), text_);
  }

  const NodeStructure& structure_;
  const std::vector<VertexIndex>& vertices_;
  std::string text_;
  // The item that is not written yet, if it has numbers.
  VertexIndex parent_ = kNoVertex;
  std::string_view base_;
  bool whole_ = false;
  std::vector<std::int64_t> numbers_;
};

class PartsReader {
 public:
  PartsReader(std::string_view text, const NodeStructure* structure)
      : text_(text), structure_(structure) {}

  InsideParts Read() {
    if (text_.size() > kMaxPartsBytes) {
      Fail(fmt::format("it is longer than {} bytes", kMaxPartsBytes));
    }
    while (at_ < text_.size()) ReadItem();
    parts_.all_known = parts_.all_known && structure_ != nullptr;
    auto& all = parts_.vertices;
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return std::move(parts_);
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const {
    throw PartsError(fmt::format("parts of a node, byte {}: {}", at_, what));
  }
  bool At(char c) const { return at_ < text_.size() && text_[at_] == c; }

  void ReadItem() {
    if (at_ > 0) {
      if (!At(' ')) Fail("a blank must follow a path");
      ++at_;
    }
    std::string path;
    std::vector<std::int64_t> numbers;
    bool ranged = false;
    bool whole = false;
    for (int depth = 0;; ++depth) {
      if (depth > kMaxGraphDepth) Fail("the path has too many names");
      const std::string name = ReadName();
      const bool whole_node = depth == 0 && At('/');
      if (name.empty() && !At('[') && !whole_node) Fail("a name must be here");
      if (depth > 0) path += '/';
      path += name;
      if (At('[')) {
        numbers = ReadNumbers();
        ranged = true;
      }
      whole = At('/');
      if (!whole) break;
      ++at_;
      if (at_ == text_.size() || text_[at_] == ' ') break;
      if (ranged) Fail("brackets must be at the end of a path");
      if (name.empty()) Fail("a name must be before a slash");
    }
    if (!ranged) {
      Take(path, whole);
      return;
    }
    for (const std::int64_t number : numbers) {
      Take(path + std::to_string(number), whole);
    }
  }

  std::string ReadName() {
    const auto digit = [](char c) {
      if (c >= '0' && c <= '9') return c - '0';
      return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    };
    std::string name;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (IsPlain(c)) {
        name += c;
        continue;
      }
      if (c == '/' || c == '[' || c == ' ') break;
      const bool room = at_ + 2 < text_.size();
      if (c != '%' || !room || digit(text_[at_ + 1]) < 0 ||
          digit(text_[at_ + 2]) < 0) {
        Fail("a name has letters, digits, '.', ':', '_', '-' and %XX alone");
      }
      name +=
          static_cast<char>(digit(text_[at_ + 1]) * 16 + digit(text_[at_ + 2]));
      at_ += 2;
    }
    return name;
  }

  std::vector<std::int64_t> ReadNumbers() {
    const auto close = text_.find(']', at_);
    if (close == std::string_view::npos) Fail("the bracket is not closed");
    const auto set = IdSet::Parse(text_.substr(at_ + 1, close - at_ - 1));
    if (!set) Fail("the brackets must hold numbers such as 0-3,7");
    auto numbers = set->Ids(kMaxInsideVertices);
    if (!numbers) {
      Fail(fmt::format("there are more than {} vertices", kMaxInsideVertices));
    }
    at_ = close + 1;
    return *std::move(numbers);
  }

  void Take(const std::string& path, bool whole) {
    if (++taken_ > kMaxInsideVertices) {
      Fail(fmt::format("there are more than {} vertices", kMaxInsideVertices));
    }
    if (structure_ == nullptr) return;
    const auto v = structure_->Find(path);
    if (!v) {
      parts_.all_known = false;
      return;
    }
    const VertexIndex end = whole ? structure_->end(*v) : *v + 1;
    for (VertexIndex each = *v; each < end; ++each) {
      parts_.vertices.push_back(each);
    }
    if (parts_.vertices.size() > kMostListed) Compact();
  }

  // Paths may overlap, so the list may be longer than the node.
  void Compact() {
    auto& all = parts_.vertices;
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }

  static constexpr std::size_t kMostListed = 4 * kMaxInsideVertices;

  std::string_view text_;
  const NodeStructure* structure_;
  std::size_t at_ = 0;
  int taken_ = 0;
  InsideParts parts_;
};

}  // namespace

std::string WriteParts(const NodeStructure& structure,
                       const std::vector<VertexIndex>& vertices) {
  return PartsWriter(structure, vertices).Write();
}

InsideParts ReadParts(std::string_view text, const NodeStructure* structure) {
  return PartsReader(text, structure).Read();
}

}  // namespace fluxnetes::matcher
