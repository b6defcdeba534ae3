// What the timeline draws: a row for each node, with the bars of its groups,
// stacked where they share it; equal neighbours are folded into one row.
import type { GetTimelineResponse, TimelineGroup } from "../messages/timeline";

export interface Bar {
  group: TimelineGroup;
  from: number; // ms
  until: number; // ms; Infinity: it has no end
  lane: number;
}

export interface NodeRow {
  nodes: string[]; // more than one: folded
  bars: Bar[];
  lanes: number;
  maintenance: { from: number; until: number; reason: string }[];
}

export const kNotPlaced = "nodes not yet known";

function timeOf(text: string | undefined, otherwise: number): number {
  return text ? Date.parse(text) : otherwise;
}

// Gives each bar the first lane that is free.
function stack(bars: Bar[]): number {
  bars.sort((a, b) => a.from - b.from);
  const ends: number[] = [];
  for (const bar of bars) {
    let lane = ends.findIndex((end) => end <= bar.from);
    if (lane < 0) lane = ends.length;
    ends[lane] = bar.until;
    bar.lane = lane;
  }
  return Math.max(1, ends.length);
}

function keyOf(row: NodeRow): string {
  const bars = row.bars.map((bar) => `${bar.group.id}.${bar.lane}`);
  const closed = row.maintenance.map((each) => `${each.from}-${each.until}`);
  return [...bars, "|", ...closed].join(",");
}

function fold(rows: NodeRow[]): NodeRow[] {
  const folded: NodeRow[] = [];
  let key = "";
  for (const row of rows) {
    const own = keyOf(row);
    const last = folded[folded.length - 1];
    if (last && own === key) last.nodes.push(...row.nodes);
    else folded.push(row);
    key = own;
  }
  return folded;
}

export function rowsOf(pages: GetTimelineResponse[], nodeNames: string[], isFolded: boolean): NodeRow[] {
  const rows = new Map<string, NodeRow>();
  const row = (name: string): NodeRow => {
    let found = rows.get(name);
    if (!found) rows.set(name, (found = { nodes: [name], bars: [], lanes: 1, maintenance: [] }));
    return found;
  };
  nodeNames.forEach(row);
  const now = timeOf(pages[0]?.now, Date.now());
  for (const page of pages) {
    for (const group of page.groups ?? []) {
      const from = timeOf(group.startsAt, now);
      const until = timeOf(group.endsAt, Infinity);
      const nodes = group.nodes?.length ? group.nodes.map((each) => each.name) : [kNotPlaced];
      for (const name of nodes) row(name).bars.push({ group, from, until, lane: 0 });
    }
    for (const each of page.maintenance ?? [])
      row(each.node).maintenance.push({ from: timeOf(each.startsAt, now), until: timeOf(each.endsAt, Infinity), reason: each.reason ?? "" });
  }
  const all = [...rows.values()];
  for (const each of all) each.lanes = stack(each.bars);
  return isFolded ? fold(all) : all;
}
