// The timeline: which group has or will have which nodes, and when. A canvas for
// the eyes, and a table of the same.
import { batch, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { call } from "../frame/calls";
import { TextFilter } from "../frame/filters";
import { useLive } from "../frame/live";
import { Empty, Loading, Problem } from "../frame/notice";
import { groupLink, link, route, setQuery } from "../frame/route";
import type { GetTimelineChartResponse, GetTimelineResponse } from "../messages/timeline";
import { TimeButtons } from "./time_buttons";
import { TimeView } from "./time_view";
import { TimelineChart } from "./timeline_chart";
import { dataOf } from "./timeline_groups";
import { type By, kNotPlaced, rowsOf } from "./timeline_rows";
import { TimelineTable } from "./timeline_table";

// The time that is shown is in the address a moment after it has changed; and
// the timeline shows the time of an address that is typed or gone back to.
function useTimeInAddress(): TimeView {
  const inAddress = () => ["span", "from"].map((name) => route.peek().query.get(name) ?? "");
  const written = useRef(inAddress().join(" "));
  const time = useMemo(() => {
    const [span, from] = inAddress().map(Number);
    return new TimeView(span!, from);
  }, []);
  useSignalEffect(() => {
    const asked = [route.value.query.get("span") ?? "", route.value.query.get("from") ?? ""];
    if (asked.join(" ") === written.current || route.value.parts[0] !== "timeline") return;
    written.current = asked.join(" ");
    time.show(Number(asked[0]), Number(asked[1]));
  });
  const place = useComputed(() => {
    const { from, span } = time.shown.value;
    return `${Math.round(span)} ${time.follows.value ? "" : Math.round(from)}`;
  });
  const first = useRef(place.peek());
  useSignalEffect(() => {
    const text = place.value;
    if (text === first.current) return; // nobody has changed it
    first.current = "";
    const timer = setTimeout(() => {
      if (route.peek().parts[0] !== "timeline" || text === written.current) return;
      written.current = text;
      const [span = "", from = ""] = text.split(" ");
      batch(() => {
        setQuery("span", span, true);
        setQuery("from", from, true);
      });
    }, 250);
    return () => clearTimeout(timer);
  });
  return time;
}

const kBys: [string, string][] = [
  ["", "node"],
  ["rack", "rack"],
  ["zone", "zone"],
  ["label", "label…"],
  ["group", "group"],
];

function Filters({ by, isFolded, asText }: { by: string; isFolded: boolean; asText: boolean }) {
  return (
    <div class="filters" role="group" aria-label="Filters">
      <label>
        by
        <select value={by} onChange={(event) => setQuery("by", event.currentTarget.value)}>
          {kBys.map(([value, title]) => (
            <option value={value}>{title}</option>
          ))}
        </select>
      </label>
      {by === "label" && <TextFilter name="level" words="label of nodes" hint="example.com/row" />}
      <TextFilter name="namespace" />
      <TextFilter name="queue" />
      <TextFilter name="find" hint="node or group" />
      {by !== "group" && (
        <label class="check">
          <input type="checkbox" checked={isFolded} onChange={(event) => setQuery("fold", event.currentTarget.checked ? "" : "no")} />
          equal rows as one
        </label>
      )}
      <label class="check">
        <input type="checkbox" checked={asText} onChange={(event) => setQuery("text", event.currentTarget.checked ? "yes" : "")} />
        table
      </label>
    </div>
  );
}

// They are not in the data of the chart, which has all groups.
async function devicesOf(group: string): Promise<string[]> {
  const answer = await call<GetTimelineResponse>("GetTimeline", { group, pageSize: 1 });
  const nodes = answer.groups?.[0]?.nodes ?? [];
  return [...new Set(nodes.flatMap((node) => node.devices ?? []))];
}

function rowsBy(by: string): By {
  if (by === "group") return "group";
  return by === "" ? "node" : "level";
}

export function TimelinePage() {
  const { query } = route.value;
  const of = (name: string) => query.get(name) ?? "";
  const by = of("by");
  const level = by === "label" ? of("level") : by === "group" ? "" : by;
  const isFolded = of("fold") !== "no";
  const asText = of("text") === "yes";
  const asked = { namespace: of("namespace"), queue: of("queue"), level };
  const { data, problem, readAgain } = useLive(
    async () => dataOf(await call<GetTimelineChartResponse>("GetTimelineChart", asked)),
    { namespace: asked.namespace, queue: asked.queue },
    level, // the others make it another page
  );
  const time = useTimeInAddress();
  const pointed = useSignal("");
  useEffect(() => {
    document.title = "Timeline – Fluxnetes";
  }, []);

  const shown = data.value;
  // What is read for another level is not yet shown by this one.
  const way = level === "" && rowsBy(by) === "level" ? "node" : rowsBy(by);
  const fits = shown !== null && (way !== "level" || shown.nodeLevels.length === shown.nodes.length);
  const rows = useMemo(() => (shown && fits ? rowsOf(shown, { by: way, isFolded, find: of("find") }) : null), [shown, fits, way, isFolded, of("find")]);
  return (
    <section class="page" aria-labelledby="title">
      <h1 id="title">Timeline</h1>
      <Filters by={by} isFolded={isFolded} asText={asText} />
      {problem.value !== "" && <Problem what={problem.value} again={readAgain} />}
      {!rows && problem.value === "" && <Loading />}
      {shown?.cut && <p class="bar">Only the first 200,000 groups are drawn; choose a namespace or a queue.</p>}
      {rows?.rows.length === 0 && <NoRows isSearch={of("find") !== ""} />}
      {shown && rows && rows.rows.length > 0 && (
        <>
          <TimeButtons time={time} />
          <TimelineChart
            groups={shown.groups}
            rows={rows}
            time={time}
            pointed={pointed}
            devicesOf={devicesOf}
            isAlone
            label={`Timeline of ${rows.rows.length} rows; the table of the same is below`}
            pick={(group) => {
              const { groups } = shown;
              location.hash = groupLink({ namespace: groups.namespaceOf(group), name: groups.names[group]!, id: groups.ids[group]! });
            }}
            pickRow={(row) => {
              if (way === "node" && row.names[0] !== kNotPlaced) location.hash = link(["nodes", row.names[0]!]);
            }}
          />
          <div class={asText ? "" : "hidden"}>
            <TimelineTable groups={shown.groups} rows={rows} />
          </div>
        </>
      )}
    </section>
  );
}

function NoRows({ isSearch }: { isSearch: boolean }) {
  if (isSearch)
    return (
      <Empty title="No node and no group has this in its name">
        <p>
          <button onClick={() => setQuery("find", "")}>Show all</button>
        </p>
      </Empty>
    );
  return (
    <Empty title="There is nothing to draw">
      <p>
        The scheduler has seen no nodes or no groups yet; <code>fluxnetes doctor</code> says why.
      </p>
    </Empty>
  );
}
