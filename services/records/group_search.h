// What a search of groups looks at.
// Tests: tests/services/feed/group_index_test.cc,
// tests/services/listing/get_pgtest.cc.
#pragma once

#include <string>

#include "services/records/group_row.h"

namespace fluxnetes::services {

// ASCII letters in lower case.
inline std::string LowerCase(std::string text) {
  for (char& letter : text)
    if (letter >= 'A' && letter <= 'Z') letter += 'a' - 'A';
  return text;
}

// The name with its namespace, and the reason, in lower case.
inline std::string SearchedText(const GroupRow& group) {
  return LowerCase(group.namespace_name + "/" + group.name + "\n" +
                   group.reason.value_or(""));
}

}  // namespace fluxnetes::services
