#include "services/simulated_api/api_lists.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "cluster/text/json_text.h"
#include "services/simulated_api/api_status.h"

namespace fluxnetes::services {

namespace {

using cluster::JsonText;
using cluster::WatchedKind;
using std::chrono::steady_clock;
using Query = std::map<std::string, std::string>;

constexpr std::size_t kListsKept = 16;
constexpr int kEventsPerPiece = 500;
constexpr std::chrono::seconds kLongestWatch{3'600};
constexpr std::chrono::milliseconds kPatience{500};

std::string Get(const Query& query, const char* key) {
  const auto found = query.find(key);
  return found == query.end() ? "" : found->second;
}

// Returns the number in the query; `otherwise` if there is none, nullopt if the
// text is not a number.
std::optional<std::int64_t> GetNumber(const Query& query, const char* key,
                                      std::int64_t otherwise) {
  const std::string text = Get(query, key);
  if (text.empty()) return otherwise;
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < 0) return std::nullopt;
  return number;
}

// Returns an unsupported parameter that would change the result; empty: none.
std::string Unsupported(const Query& query) {
  for (const char* key : {"labelSelector", "fieldSelector"}) {
    if (!Get(query, key).empty()) return key;
  }
  return "";
}

const char* WordOf(WatchLog::Entry::Type type) {
  switch (type) {
    case WatchLog::Entry::Type::kAdded:
      return "ADDED";
    case WatchLog::Entry::Type::kModified:
      return "MODIFIED";
    case WatchLog::Entry::Type::kDeleted:
      return "DELETED";
  }
  return "ERROR";
}

void AppendLine(std::string& text, std::string_view type,
                std::string_view object) {
  text += R"({"type":")";
  text += type;
  text += R"(","object":)";
  text += object;
  text += "}\n";
}

// `ends_list`: all objects present at the start of the watch have been sent.
std::string WriteBookmark(WatchedKind kind, std::uint64_t version,
                          bool ends_list = false) {
  JsonText json;
  json.Object([&] {
    json.Field("kind", ServedKindOf(kind).name);
    json.Field("apiVersion", ServedKindOf(kind).api_version);
    json.Object("metadata", [&] {
      json.Field("resourceVersion", std::to_string(version));
      if (ends_list) {
        json.Object("annotations",
                    [&] { json.Field("k8s.io/initial-events-end", "true"); });
      }
    });
  });
  return json.Take();
}

std::string TooOld(std::uint64_t version, std::uint64_t oldest) {
  return "too old resource version: " + std::to_string(version) + " (" +
         std::to_string(oldest) + ")";
}

// The version is from an earlier cluster.
HttpAnswer TooLarge(std::uint64_t version, std::uint64_t newest) {
  return services::Answer(
      504, WriteStatus(504, "Timeout: Too large resource version: " +
                                std::to_string(version) +
                                ", current: " + std::to_string(newest)));
}

}  // namespace

// A reader of a watch.
struct ApiLists::Reader {
  WatchedKind kind = WatchedKind::kPods;
  std::string namespace_name;
  std::uint64_t place = 0;
  std::uint64_t begin = 0;    // versions up to this are skipped
  std::uint64_t version = 0;  // versions up to this were sent
  int generation = 0;
  bool bookmarks = false;
  bool over = false;
  std::string first_piece;
  steady_clock::time_point end;
  steady_clock::time_point next_bookmark;
};

ApiLists::ApiLists(cluster::SimulatedCluster& cluster, int entries_kept,
                   std::chrono::milliseconds bookmark_interval)
    : cluster_(cluster),
      bookmark_interval_(bookmark_interval),
      log_(cluster, entries_kept) {}

HttpAnswer ApiLists::ListOrWatch(WatchedKind kind,
                                 const std::string& namespace_name,
                                 const Query& query) {
  if (const std::string key = Unsupported(query); !key.empty()) {
    return BadRequest(key + " is not supported by the simulated cluster");
  }
  const std::string watch = Get(query, "watch");
  const bool watches = watch == "true" || watch == "1";
  return watches ? Watch(kind, namespace_name, query)
                 : List(kind, namespace_name, query);
}

std::string ApiLists::Keep(Snapshot snapshot, std::size_t next) {
  const sql::MutexLock lock(mutex_);
  const std::uint64_t number = next_kept_++;
  kept_.emplace(number, std::move(snapshot));
  if (kept_.size() > kListsKept) kept_.erase(kept_.begin());
  return std::to_string(number) + "." + std::to_string(next);
}

HttpAnswer ApiLists::List(WatchedKind kind, const std::string& namespace_name,
                          const Query& query) {
  const auto limit = GetNumber(query, "limit", 0);
  if (!limit) return BadRequest("limit: expected a number of 0 or more");
  const std::string continuation = Get(query, "continue");
  Snapshot snapshot;
  std::size_t next = 0;
  if (continuation.empty()) {
    snapshot = std::make_shared<const ServedList>(
        ListServed(cluster_, kind, namespace_name));
  } else {
    const std::size_t dot =
        std::min(continuation.find('.'), continuation.size());
    const sql::MutexLock lock(mutex_);
    const auto found = kept_.find(VersionNumber(continuation.substr(0, dot)));
    if (found == kept_.end() || dot == continuation.size()) {
      return Expired("The provided continue parameter is too old");
    }
    snapshot = found->second;
    next = VersionNumber(continuation.substr(dot + 1));
    kept_.erase(found);
  }
  const std::size_t size = snapshot->objects.size();
  next = std::min(next, size);
  const std::size_t end =
      *limit == 0 ? size
                  : std::min(size, next + static_cast<std::size_t>(*limit));
  JsonText json;
  json.Object([&] {
    json.Field("kind", std::string(ServedKindOf(kind).name) + "List");
    json.Field("apiVersion", ServedKindOf(kind).api_version);
    json.Object("metadata", [&] {
      json.Field("resourceVersion", snapshot->resource_version);
      if (end < size) {
        json.Field("continue", Keep(snapshot, end));
        json.Field("remainingItemCount", size - end);
      }
    });
    json.List("items", [&] {
      for (; next < end; ++next)
        json.Element(WriteServed(snapshot->objects[next]));
    });
  });
  return Answer(200, json.Take());
}

HttpAnswer ApiLists::Watch(WatchedKind kind, const std::string& namespace_name,
                           const Query& query) {
  const auto seconds =
      GetNumber(query, "timeoutSeconds", kLongestWatch.count());
  const auto version = GetNumber(query, "resourceVersion", 0);
  if (!seconds || !version) {
    return BadRequest(
        "timeoutSeconds, resourceVersion: expected numbers of 0 or more");
  }
  auto reader = std::make_shared<Reader>();
  reader->kind = kind;
  reader->namespace_name = namespace_name;
  reader->version = static_cast<std::uint64_t>(*version);
  reader->generation = generation_;
  const std::string bookmarks = Get(query, "allowWatchBookmarks");
  reader->bookmarks = bookmarks == "true" || bookmarks == "1";
  if (*version == 0) {
    // From the present state on, which is sent first.
    const ServedList list = ListServed(cluster_, kind, namespace_name);
    reader->version = VersionNumber(list.resource_version);
    for (const ServedObject& object : list.objects)
      AppendLine(reader->first_piece, "ADDED", WriteServed(object));
    if (Get(query, "sendInitialEvents") == "true") {
      AppendLine(reader->first_piece, "BOOKMARK",
                 WriteBookmark(kind, reader->version, /*ends_list=*/true));
    }
  }
  const std::uint64_t newest =
      VersionNumber(cluster_.TakeSnapshot().resource_version);
  if (reader->version > newest) return TooLarge(reader->version, newest);
  const auto place = log_.PlaceBehind(kind, reader->version);
  if (!place) return Expired(TooOld(reader->version, log_.OldestVersion(kind)));
  reader->begin = reader->version;
  reader->place = *place;
  const auto now = steady_clock::now();
  reader->end = now + std::min(std::chrono::seconds(*seconds), kLongestWatch);
  reader->next_bookmark = now + bookmark_interval_;
  HttpAnswer answer;
  answer.stream = [this, reader] { return NextPiece(*reader); };
  return answer;
}

std::optional<std::string> ApiLists::NextPiece(Reader& reader) {
  const auto now = steady_clock::now();
  if (reader.over || now >= reader.end || reader.generation != generation_) {
    return std::nullopt;
  }
  std::string piece = std::exchange(reader.first_piece, {});
  if (!piece.empty()) return piece;
  const auto until = std::min(reader.end, reader.next_bookmark) - now;
  const WatchLog::Batch batch =
      log_.Read(reader.kind, reader.place, kEventsPerPiece,
                std::clamp(std::chrono::ceil<std::chrono::milliseconds>(until),
                           std::chrono::milliseconds(0), kPatience));
  if (batch.closed) return std::nullopt;
  if (batch.lost) {
    reader.over = true;
    AppendLine(piece, "ERROR",
               WriteStatus(410, TooOld(reader.version,
                                       log_.OldestVersion(reader.kind))));
    return piece;
  }
  for (const WatchLog::Entry& entry : batch.entries) {
    // The log lags behind the cluster: an entry may already be in the list.
    if (entry.version <= reader.begin) continue;
    reader.version = std::max(reader.version, entry.version);
    if (!reader.namespace_name.empty() &&
        NameOf(entry.object).namespace_name != reader.namespace_name) {
      continue;
    }
    AppendLine(piece, WordOf(entry.type), WriteServed(entry.object));
  }
  if (reader.bookmarks && steady_clock::now() >= reader.next_bookmark) {
    AppendLine(piece, "BOOKMARK", WriteBookmark(reader.kind, reader.version));
    reader.next_bookmark = steady_clock::now() + bookmark_interval_;
  }
  return piece;
}

}  // namespace fluxnetes::services
