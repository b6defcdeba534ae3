// Compares on a real API server: Fluxnetes, Kubernetes' own scheduler, and a
// bare loop that only POSTs bindings, in turns on this machine, in one run.
// Prints one JSON object per row.
//
//   kubernetes_benchmark [--encoding ENCODING] [ROW [RUNS]]
//
// ROW: backlog, gangs, latency, waiting, restart, requests. ENCODING: what all
// three speak to the API server, protobuf (which they do by default), json, or
// both, one after the other.
//
// FLUXNETES_CLUSTER_TOOLS is the folder of the programs of hack/cluster.

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/json/object_writer.h"
#include "cluster/kubernetes/protobuf_bodies.h"
#include "cluster/protobuf/envelope.h"
#include "tests/benchmarks/kubernetes/control_plane.h"
#include "tests/benchmarks/kubernetes/rows.h"
#include "tests/benchmarks/kubernetes/world.h"

namespace fluxnetes::benchmarks {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr int kBacklog = 5'000;
constexpr seconds kPatience{600};
// The peer's native gangs may never finish: after this long it has lost.
constexpr seconds kPatienceWithNativeGangs{60};

// Part of a row's name.
std::string In(bool protobuf) { return protobuf ? "" : ", in JSON"; }

double Rate(const std::vector<SteadyTime>& times) {
  if (times.size() < 2) return 0;
  return static_cast<double>(times.size() - 1) /
         duration<double>(times.back() - times.front()).count();
}

// POSTs bindings of pods that no scheduler handles, and nothing else; returns
// bindings per second up to the last answer.
double BareLoop(World& world, const std::vector<CreatedPod>& pods,
                int connections, int nodes) {
  ControlPlane& plane = world.plane();
  cluster::HttpOptions options = plane.access();
  options.connections = connections;
  cluster::HttpClient client(options);
  std::vector<cluster::HttpRequest> requests;
  int node = 0;
  for (const CreatedPod& pod : pods) {
    const std::string name = fmt::format("node-{:04}", node++ % nodes);
    cluster::HttpRequest request;
    request.method = "POST";
    request.path = "/api/v1/namespaces/default/pods/" + pod.name + "/binding";
    const cluster::Binding binding{"default", pod.name, pod.uid, pod.version,
                                   name};
    if (world.protobuf()) {
      request.body = cluster::BindingInProtobuf(binding);
      request.content_type = request.accept = cluster::kProtobufType;
    } else {
      request.body = cluster::WriteBinding(binding);
    }
    request.attempt_timeout = request.deadline = kPatience;
    requests.push_back(std::move(request));
  }
  const auto begin = steady_clock::now();
  const auto responses = client.SendAll(std::move(requests));
  const duration<double> took = steady_clock::now() - begin;
  for (const auto& response : responses) {
    if (!response.Succeeded())
      throw std::runtime_error("a bare binding: " + response.error +
                               response.body);
  }
  return static_cast<double>(responses.size()) / took.count();
}

struct Rates {
  std::vector<double> bare, peer, ours, event_lag;
};

// Returns the seconds until the server has received `until` events in total.
double WaitForEvents(ControlPlane& plane, double until) {
  const auto begin = steady_clock::now();
  while (plane.Counter("apiserver_request_total",
                       {"resource=\"events\"", "verb=\"POST\"",
                        "code=\"201\""}) < until &&
         steady_clock::now() - begin < kPatience) {
    std::this_thread::sleep_for(milliseconds(100));
  }
  return duration<double>(steady_clock::now() - begin).count();
}

// All pods wait before the scheduler starts; measures from the first observed
// binding to the last.
void MeasureBacklog(int size, int runs, bool protobuf) {
  constexpr int kNodes = 1'000;
  Rates rates;
  for (int run = 0; run < runs; ++run) {
    Say("starting a cluster of 1,000 nodes");
    World world(kNodes, protobuf);
    ControlPlane& plane = world.plane();
    {
      Say("a bare loop binds");
      const auto pods = plane.Create("bare", kBacklog, {.scheduler = "nobody"});
      rates.bare.push_back(BareLoop(world, pods, 32, kNodes));
      plane.DeleteAll();
    }
    {
      Say("kube-scheduler binds");
      plane.Create("peer", kBacklog,
                   {.scheduler = "default-scheduler",
                    .gang = size,
                    .native_gang = size > 1});
      BindingWatch watch(plane, "peer");
      const auto scheduler = world.KubeScheduler(size > 1);
      rates.peer.push_back(Rate(watch.WaitFor(
          kBacklog, size > 1 ? kPatienceWithNativeGangs : kPatience)));
    }
    plane.DeleteAll();
    {
      Say("Fluxnetes binds");
      plane.Create("ours", kBacklog, {.scheduler = "fluxnetes", .gang = size});
      const double events = plane.Counter(
          "apiserver_request_total",
          {"resource=\"events\"", "verb=\"POST\"", "code=\"201\""});
      BindingWatch watch(plane, "ours");
      const auto scheduler = world.Fluxnetes();
      Say("waiting for bindings");
      rates.ours.push_back(Rate(watch.WaitFor(kBacklog, kPatience)));
      rates.event_lag.push_back(WaitForEvents(plane, events + kBacklog));
    }
  }
  const std::string what =
      (size > 1 ? "backlog in gangs of " + std::to_string(size) : "backlog") +
      In(protobuf);
  const double bare = Median(rates.bare), peer = Median(rates.peer);
  const double limit =
      size > 1 ? 0.8 * bare : std::max(0.85 * bare, 1.7 * peer);
  PrintRow(what + ", bound by a bare loop", "pods/s", rates.bare);
  PrintRow(what + ", bound by kube-scheduler", "pods/s", rates.peer);
  PrintRow(what + ", bound by Fluxnetes", "pods/s", rates.ours,
           {{"limit", limit}, {"bare", bare}, {"peer", peer}});
  PrintRow(what + ", last event after last binding", "s", rates.event_lag);
}

// Measures from the answer to the last creation to the observation of the last
// binding. Then waits until the system is idle: the kubelets have reported
// running pods, the events are written.
double MeasureOnce(ControlPlane& plane, const std::string& prefix, int size,
                   const std::string& scheduler) {
  constexpr milliseconds kQuiet{150};
  BindingWatch watch(plane, prefix, plane.Version());
  std::this_thread::sleep_for(milliseconds(50));  // for it to open
  const bool gang = scheduler == "fluxnetes";
  plane.Create(prefix, size, {.scheduler = scheduler, .gang = gang ? size : 1});
  const auto begin = steady_clock::now();
  const auto bound = watch.WaitFor(size, kPatience);
  watch.WaitUntilRunning(size, kPatience);
  std::this_thread::sleep_for(kQuiet);
  return duration<double, std::milli>(bound.back() - begin).count();
}

struct Latency {
  std::vector<double> medians, tails;

  void Add(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    medians.push_back(times[times.size() / 2]);
    tails.push_back(times[times.size() * 99 / 100]);
  }
};

// Both run at once and take turns, so that disturbances affect both.
void MeasureLatency(int runs, bool protobuf) {
  constexpr int kNodes = 100;
  constexpr int kTimes = 200;
  constexpr int kWarmUp = 10;
  const std::string peer_name = "default-scheduler", our_name = "fluxnetes";
  for (const int size : {1, 8}) {
    Latency peer, ours;
    for (int run = 0; run < runs; ++run) {
      World world(kNodes, protobuf);
      ControlPlane& plane = world.plane();
      const auto peer_scheduler = world.KubeScheduler();
      const auto our_scheduler = world.Fluxnetes();
      std::vector<double> peer_times, our_times;
      for (int i = -kWarmUp; i < kTimes; ++i) {
        const std::string name =
            (i < 0 ? "warm" : "x") + std::to_string(i + kWarmUp) + "x";
        const double of_peer =
            MeasureOnce(plane, "peer" + name, size, peer_name);
        const double of_us = MeasureOnce(plane, "ours" + name, size, our_name);
        if (i < 0) continue;
        peer_times.push_back(of_peer);
        our_times.push_back(of_us);
      }
      peer.Add(std::move(peer_times));
      ours.Add(std::move(our_times));
    }
    const auto limit = [size](double of_peer) {
      return size == 1 ? of_peer + 5 : of_peer * 1.2;
    };
    const std::string what = "created to bound, idle, " + std::to_string(size) +
                             " pods" + In(protobuf) + ", ";
    PrintRow(what + "p50", "ms", ours.medians,
             {{"peer", Median(peer.medians)},
              {"limit", limit(Median(peer.medians))}});
    PrintRow(
        what + "p99", "ms", ours.tails,
        {{"peer", Median(peer.tails)}, {"limit", limit(Median(peer.tails))}});
  }
}

// A gang that does not fit waits while small pods are scheduled; measures from
// the first creation to the last binding. Runs with and without the gang
// alternate in order.
void MeasureWaiting(int runs, bool protobuf) {
  constexpr int kSmall = 1'000;
  constexpr int kGang = 64;  // whole nodes; there are only 60
  std::vector<double> alone, beside, events;
  for (int run = 0; run < runs; ++run) {
    World world(60, protobuf);
    ControlPlane& plane = world.plane();
    const auto scheduler = world.Fluxnetes();
    const auto flow = [&](const std::string& prefix) {
      BindingWatch watch(plane, prefix);
      const auto begin = steady_clock::now();
      plane.Create(prefix, kSmall, {.scheduler = "fluxnetes", .cpu = "10m"});
      const auto bound = watch.WaitFor(kSmall, kPatience);
      return kSmall / duration<double>(bound.back() - begin).count();
    };
    flow("warm");
    if (run % 2 == 0) alone.push_back(flow("alone"));
    const auto gang = plane.Create(
        "big", kGang, {.scheduler = "fluxnetes", .gang = kGang, .cpu = "32"});
    // Until it was considered and its pods informed.
    std::this_thread::sleep_for(seconds(15));
    beside.push_back(flow("beside"));
    const auto listed = plane.api().Send(
        {.path = "/api/v1/namespaces/default/events?fieldSelector="
                 "reason%3DFailedScheduling"});
    events.push_back(static_cast<double>(
        nlohmann::json::parse(listed.body).at("items").size()));
    if (run % 2 == 0) continue;
    plane.Delete(gang);
    std::this_thread::sleep_for(seconds(2));
    alone.push_back(flow("alone"));
  }
  const std::string in = In(protobuf);
  PrintRow("1,000 small pods alone" + in, "pods/s", alone);
  PrintRow("1,000 small pods beside a waiting gang of 64" + in, "pods/s",
           beside, {{"bare", Median(alone)}});
  PrintRow("events of the waiting gang" + in, "events", events, {{"limit", 1}});
}

// Measures from the creation of a pod, just before the scheduler starts, to the
// observation of its binding: after an orderly stop, as in a rollout, and after
// a kill, when the dead client's time to live must pass.
void MeasureRestart(int runs, bool protobuf) {
  constexpr int kBound = 10'000;
  std::vector<double> orderly, killed, peers;
  for (int run = 0; run < runs; ++run) {
    World world(1'000, protobuf);
    ControlPlane& plane = world.plane();
    Contestant scheduler = world.Fluxnetes();
    {
      BindingWatch watch(plane, "bound");
      plane.Create("bound", kBound, {.scheduler = "fluxnetes"});
      watch.WaitFor(kBound, kPatience);
    }
    const auto first = [&](const std::string& prefix,
                           const std::string& scheduler_name,
                           const auto& start) {
      BindingWatch watch(plane, prefix);
      plane.Create(prefix, 1, {.scheduler = scheduler_name});
      const auto begin = steady_clock::now();
      start();
      return duration<double>(watch.WaitFor(1, kPatience).at(0) - begin)
          .count();
    };
    const auto again = [&] {
      scheduler = world.Fluxnetes(std::move(scheduler.database));
    };
    scheduler.process->Signal(SIGTERM);
    scheduler.process->WaitForEnd(kPatience);
    orderly.push_back(first("rolled", "fluxnetes", again));
    scheduler.process->Kill();
    killed.push_back(first("killed", "fluxnetes", again));
    scheduler.process->Kill();
    Contestant peer;
    peers.push_back(first("peer", "default-scheduler",
                          [&] { peer = world.KubeScheduler(); }));
  }
  const std::string what =
      "to first binding, 1,000 nodes, 10,000 bound pods" + In(protobuf);
  PrintRow("restart " + what, "s", orderly,
           {{"limit", 3}, {"peer", Median(peers)}});
  PrintRow("restart after a kill " + what, "s", killed,
           {{"limit", 5}, {"peer", Median(peers)}});
}

// Counts writes and single reads that reach the server for bound pods; the
// simulated kubelets write only to pods/status.
void MeasureRequestsWith(bool tells, int runs, bool protobuf) {
  constexpr int kPods = 1'000;
  std::vector<double> requests;
  for (int run = 0; run < runs; ++run) {
    World world(100, protobuf);
    ControlPlane& plane = world.plane();
    const auto scheduler = world.Fluxnetes(nullptr, tells);
    plane.Create("warm", 1, {.scheduler = "fluxnetes"});
    BindingWatch(plane, "warm").WaitFor(1, kPatience);
    const auto count = [&] {
      double sum = 0;
      for (const auto& words : std::vector<std::vector<std::string>>{
               {"resource=\"pods\"", "subresource=\"binding\""},
               {"resource=\"events\"", "verb=\"POST\""},
               {"resource=\"events\"", "verb=\"PATCH\""},
               {"resource=\"pods\"", "subresource=\"\"", "verb=\"GET\""},
               {"resource=\"pods\"", "subresource=\"\"", "verb=\"PATCH\""}}) {
        sum += plane.Counter("apiserver_request_total", words);
      }
      return sum;
    };
    // The controllers write an event for each new node.
    for (double seen = -1; seen != count();) {
      seen = count();
      std::this_thread::sleep_for(seconds(3));
    }
    const double events =
        plane.Counter("apiserver_request_total",
                      {"resource=\"events\"", "verb=\"POST\"", "code=\"201\""});
    const double before = count();
    BindingWatch watch(plane, "some");
    plane.Create("some", kPods, {.scheduler = "fluxnetes"});
    watch.WaitFor(kPods, kPatience);
    if (tells) WaitForEvents(plane, events + kPods);
    requests.push_back((count() - before) / kPods);
  }
  PrintRow(
      std::string("requests per bound pod, beside list and watch, events ") +
          (tells ? "on" : "off") + In(protobuf),
      "requests", requests, {{"limit", tells ? 2 : 1}});
}

void MeasureRequests(int runs, bool protobuf) {
  MeasureRequestsWith(true, runs, protobuf);
  MeasureRequestsWith(false, runs, protobuf);
}

int Run(const std::string& only, int runs, const std::string& encoding) {
  std::vector<bool> encodings;  // whether it is Protobuf
  if (encoding != "json") encodings.push_back(true);
  if (encoding != "protobuf") encodings.push_back(false);
  using Measure = std::function<void(int runs, bool protobuf)>;
  const std::vector<std::pair<std::string, Measure>> rows = {
      {"backlog", [](int n, bool it) { MeasureBacklog(1, n, it); }},
      {"gangs", [](int n, bool it) { MeasureBacklog(8, n, it); }},
      {"latency", MeasureLatency},
      {"waiting", MeasureWaiting},
      {"restart", MeasureRestart},
      {"requests", MeasureRequests},
  };
  bool found = false;
  for (const auto& [name, measure] : rows) {
    if (!only.empty() && only != name) continue;
    found = true;
    for (const bool protobuf : encodings) measure(runs, protobuf);
  }
  if (!found) std::cerr << "error: no row '" << only << "'\n";
  return found ? 0 : 2;
}

}  // namespace
}  // namespace fluxnetes::benchmarks

int main(int argc, char** argv) {
  try {
    std::vector<std::string> words(argv + 1, argv + argc);
    std::string encoding = "protobuf";
    if (!words.empty() && words[0] == "--encoding") {
      encoding = words.size() > 1 ? words[1] : "";
      words.erase(words.begin(), words.begin() + std::min<long>(2, argc - 1));
    }
    if (encoding != "protobuf" && encoding != "json" && encoding != "both") {
      std::cerr << "error: --encoding takes protobuf, json or both\n";
      return 2;
    }
    words.resize(2);
    return fluxnetes::benchmarks::Run(
        words[0], words[1].empty() ? 3 : std::stoi(words[1]), encoding);
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n";
    return 1;
  }
}
