// Now against then: two timelines of one time; who is pointed at in one is seen
// in both.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { route } from "../frame/route";
import type { SimulatedGroup, SimulateResponse } from "../messages/simulation";
import { TimeButtons } from "../timeline/time_buttons";
import { TimelineChart } from "../timeline/timeline_chart";
import { topsOf } from "../timeline/timeline_drawing";
import { type TimelineData, TimelineGroups } from "../timeline/timeline_groups";
import { rowsOf } from "../timeline/timeline_rows";
import { TimeView } from "../timeline/time_view";

const kKinds = ["", "runs now", "starts later", "new"];
const kLeast = 600_000; // ms that are shown at least
const kHighest = 340; // pixels of a timeline
const kAround = 80; // pixels for its times, and what is below it

// As --add-nodes names them.
const kAdded = /-more\d+$/;

function dataOf(groups: SimulatedGroup[], begin: number, nodes: string[], known: Set<string>): TimelineData {
  const started = groups.filter((group) => group.startsAt);
  const places = new Map(nodes.map((node, place) => [node, place]));
  const seconds = (text: string | undefined) => (text ? Math.round((Date.parse(text) - begin) / 1000) : 2147483647);
  const kindOf = (group: SimulatedGroup) => (!known.has(group.name) ? 3 : Date.parse(group.startsAt!) <= begin ? 1 : 2);
  const columns = {
    ids: started.map((group) => group.name),
    names: started.map((group) => group.name.slice(group.name.indexOf("/") + 1)),
    namespaces: [...new Set(started.map((group) => group.name.split("/")[0]!))],
    sizes: started.map((group) => group.nodes?.length ?? 0),
    kinds: started.map(kindOf),
    starts: started.map((group) => seconds(group.startsAt)),
    ends: started.map((group) => seconds(group.endsAt)),
    nodeCounts: started.map((group) => group.nodes?.length ?? 0),
    nodePlaces: started.flatMap((group) => (group.nodes ?? []).map((node) => places.get(node)!)),
  };
  const namespacePlaces = started.map((group) => columns.namespaces.indexOf(group.name.split("/")[0]!));
  return {
    nodes,
    nodeLevels: [],
    levelValues: [],
    groups: new TimelineGroups(begin, { ...columns, namespacePlaces }, kKinds),
    maintenance: [],
    cut: false,
  };
}

export function TwoTimelines({ answer }: { answer: SimulateResponse }) {
  const pointed = useSignal("");
  const by = route.value.query.get("by") === "group" ? "group" : "node";
  const { now, then, time } = useMemo(() => {
    const begin = answer.beginsAt ? Date.parse(answer.beginsAt) : Date.now();
    const { groups = [], unchanged = [] } = answer;
    const nodes = [...new Set([...groups, ...unchanged].flatMap((group) => group.nodes ?? []))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    const there = new Set(unchanged.flatMap((group) => group.nodes ?? []));
    const known = new Set(unchanged.map((group) => group.name));
    const last = Math.max(begin + kLeast, ...groups.map((group) => Date.parse(group.endsAt ?? group.startsAt ?? "") || 0));
    return {
      now: dataOf(unchanged, begin, nodes.filter((node) => !kAdded.test(node) || there.has(node)), known),
      then: dataOf(groups, begin, nodes, known),
      time: new TimeView((last - begin) * 1.2, begin - (last - begin) * 0.1),
    };
  }, [answer]);
  const sides = useMemo(
    () => [now, then].map((data) => ({ data, rows: rowsOf(data, { by, isFolded: true, find: "" }) })),
    [now, then, by],
  );
  return (
    <div class="two">
      <TimeButtons time={time} kinds={{ running: "runs now", reserved: "starts later", draining: "new" }} />
      {sides.map(({ data, rows }, i) => (
        <section aria-label={i === 0 ? "Now" : "Then"}>
          <h2>{i === 0 ? "As it is" : "With the change"}</h2>
          <div style={{ height: `${Math.min(kHighest, topsOf(rows.rows)[rows.rows.length]! + kAround)}px` }}>
            <TimelineChart
              groups={data.groups}
              rows={rows}
              time={time}
              pointed={pointed}
              label={`Timeline ${i === 0 ? "as it is" : "with the change"}; the table above has the starts`}
              pick={() => {}}
            />
          </div>
        </section>
      ))}
    </div>
  );
}
