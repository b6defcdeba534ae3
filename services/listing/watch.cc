#include "services/listing/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <ostream>
#include <unordered_set>

#include "services/console/display_text.h"
#include "services/console/time_text.h"
#include "services/database/change_bell.h"
#include "services/listing/get.h"

namespace fluxnetes::services {
namespace {

using std::chrono::milliseconds;
using Counts = std::map<std::string, std::int64_t>;

// Between two reads of the database: at least, while something changes, and
// otherwise.
constexpr milliseconds kShortest{100};
constexpr milliseconds kBusy{500};
constexpr milliseconds kIdle{2'000};
constexpr milliseconds kSlice{50};  // how often the bell is polled
// The pause is at least so many times the query.
constexpr int kPauseFactor = 10;
// Groups just submitted may not be in the database yet. Unless the user says
// how many there are, all groups must be done for this long.
constexpr milliseconds kSettled{1'500};

std::int64_t CountOf(const Counts& counts, const char* state) {
  const auto found = counts.find(state);
  return found == counts.end() ? 0 : found->second;
}

// Counts groups that are unfinished and can still finish.
std::int64_t Unfinished(const Counts& counts) {
  return CountOf(counts, "provisional") + CountOf(counts, "pending") +
         CountOf(counts, "allocated") + CountOf(counts, "bound");
}

// Limits the text to so many columns; 0: no limit.
std::string Sums(const Counts& counts, bool colour, int columns) {
  struct Part {
    const char* state;
    Colour colour;
  };
  constexpr std::array<Part, 11> kParts = {{{"provisional", Colour::kNone},
                                            {"refused", Colour::kRed},
                                            {"pending", Colour::kYellow},
                                            {"unsatisfiable", Colour::kRed},
                                            {"allocated", Colour::kCyan},
                                            {"bound", Colour::kGreen},
                                            {"succeeded", Colour::kDim},
                                            {"failed", Colour::kRed},
                                            {"timed out", Colour::kRed},
                                            {"preempted", Colour::kYellow},
                                            {"cancelled", Colour::kRed}}};
  std::string text;
  int width = 1;  // "…"
  for (const Part& part : kParts) {
    const std::int64_t count = CountOf(counts, part.state);
    if (count == 0) continue;
    const std::string gap = text.empty() ? "" : ", ";
    const std::string words = fmt::format("{} {}", count, part.state);
    width += static_cast<int>(gap.size() + words.size());
    if (columns > 0 && width > columns) return text + "…";
    text += gap + Painted(words, part.colour, colour);
  }
  return text.empty() ? "no groups" : text;
}

std::string Exactly(std::optional<double> seconds) {
  if (!seconds) return "-";
  return *seconds < 60
             ? fmt::format("{:.3f}s", *seconds)
             : ShortDuration(milliseconds(std::int64_t(*seconds * 1000)));
}

// One read of the database.
struct Look {
  Listing listing;
  Counts counts;            // of groups by state
  FinishedSummary summary;  // of groups, if requested
  sql::Timestamp now;
};

// The frame on the screen, or the rows printed last.
class Display {
 public:
  Display(const GetOptions& options, Console& console)
      : options_(options), console_(console) {
    redraws_ = console.terminal && (options.output == OutputFormat::kTable ||
                                    options.output == OutputFormat::kWide);
    if (redraws_) console_.out << "\x1b[?25l" << std::flush;  // hide the cursor
  }
  ~Display() {
    if (redraws_) console_.out << "\x1b[?25h" << std::flush;
  }
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  void Show(const Look& look) {
    if (redraws_)
      Redraw(FrameOf(look));
    else
      PrintChanges(look.listing);
    away_ = false;
  }

  void ShowAway(const std::string& why) {
    if (away_) return;
    away_ = true;
    console_.err << Printable("The database is away, waiting for it: " + why)
                 << std::endl;
    drawn_ = 0;
  }

 private:
  std::vector<std::string> FrameOf(const Look& look) const {
    const auto [columns, rows] = console_.size();
    std::vector<std::string> lines =
        look.listing.table.Lines({.columns = columns,
                                  .colour = console_.colour,
                                  .header = options_.headers});
    const bool groups = options_.what == GetOptions::What::kGroups;
    const int room = rows - 2 - (groups ? 1 : 0);
    if (rows > 0 && static_cast<int>(lines.size()) > std::max(room, 1)) {
      const std::size_t shown = static_cast<std::size_t>(std::max(room, 1));
      const std::size_t hidden = lines.size() - shown;
      lines.resize(shown);
      lines.push_back(
          look.listing.beyond || !look.listing.more
              ? fmt::format("… {} more",
                            hidden + look.listing.beyond.value_or(0))
              : fmt::format("… {} and still more", hidden));
    }
    if (groups) {
      const std::string time = ShortTime(look.now).substr(11) + "  ";
      const int left = columns - static_cast<int>(time.size());
      lines.insert(lines.begin(),
                   time + Sums(look.counts, console_.colour,
                               columns > 0 ? std::max(left, 1) : 0));
    }
    return lines;
  }

  void Redraw(const std::vector<std::string>& lines) {
    std::string frame;
    if (drawn_ > 0) frame += fmt::format("\x1b[{}A", drawn_);
    for (const std::string& line : lines) frame += "\r" + line + "\x1b[K\n";
    frame += "\x1b[J";
    drawn_ = lines.size();
    console_.out << frame << std::flush;
  }

  void PrintChanges(const Listing& listing) {
    const std::vector<std::string> lines =
        listing.items ? std::vector<std::string>()
                      : listing.table.Lines({.header = true});
    std::unordered_set<std::string> seen;
    for (std::size_t i = 0; i < listing.names.size(); ++i) {
      std::string print = listing.names[i] + "\n" + listing.fingerprints[i];
      if (!printed_.contains(print)) PrintRow(listing, lines, i);
      seen.insert(std::move(print));
    }
    printed_ = std::move(seen);
    console_.out << std::flush;
  }

  void PrintRow(const Listing& listing, const std::vector<std::string>& lines,
                std::size_t row) {
    if (listing.items) {
      console_.out << listing.items->at(row).dump(
                          -1, ' ', false,
                          nlohmann::json::error_handler_t::replace)
                   << '\n';
      return;
    }
    if (options_.output == OutputFormat::kName) {
      console_.out << listing.names[row] << '\n';
      return;
    }
    if (!header_printed_ && options_.headers) console_.out << lines[0] << '\n';
    header_printed_ = true;
    console_.out << lines[row + 1] << '\n';
  }

  const GetOptions& options_;
  Console& console_;
  bool redraws_ = false;
  bool away_ = false;
  std::size_t drawn_ = 0;  // lines in the last frame
  bool header_printed_ = false;
  std::unordered_set<std::string> printed_;  // names and fingerprints
};

std::int64_t Total(const Counts& counts) {
  std::int64_t total = 0;
  for (const auto& [state, count] : counts) total += count;
  return total;
}

// True once all groups have been done for kSettled, or so many are.
class Settlement {
 public:
  explicit Settlement(std::int64_t at_least) : at_least_(at_least) {}

  bool Reached(const Counts& counts, sql::Timestamp now) {
    const bool done = !counts.empty() && Unfinished(counts) == 0;
    if (at_least_ > 0) return done && Total(counts) >= at_least_;
    since_ = done ? std::min(since_, now) : sql::Timestamp::max();
    return done && now - since_ >= kSettled;
  }

 private:
  const std::int64_t at_least_;
  sql::Timestamp since_ = sql::Timestamp::max();
};

Look LookAt(const GetOptions& options, sql::Timestamp since, sql::Pool& pool,
            sql::Timestamp now) {
  sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
  Look look{ListFor(transaction, options, since, now), {}, {}, now};
  if (options.what == GetOptions::What::kGroups) {
    const GroupFilter filter = FilterOf(options, since);
    look.counts = CountGroups(transaction, filter);
    if (options.until_done)
      look.summary = SummarizeFinished(transaction, filter);
  }
  return look;
}

void PrintSummary(const Look& look, Console& console) {
  const FinishedSummary& summary = look.summary;
  console.out << fmt::format("\nDone: {}.\n", Sums(look.counts, false, 0));
  if (summary.groups == 0) return;
  console.out << fmt::format(
      "{} group{} with {} pod{} took {} in all; from submitted to bound p50 "
      "{}, p95 {}.\n",
      summary.groups, summary.groups == 1 ? "" : "s", summary.pods,
      summary.pods == 1 ? "" : "s", Exactly(summary.makespan),
      Exactly(summary.wait_p50), Exactly(summary.wait_p95));
}

// Waits until the bell rings; returns true if the user wants to stop.
bool WaitForNews(ChangeBell& bell, milliseconds least, milliseconds most,
                 bool& rung, Console& console) {
  if (console.wait(least)) return true;
  rung = bell.HasRung();
  for (milliseconds waited = least; waited < most && !rung; waited += kSlice) {
    if (console.wait(kSlice)) return true;
    rung = bell.HasRung();
  }
  return false;
}

}  // namespace

ExitCode RunWatch(const GetOptions& options, sql::Pool& pool,
                  Console& console) {
  const sql::Timestamp start = console.now();
  Display display(options, console);
  Settlement settlement(options.at_least);
  ChangeBell bell(pool.options());
  bool busy = true;
  while (true) {
    const sql::Timestamp now = console.now();
    try {
      // With --until-done, finished groups stay listed; else they disappear
      // after a while.
      const Look look =
          LookAt(options, options.until_done ? start : now, pool, now);
      display.Show(look);
      if (options.until_done) {
        if (settlement.Reached(look.counts, now)) {
          PrintSummary(look, console);
          return ExitCode::kOk;
        }
        busy |= Unfinished(look.counts) == 0;
      }
    } catch (const sql::Error& error) {
      if (!error.MayRetry()) throw;
      display.ShowAway(error.what());
    }
    const auto took = std::chrono::ceil<milliseconds>(console.now() - now);
    if (WaitForNews(bell, std::max(kShortest, took * kPauseFactor),
                    busy ? kBusy : kIdle, busy, console))
      return options.until_done ? ExitCode::kInterrupted : ExitCode::kOk;
  }
}

}  // namespace fluxnetes::services
