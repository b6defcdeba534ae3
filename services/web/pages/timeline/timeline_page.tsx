// The timeline: which group has or will have which nodes, and when. A canvas for
// the eyes, and a table of the same for screen readers and for who asks for it.
import "./timeline.css";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { call, wordsOf } from "../frame/calls";
import { watchGroups } from "../groups/group_stream";
import { bindKeys } from "../frame/keys";
import type { ListNodesResponse } from "../messages/cluster";
import type { GetTimelineResponse } from "../messages/timeline";
import { Empty, Loading, Problem } from "../frame/notice";
import { groupLink, route, setQuery } from "../frame/route";
import { Time, now, timeText } from "../frame/times";
import { barAt, coloursOf, draw, topsOf, type Drawing, type View } from "./timeline_canvas";
import { rowsOf, type Bar, type NodeRow } from "./timeline_rows";

const kMinute = 60_000;
const kShortest = kMinute;
const kLongest = 31 * 24 * 60 * kMinute;
const kMostGroups = 20_000;
const kMostRowsOfText = 500;
const kBetweenReads = 2000;

interface Data {
  pages: GetTimelineResponse[];
  nodes: string[];
  cut: boolean;
}

async function readTimeline(namespace: string, queue: string): Promise<Data> {
  const pages: GetTimelineResponse[] = [];
  let groups = 0;
  let pageToken = "";
  do {
    const next = await call<GetTimelineResponse>("GetTimeline", { namespace, queue, pageSize: 1000, pageToken });
    pages.push(next);
    groups += next.groups?.length ?? 0;
    pageToken = next.nextPageToken ?? "";
  } while (pageToken && groups < kMostGroups);
  const nodes: string[] = [];
  let nodeToken = "";
  do {
    const next = await call<ListNodesResponse>("ListNodes", { pageSize: 1000, pageToken: nodeToken });
    nodes.push(...(next.nodes ?? []).map((each) => each.name));
    nodeToken = next.nextPageToken ?? "";
  } while (nodeToken);
  return { pages, nodes, cut: pageToken !== "" };
}

const kKinds: Record<string, string> = {
  TIMELINE_KIND_RUNNING: "running",
  TIMELINE_KIND_RESERVED: "reserved",
  TIMELINE_KIND_DRAINING: "draining",
  TIMELINE_KIND_FORECAST: "forecast",
  TIMELINE_KIND_APPROXIMATE: "approximate",
};

function AsText({ rows }: { rows: NodeRow[] }) {
  const lines = rows.flatMap((row) => row.bars.map((bar) => ({ row, bar })));
  return (
    <table class="wide">
      <caption>The timeline as text, {lines.length > kMostRowsOfText ? `the first ${kMostRowsOfText} of ${lines.length} lines` : `${lines.length} lines`}</caption>
      <thead>
        <tr>
          {["nodes", "group", "what", "from", "until"].map((title) => (
            <th scope="col">{title}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.slice(0, kMostRowsOfText).map(({ row, bar }) => (
          <tr>
            <td>{row.nodes.length > 3 ? `${row.nodes.slice(0, 3).join(", ")} and ${row.nodes.length - 3} more` : row.nodes.join(", ")}</td>
            <td>
              <a href={groupLink(bar.group)}>
                {bar.group.namespace}/{bar.group.name}
              </a>
            </td>
            <td>{kKinds[bar.group.kind ?? ""] ?? "unknown"}</td>
            <td>
              <Time at={bar.group.startsAt} />
            </td>
            <td>{bar.group.endsAt ? <Time at={bar.group.endsAt} /> : "no end"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function tipOf(bar: Bar): string {
  const until = bar.until === Infinity ? "no end" : timeText(new Date(bar.until));
  return `${bar.group.namespace}/${bar.group.name}, ${kKinds[bar.group.kind ?? ""]}, ${bar.group.size ?? "?"} pods, ${timeText(new Date(bar.from))} – ${until}`;
}

function Chart({ rows }: { rows: NodeRow[] }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const span = Number(route.value.query.get("span")) || 4 * 60 * kMinute;
  const view = useRef<View>({ from: Date.now() - span / 8, span, top: 0 });
  const tip = useSignal("");
  const pointed = useRef("");
  const tops = useMemo(() => topsOf(rows), [rows]);
  const frame = useRef(0);

  const drawing = (): Drawing => ({ rows, tops, view: view.current, now: now.value, pointed: pointed.current });
  const redraw = () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      if (canvas.current) draw(canvas.current, drawing(), coloursOf(canvas.current));
    });
  };
  const zoom = (factor: number, at = 0.25) => {
    const { from, span: old } = view.current;
    const next = Math.max(kShortest, Math.min(kLongest, old * factor));
    view.current = { ...view.current, span: next, from: from + (old - next) * at };
    setQuery("span", String(Math.round(next)), true);
    redraw();
  };
  const pan = (share: number) => {
    view.current = { ...view.current, from: view.current.from + share * view.current.span };
    redraw();
  };
  const scroll = (pixels: number) => {
    const most = Math.max(0, tops[tops.length - 1]! - (canvas.current?.clientHeight ?? 0) + 40);
    view.current = { ...view.current, top: Math.max(0, Math.min(most, view.current.top + pixels)) };
    redraw();
  };
  const barUnder = (event: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    return barAt(drawing(), box.width, event.clientX - box.left, event.clientY - box.top);
  };

  useEffect(() => {
    redraw();
    const place = canvas.current!;
    const size = new ResizeObserver(redraw);
    size.observe(place);
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      if (event.shiftKey) pan(event.deltaY / 2000);
      else if (event.ctrlKey || event.metaKey) zoom(Math.exp(event.deltaY / 400), event.offsetX / place.clientWidth);
      else scroll(event.deltaY);
    };
    place.addEventListener("wheel", onWheel, { passive: false });
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", redraw);
    const themes = new MutationObserver(redraw);
    themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const end = now.subscribe(redraw);
    const unbind = bindKeys([
      { keys: "+", does: "shows a shorter time", run: () => zoom(0.5) },
      { keys: "-", does: "shows a longer time", run: () => zoom(2) },
      { keys: "ArrowLeft", does: "goes to earlier times", run: () => pan(-0.2) },
      { keys: "ArrowRight", does: "goes to later times", run: () => pan(0.2) },
      { keys: "j", does: "goes down", run: () => scroll(60) },
      { keys: "k", does: "goes up", run: () => scroll(-60) },
      {
        keys: "n",
        does: "goes to now",
        run: () => {
          view.current = { ...view.current, from: Date.now() - view.current.span / 8 };
          redraw();
        },
      },
    ]);
    return () => {
      size.disconnect();
      themes.disconnect();
      dark.removeEventListener("change", redraw);
      place.removeEventListener("wheel", onWheel);
      cancelAnimationFrame(frame.current);
      end();
      unbind();
    };
  }, [rows]);

  return (
    <div class="chart">
      <div class="buttons">
        <button onClick={() => zoom(0.5)}>Shorter</button>
        <button onClick={() => zoom(2)}>Longer</button>
        <button onClick={() => pan(-0.2)}>Earlier</button>
        <button onClick={() => pan(0.2)}>Later</button>
        <ul class="legend">
          {["running", "reserved", "draining", "forecast", "maintenance"].map((kind) => (
            <li class={kind}>{kind}</li>
          ))}
        </ul>
      </div>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`Timeline of ${rows.length} rows of nodes; the table of the same is below`}
        onMouseMove={(event) => {
          const bar = barUnder(event);
          tip.value = bar ? tipOf(bar) : "";
          const id = bar?.group.id ?? "";
          if (id !== pointed.current) {
            pointed.current = id;
            redraw();
          }
        }}
        onClick={(event) => {
          const bar = barUnder(event);
          if (bar) location.hash = groupLink(bar.group);
        }}
      />
      <p class="tip">{tip.value || "Point at a bar to read it; Ctrl and the wheel zoom, Shift and the wheel move."}</p>
    </div>
  );
}

export function TimelinePage() {
  const { query } = route.value;
  const namespace = query.get("namespace") ?? "";
  const queue = query.get("queue") ?? "";
  const isFolded = query.get("fold") !== "no";
  const asText = query.get("text") === "yes";
  const data = useSignal<Data | null>(null);
  const problem = useSignal("");

  const read = async () => {
    try {
      data.value = await readTimeline(namespace, queue);
      problem.value = "";
    } catch (error) {
      problem.value = wordsOf(error);
    }
  };
  useEffect(() => {
    document.title = "Timeline – Fluxnetes";
    let timer = 0;
    const end = watchGroups(
      { namespace, queue },
      () => {
        // A burst of changes is read once.
        if (timer) return;
        timer = window.setTimeout(() => {
          timer = 0;
          void read();
        }, kBetweenReads);
      },
      () => undefined,
    );
    void read();
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [namespace, queue]);

  const rows = useMemo(() => (data.value ? rowsOf(data.value.pages, data.value.nodes, isFolded) : []), [data.value, isFolded]);
  return (
    <section class="page" aria-labelledby="title">
      <h1 id="title">Timeline</h1>
      <div class="filters" role="group" aria-label="Filters">
        <label>
          namespace
          <input value={namespace} placeholder="all" onChange={(event) => setQuery("namespace", event.currentTarget.value.trim())} />
        </label>
        <label>
          queue
          <input value={queue} placeholder="all" onChange={(event) => setQuery("queue", event.currentTarget.value.trim())} />
        </label>
        <label class="check">
          <input type="checkbox" checked={isFolded} onChange={(event) => setQuery("fold", event.currentTarget.checked ? "" : "no")} />
          equal rows as one
        </label>
        <label class="check">
          <input type="checkbox" checked={asText} onChange={(event) => setQuery("text", event.currentTarget.checked ? "yes" : "")} />
          table
        </label>
      </div>
      {problem.value !== "" && <Problem what={problem.value} again={() => void read()} />}
      {!data.value && problem.value === "" && <Loading />}
      {data.value?.cut && <p class="bar">Only the first {kMostGroups} groups are drawn; choose a namespace or a queue.</p>}
      {data.value && rows.length === 0 && (
        <Empty title="There are no nodes">
          <p>
            The scheduler has seen none yet; <code>fluxnetes doctor</code> says why.
          </p>
        </Empty>
      )}
      {rows.length > 0 && <Chart rows={rows} />}
      {rows.length > 0 && (
        <div class={asText ? "" : "hidden"}>
          <AsText rows={rows} />
        </div>
      )}
    </section>
  );
}
