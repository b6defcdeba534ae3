// The groups of a timeline in columns: a hundred thousand of them are a few
// arrays, and no object each.
import type { GetTimelineChartResponse, TimelineMaintenance } from "../messages/timeline";

const kKinds = ["", "running", "reserved", "draining", "forecast", "approximate"];
const kNoTime = 2147483647;

export class TimelineGroups {
  readonly count: number;
  readonly ids: string[];
  readonly names: string[];
  readonly sizes: number[];
  readonly kinds: number[]; // numbers of TimelineKind
  readonly from: Float64Array; // ms; without a start: now
  readonly until: Float64Array; // ms; Infinity: it has no end
  readonly firstNode: Int32Array; // of each group, and at the end their number
  readonly nodePlaces: number[];
  private readonly namespacePlaces: number[];
  private readonly namespaces: string[];

  constructor(
    readonly now: number,
    columns: NonNullable<GetTimelineChartResponse["groups"]>,
    private readonly kindNames = kKinds,
  ) {
    this.ids = columns.ids ?? [];
    this.count = this.ids.length;
    this.names = columns.names ?? [];
    this.sizes = columns.sizes ?? [];
    this.kinds = columns.kinds ?? [];
    this.nodePlaces = columns.nodePlaces ?? [];
    this.namespacePlaces = columns.namespacePlaces ?? [];
    this.namespaces = columns.namespaces ?? [];
    this.from = new Float64Array(this.count);
    this.until = new Float64Array(this.count);
    this.firstNode = new Int32Array(this.count + 1);
    for (let i = 0; i < this.count; ++i) {
      const start = columns.starts![i]!;
      const end = columns.ends![i]!;
      this.from[i] = start === kNoTime ? now : now + start * 1000;
      this.until[i] = end === kNoTime ? Infinity : now + end * 1000;
      this.firstNode[i + 1] = this.firstNode[i]! + columns.nodeCounts![i]!;
    }
  }

  namespaceOf(group: number): string {
    return this.namespaces[this.namespacePlaces[group]!] ?? "";
  }
  fullName(group: number): string {
    return `${this.namespaceOf(group)}/${this.names[group]}`;
  }
  kindOf(group: number): string {
    return this.kindNames[this.kinds[group]!] ?? "unknown";
  }
}

export interface Closure {
  node: string;
  from: number;
  until: number;
  reason: string;
}

export interface TimelineData {
  nodes: string[];
  nodeLevels: number[];
  levelValues: string[];
  groups: TimelineGroups;
  maintenance: Closure[];
  cut: boolean;
}

function closureOf(each: TimelineMaintenance): Closure {
  return {
    node: each.node,
    from: Date.parse(each.startsAt),
    until: each.endsAt ? Date.parse(each.endsAt) : Infinity,
    reason: each.reason ?? "",
  };
}

export function dataOf(answer: GetTimelineChartResponse): TimelineData {
  return {
    nodes: answer.nodes ?? [],
    nodeLevels: answer.nodeLevels ?? [],
    levelValues: answer.levelValues ?? [],
    groups: new TimelineGroups(Date.parse(answer.now), answer.groups ?? {}),
    maintenance: (answer.maintenance ?? []).map(closureOf),
    cut: answer.cut ?? false,
  };
}
