// Any text either is a quantity or is refused; a quantity is written and read
// back as the same amount.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cluster/text/quantity.h"

namespace {

using fluxnetes::cluster::FormatBytes;
using fluxnetes::cluster::FormatCpu;
using fluxnetes::cluster::ParseCpuMilli;
using fluxnetes::cluster::ParseQuantity;

void Check(std::int64_t (*parse)(std::string_view),
           std::string (*format)(std::int64_t), std::string_view text) {
  std::int64_t amount = 0;
  try {
    amount = parse(text);
  } catch (const std::invalid_argument&) {
    return;
  }
  if (amount < 0 || parse(format(amount)) != amount) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.ends_with('\n')) text.remove_suffix(1);  // as corpus files end
  Check(ParseQuantity, FormatBytes, text);
  Check(ParseCpuMilli, FormatCpu, text);
  return 0;
}
