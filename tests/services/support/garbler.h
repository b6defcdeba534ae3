// Changes, removes or repeats some bytes of valid requests, by a seed
// (FLUXNETES_TEST_SEED, else 1).
#pragma once

#include <cstddef>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace fluxnetes::services {

class Garbler {
 public:
  // `pieces` are inserted at wrong places.
  explicit Garbler(std::vector<std::string> pieces)
      : random_(Seed()), pieces_(std::move(pieces)) {}

  static unsigned Seed() {
    const char* given = std::getenv("FLUXNETES_TEST_SEED");
    return given == nullptr ? 1U : static_cast<unsigned>(std::stoul(given));
  }
  // Returns the number of requests for the short or the long form of the test.
  static int Count(int in_short, int in_long) {
    return std::getenv("FLUXNETES_TEST_LONG") == nullptr ? in_short : in_long;
  }

  std::size_t Below(std::size_t limit) { return random_() % limit; }

  template <typename Element>
  const Element& OneOf(const std::vector<Element>& all) {
    return all[Below(all.size())];
  }

  // Keeps the first `kept` bytes.
  std::string Garble(std::string text, std::size_t kept = 0) {
    for (std::size_t change = 1 + Below(6); change > 0 && text.size() > kept;
         --change)
      Change(text, kept + Below(text.size() - kept));
    return text;
  }

 private:
  void Change(std::string& text, std::size_t place) {
    switch (Below(6)) {
      case 0:
        text[place] = static_cast<char>(Below(256));
        break;
      case 1:
        text.erase(place, 1 + Below(12));
        break;
      case 2:
        text.insert(place, text.substr(Below(text.size()), Below(80)));
        break;
      case 3:
        text.resize(place);
        break;
      case 4:
        text.insert(place, OneOf(pieces_));
        break;
      default:
        text.insert(place, std::string(Below(2'000), text[place]));
    }
  }

  std::mt19937 random_;
  const std::vector<std::string> pieces_;
};

}  // namespace fluxnetes::services
