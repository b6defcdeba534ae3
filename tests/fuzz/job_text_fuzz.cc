// Checks validation of a job's args and errors: a valid object is valid text,
// and cut text stays valid and is the longest that fits.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "queue/jobs/json_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace fluxnetes::queue;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!IsText(text)) {
    if (IsJsonObject(text)) std::abort();
    return 0;
  }
  for (const std::size_t bytes : {size / 2, size}) {
    const std::string_view cut = CutText(text, bytes);
    // A character of UTF-8 has at most four bytes.
    if (!IsText(cut) || !text.starts_with(cut) || cut.size() > bytes ||
        cut.size() + 4 <= bytes) {
      std::abort();
    }
  }
  return 0;
}
