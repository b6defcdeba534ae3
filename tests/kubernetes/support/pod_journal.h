// What the API server itself tells of the pods of one namespace, every change
// in its order, and what of it must never be:
//
//   - a pod that has a node gets another
//   - more runs on a node, at any moment, than the node has cpu
//
// and how far each gang is. It watches on a line of its own, from when it is
// made, and misses nothing: where the API server has cut it off, the next look
// goes on from there, and that it could not is a violation too.
//
// Used by one thread; what it reads comes from another.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/http/http_client.h"
#include "cluster/objects/pod.h"
#include "sql/mutex.h"

namespace fluxnetes::testing {

class PodJournal {
 public:
  // With what the nodes have; others are not looked at. Of gangs it knows by
  // the labels fluxnetes.group-name and -size.
  PodJournal(cluster::HttpClient& api, const std::string& name_space,
             std::map<std::string, std::int64_t> cpu_milli_of_nodes);
  ~PodJournal();

  struct Sum {
    int made = 0, bound = 0, ended = 0;  // pods, ever
    int whole = 0;                       // gangs bound to the last member
    std::vector<std::string> in_part;    // gangs: "a: 1 of 2"
    // From the first to the last member bound, of the gangs that are whole.
    std::chrono::milliseconds longest_burst{0};
    std::vector<std::string> violations;
    // Of these, the pods that came to a node that had no room, by name.
    std::vector<std::string> crowding;
  };
  Sum Look();

  // The node of the pod of this name; empty: none. Names are used once.
  std::string NodeOf(const std::string& pod) const;

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  struct Life {
    std::string name, node;
    std::int64_t cpu_milli = 0;
    bool over = false;
  };
  struct Gang {
    int size = 0, bound = 0;
    SteadyTime first;
  };
  class Reader;

  void Open() EXCLUDES(mutex_);
  void Read(std::string_view line) EXCLUDES(mutex_);
  void End(const cluster::HttpResponse& response) EXCLUDES(mutex_);
  void See(const cluster::Pod& pod, bool deleted) REQUIRES(mutex_);
  void NoteBound(const cluster::Pod& pod, Life& life) REQUIRES(mutex_);
  void NoteEnd(Life& life) REQUIRES(mutex_);

  const std::map<std::string, std::int64_t> capacity_;

  mutable sql::Mutex mutex_;
  // In cpu_milli, by node.
  std::map<std::string, std::int64_t> used_ GUARDED_BY(mutex_);
  std::map<std::string, Life> lives_ GUARDED_BY(mutex_);  // by UID
  std::map<std::string, Gang> gangs_ GUARDED_BY(mutex_);
  Sum sum_ GUARDED_BY(mutex_);
  std::string version_ GUARDED_BY(mutex_);  // of the last that was told
  bool cut_off_ GUARDED_BY(mutex_) = false;

  cluster::HttpClient& api_;
  const std::string path_;
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<cluster::HttpStream> stream_;  // goes before its reader
};

}  // namespace fluxnetes::testing
