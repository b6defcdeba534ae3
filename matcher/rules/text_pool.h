// Strings as small numbers, kept as long as they are used: nodes and rules come
// and go for years, and their strings must not pile up.
//
// Part of a NodeGraph; owned by its thread.
// Tests: tests/matcher/rules/task_rules_random_test.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fluxnetes::matcher {

using TextId = std::int32_t;

class TextPool {
 public:
  // Adds a use. Equal texts have equal numbers.
  TextId Take(std::string_view text);
  // Removes a use. After the last one, the number is free for another text.
  void Give(TextId id);
  TextId Find(std::string_view text) const;  // -1: not in use
  const std::string& operator[](TextId id) const { return texts_[id].text; }
  int size() const { return static_cast<int>(ids_.size()); }

 private:
  struct Text {
    std::string text;
    std::int64_t uses = 0;
  };

  std::deque<Text> texts_;  // addresses do not change: ids_ points into it
  std::unordered_map<std::string_view, TextId> ids_;
  std::vector<TextId> unused_;
};

}  // namespace fluxnetes::matcher
