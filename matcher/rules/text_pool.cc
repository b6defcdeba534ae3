#include "matcher/rules/text_pool.h"

namespace fluxnetes::matcher {

TextId TextPool::Take(std::string_view text) {
  TextId id = Find(text);
  if (id < 0) {
    if (unused_.empty()) {
      id = static_cast<TextId>(texts_.size());
      texts_.emplace_back();
    } else {
      id = unused_.back();
      unused_.pop_back();
    }
    texts_[id].text = text;
    ids_.emplace(texts_[id].text, id);
  }
  ++texts_[id].uses;
  return id;
}

void TextPool::Give(TextId id) {
  if (--texts_[id].uses > 0) return;
  ids_.erase(texts_[id].text);
  texts_[id].text.clear();
  unused_.push_back(id);
}

TextId TextPool::Find(std::string_view text) const {
  const auto found = ids_.find(text);
  return found == ids_.end() ? -1 : found->second;
}

}  // namespace fluxnetes::matcher
