#include "cluster/text/resource_words.h"

#include <array>
#include <stdexcept>
#include <string_view>

#include "cluster/text/quantity.h"

namespace fluxnetes::cluster {
namespace {

constexpr std::string_view kHugepages = "hugepages-";
constexpr std::string_view kStorage = "ephemeral-storage";
constexpr std::size_t kShort = 7;  // "32768Mi"

// Returns the bytes of a page; 0 if the resource is not of hugepages.
std::int64_t PageBytes(const std::string& resource) {
  if (!resource.starts_with(kHugepages)) return 0;
  try {
    return ParseQuantity(resource.substr(kHugepages.size()));
  } catch (const std::invalid_argument&) {
    return 0;
  }
}

std::string PagesCalled(const std::string& resource, bool one) {
  return (one ? "hugepage of " : "hugepages of ") +
         resource.substr(kHugepages.size());
}

}  // namespace

std::string BytesInWords(std::int64_t bytes) {
  static constexpr std::array<std::string_view, 7> kUnits = {
      "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  std::string exact = FormatBytes(bytes);
  if (exact.size() <= kShort || bytes < 0) return exact;
  std::size_t unit = 0;
  std::int64_t whole = bytes;
  std::int64_t rest = 0;
  for (; whole >= 1'024; ++unit) {
    rest = whole % 1'024;
    whole /= 1'024;
  }
  return std::to_string(whole) + "." + std::to_string(rest * 10 / 1'024) +
         std::string(kUnits[unit]);
}

std::string AmountInWords(const std::string& resource, std::int64_t amount) {
  if (resource == "cpu") return FormatCpu(amount) + " cpu";
  if (resource == "memory") return BytesInWords(amount);
  if (resource == kStorage)
    return BytesInWords(amount) + " of ephemeral storage";
  if (resource == "pods")
    return std::to_string(amount) + (amount == 1 ? " pod" : " pods");
  if (const std::int64_t page = PageBytes(resource); page > 0) {
    if (amount % page != 0)
      return BytesInWords(amount) + " of " + PagesCalled(resource, false);
    const std::int64_t pages = amount / page;
    return std::to_string(pages) + " " + PagesCalled(resource, pages == 1);
  }
  return std::to_string(amount) + " " + resource;
}

std::string ResourceInWords(const std::string& resource) {
  if (resource == kStorage) return "ephemeral storage";
  return PageBytes(resource) > 0 ? PagesCalled(resource, false) : resource;
}

std::string TooLittleOf(const std::string& resource) {
  const bool amount =
      resource == "cpu" || resource == "memory" || resource == kStorage;
  return (amount ? "too little " : "too few ") + ResourceInWords(resource);
}

}  // namespace fluxnetes::cluster
