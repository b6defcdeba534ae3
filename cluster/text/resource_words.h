// Amounts of resources in words, for reasons and tables that people read:
//
//   cpu                "2 cpu", "250m cpu"
//   memory             "4Gi"
//   ephemeral-storage  "10Gi of ephemeral storage"
//   hugepages-2Mi      "1 hugepage of 2Mi", "8 hugepages of 2Mi"
//   pods               "1 pod", "110 pods"
//   nvidia.com/gpu     "2 nvidia.com/gpu": a name has no plural
//
// Pure.
#pragma once

#include <cstdint>
#include <string>

namespace fluxnetes::cluster {

// "4Gi" or "1500M" if that is exact and short, else rounded down to a tenth of
// a unit: "15.6Gi".
std::string BytesInWords(std::int64_t bytes);

std::string AmountInWords(const std::string& resource, std::int64_t amount);

// "memory", "ephemeral storage", "hugepages of 2Mi".
std::string ResourceInWords(const std::string& resource);

// "too little memory", "too few pods", "too few hugepages of 2Mi".
std::string TooLittleOf(const std::string& resource);

}  // namespace fluxnetes::cluster
