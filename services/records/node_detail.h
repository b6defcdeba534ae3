// One node with its groups, its maintenance and what it has inside; and the
// maintenance of all nodes.
//
// Reads only. Throws sql::Error.
// Tests: tests/services/explain/describe_node_pgtest.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "services/records/group_name.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {

// A group that has the node, or will have it.
struct NodeGroupRow {
  std::string kind;  // running, reserved or draining
  std::int64_t id = 0;
  GroupName group;
  std::string queue;
  int size = 0;  // pods on all nodes
  std::optional<sql::Timestamp> start;
  std::optional<sql::Timestamp> end;
  // What its pods hold on this node; of a running group.
  int pods = 0;
  std::int64_t cpu_milli = 0;
  std::int64_t memory_bytes = 0;
  std::vector<std::string> inside;  // paths, by pod; none: amounts alone
  // Those of its pods' claims, or reserved for them: "driver/pool/device".
  std::vector<std::string> devices;
};

// A device that a pod of another scheduler has.
struct UnmanagedDeviceRow {
  std::string device;  // "driver/pool/device"
  std::string namespace_name;
  std::string pod;
};

// The devices of a driver on a node.
struct DriverDevices {
  std::int64_t all = 0;        // that only this node can use
  std::int64_t held = 0;       // by groups; those that other nodes can use, too
  std::int64_t unmanaged = 0;  // likewise, by pods of other schedulers alone
};
using DevicesByDriver = std::map<std::string, DriverDevices>;

struct MaintenanceRow {
  std::int64_t id = 0;
  std::vector<std::string> nodes;             // by name; empty: by labels
  std::map<std::string, std::string> labels;  // {}: of every node
  sql::Timestamp start;
  std::optional<sql::Timestamp> end;
  std::string reason;
  sql::Timestamp made;
  std::int64_t known_nodes = 0;
  std::int64_t groups_in_the_way = 0;  // counted once for each node
};

// Of a row of list_nodes.
DevicesByDriver ReadDevicesOfNode(const sql::Row& row);

// How many are in use: "gpu.example.com 3/8"; without those of the node alone
// "licence.example.com 1".
std::string InWords(const DevicesByDriver& devices);

// Running groups, then reserved and draining ones; each by start.
std::vector<NodeGroupRow> ReadGroupsOnNode(sql::Transaction& transaction,
                                           const std::string& node);

// By device; one that several pods share is there for each of them.
std::vector<UnmanagedDeviceRow> ReadUnmanagedDevices(
    sql::Transaction& transaction, const std::string& node);

// Maintenance that is not over at `now`, by start; only that of `node` if it is
// given.
std::vector<MaintenanceRow> ReadMaintenance(
    sql::Transaction& transaction, sql::Timestamp now,
    const std::optional<std::string>& node);

// What the node has inside, in one of the forms of docs/structures.md; empty:
// not known.
std::string ReadStructureOfNode(sql::Transaction& transaction,
                                const std::string& node);

}  // namespace fluxnetes::services
