// What the timeline draws: a row for each node, each value of a level (a rack)
// or each group, with the bars of groups, stacked where they overlap. Equal
// neighbours are folded into one row.
import { fillLanes } from "./lanes";
import type { Closure, TimelineData } from "./timeline_groups";

export type By = "node" | "level" | "group";

// node2 is before node10.
const kOrder = new Intl.Collator("en", { numeric: true });

export const kNotPlaced = "nodes not yet known";

export interface Row {
  names: string[]; // more than one: folded; in the order of the nodes
  first: number; // its bars in `bars` of the rows
  last: number;
  lanes: number;
  maintenance: Closure[];
  group: number; // of a row of one group; else -1
}

export interface TimelineRows {
  rows: Row[];
  bars: Int32Array; // the group of each bar
  lanes: Uint32Array; // and its lane in its row
}

// Groups in order of start.
function groupsInOrder({ groups }: TimelineData): Int32Array {
  const order = new Int32Array(groups.count);
  for (let i = 0; i < order.length; ++i) order[i] = i;
  const { from } = groups;
  return order.sort((a, b) => from[a]! - from[b]! || a - b);
}

// The row of each node; the last one is of groups whose nodes are not known.
interface Places {
  names: string[];
  of: (node: number) => number;
}

function placesOf(data: TimelineData, by: By): Places {
  if (by === "node") return { names: data.nodes, of: (node) => node };
  const none = data.levelValues.length;
  const names = [...data.levelValues];
  if (data.nodeLevels.some((level) => level < 0)) names.push("no such label");
  return { names, of: (node) => (data.nodeLevels[node]! < 0 ? none : data.nodeLevels[node]!) };
}

// Calls `take` for each bar, in order of start; a group has one in each row.
function eachBar(data: TimelineData, order: Int32Array, places: Places, take: (row: number, group: number) => void): void {
  const { groups } = data;
  const notPlaced = places.names.length;
  const seen = new Int32Array(notPlaced + 1).fill(-1);
  for (const group of order) {
    const first = groups.firstNode[group]!;
    const last = groups.firstNode[group + 1]!;
    if (first === last) take(notPlaced, group);
    for (let i = first; i < last; ++i) {
      const row = places.of(groups.nodePlaces[i]!);
      if (seen[row] === group) continue;
      seen[row] = group;
      take(row, group);
    }
  }
}

function rowsByPlace(data: TimelineData, by: By): TimelineRows {
  const order = groupsInOrder(data);
  const places = placesOf(data, by);
  const counts = new Int32Array(places.names.length + 2);
  eachBar(data, order, places, (row) => ++counts[row + 1]!);
  for (let i = 1; i < counts.length; ++i) counts[i]! += counts[i - 1]!;
  const ends = counts.slice();
  const bars = new Int32Array(counts[counts.length - 1]!);
  eachBar(data, order, places, (row, group) => (bars[ends[row]!++] = group));
  const rows = [...places.names, kNotPlaced].map((name, i): Row => {
    return { names: [name], first: counts[i]!, last: counts[i + 1]!, lanes: 1, maintenance: [], group: -1 };
  });
  const numbers = new Map(data.nodes.map((name, number) => [name, number]));
  for (const each of data.maintenance) {
    const number = numbers.get(each.node);
    if (number === undefined) continue;
    const row = rows[places.of(number)]!;
    // A row of many nodes has the same maintenance once.
    if (!row.maintenance.some((other) => other.from === each.from && other.until === each.until)) row.maintenance.push(each);
  }
  const unplaced = rows.pop()!;
  rows.sort((a, b) => kOrder.compare(a.names[0]!, b.names[0]!));
  if (unplaced.first < unplaced.last) rows.push(unplaced);
  return { rows, bars, lanes: new Uint32Array(bars.length) };
}

function rowsByGroup({ groups }: TimelineData): TimelineRows {
  const bars = new Int32Array(groups.count);
  const rows: Row[] = [];
  for (let i = 0; i < groups.count; ++i) {
    bars[i] = i;
    rows.push({ names: [groups.fullName(i)], first: i, last: i + 1, lanes: 1, maintenance: [], group: i });
  }
  return { rows, bars, lanes: new Uint32Array(bars.length) };
}

function areEqual(all: TimelineRows, a: Row, b: Row): boolean {
  const bars = a.last - a.first;
  if (bars !== b.last - b.first || a.maintenance.length !== b.maintenance.length) return false;
  for (let i = 0; i < bars; ++i) if (all.bars[a.first + i] !== all.bars[b.first + i]) return false;
  return a.maintenance.every((each, i) => each.from === b.maintenance[i]!.from && each.until === b.maintenance[i]!.until);
}

function fold(all: TimelineRows): Row[] {
  const folded: Row[] = [];
  for (const row of all.rows) {
    const last = folded[folded.length - 1];
    if (last && areEqual(all, last, row)) last.names.push(...row.names);
    else folded.push(row);
  }
  return folded;
}

// Whether the row or one of its groups has the words in its name.
function has(all: TimelineRows, data: TimelineData, row: Row, words: string): boolean {
  if (row.names.some((name) => name.toLowerCase().includes(words))) return true;
  for (let i = row.first; i < row.last; ++i) if (data.groups.fullName(all.bars[i]!).toLowerCase().includes(words)) return true;
  return false;
}

export interface RowsAsked {
  by: By;
  isFolded: boolean;
  find: string; // "": all
}

export function rowsOf(data: TimelineData, { by, isFolded, find }: RowsAsked): TimelineRows {
  const all = by === "group" ? rowsByGroup(data) : rowsByPlace(data, by);
  const words = find.trim().toLowerCase();
  if (words) all.rows = all.rows.filter((row) => has(all, data, row, words));
  if (isFolded && by !== "group") all.rows = fold(all);
  const { from, until } = data.groups;
  for (const row of all.rows)
    row.lanes = fillLanes(all.lanes, row.first, row.last, (bar) => from[all.bars[bar]!]!, (bar) => until[all.bars[bar]!]!);
  return all;
}
