// The canvas of a timeline: draws it once for each frame in which something has
// changed, and takes the wheel, the pointer and the keys.
import { type Signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { bindKeys } from "../frame/keys";
import { now, timeText } from "../frame/times";
import { CanvasPen, type Pen, SvgPen } from "./pens";
import type { TimeView } from "./time_view";
import { type Colours, coloursOf, draw, type Drawing, groupAt, isHead, lowestTop, nameAt, namesWidth, rowAt, topsOf } from "./timeline_drawing";
import type { TimelineGroups } from "./timeline_groups";
import type { Row, TimelineRows } from "./timeline_rows";

const kClick = 4; // pixels that a click may move
const kRest = 200; // ms on a bar before its devices are asked for
const kNamed = 8; // devices

interface Charted {
  groups: TimelineGroups;
  rows: TimelineRows;
  time: TimeView;
  pointed: Signal<string>; // the id of a group; "": none
  label: string;
  devicesOf?: (id: string) => Promise<string[]>; // of a group: driver/pool/device
  isAlone?: boolean; // takes the keys that scroll
  pick: (group: number) => void;
  pickRow?: (row: Row) => void;
}

function devicesText(devices: string[]): string {
  if (devices.length === 0) return "";
  const more = devices.length > kNamed ? ` and ${devices.length - kNamed} more` : "";
  return `, with ${devices.slice(0, kNamed).join(", ")}${more}`;
}

export function tipOf(groups: TimelineGroups, group: number, devices: string[]): string {
  const until = groups.until[group]!;
  const nodes = groups.firstNode[group + 1]! - groups.firstNode[group]!;
  const where = nodes === 0 ? "nodes not yet known" : nodes === 1 ? "1 node" : `${nodes} nodes`;
  const end = until === Infinity ? "no end" : timeText(new Date(until));
  return `${groups.fullName(group)}, ${groups.kindOf(group)}, ${groups.sizes[group]} pods, ${where}, ${timeText(new Date(groups.from[group]!))} – ${end}${devicesText(devices)}`;
}

function save(name: string, url: string): void {
  const link = document.createElement("a");
  link.download = name;
  link.href = url;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// Keeps the row at the top where it is if others come and go.
function topAfter(before: { rows: TimelineRows; tops: Float64Array }, rows: TimelineRows, tops: Float64Array, top: number): number {
  if (top === 0) return 0;
  const place = rowAt(before.tops, top);
  const name = before.rows.rows[place]?.names[0];
  const found = name === undefined ? -1 : rows.rows.findIndex((row) => row.names.includes(name));
  return found < 0 ? top : tops[found]! + top - before.tops[place]!;
}

export function TimelineChart(props: Charted) {
  const { groups, rows, time, pointed, label } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const colours = useRef<Colours | null>(null);
  const frame = useRef(0);
  const top = useSignal(0);
  const tops = useMemo(() => topsOf(rows.rows), [rows]);
  const shown = useRef({ props, tops });
  if (shown.current.tops !== tops) top.value = topAfter({ rows: shown.current.props.rows, tops: shown.current.tops }, rows, tops, top.value);
  shown.current = { props, tops };
  const held = useSignal({ id: "", devices: [] as string[] });
  const tip = useComputed(() => {
    const { groups: all } = shown.current.props;
    const group = pointed.value === "" ? -1 : all.ids.indexOf(pointed.value);
    return group < 0 ? "Point at a bar to read it. Drag to move; Ctrl and the wheel zoom, also the wheel over the times." : tipOf(all, group, held.value.id === pointed.value ? held.value.devices : []);
  });

  // Handlers live longer than a rendering; they use what is shown last.
  const drawing = (): Drawing => {
    const { props: last, tops: lastTops } = shown.current;
    const { from, span } = time.shown.value;
    const { clientWidth: width, clientHeight: height } = canvas.current!;
    const at = Math.max(0, Math.min(lowestTop(lastTops, height), top.value));
    return {
      groups: last.groups,
      rows: last.rows,
      tops: lastTops,
      view: { from, span, top: at },
      now: now.value,
      pointed: pointed.value === "" ? -1 : last.groups.ids.indexOf(pointed.value),
      width,
      height,
    };
  };
  const paint = (pen: Pen) => draw(pen, drawing(), (colours.current ??= coloursOf(canvas.current!)));
  const redraw = () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      if (canvas.current) paint(new CanvasPen(canvas.current));
    });
  };
  const scroll = (pixels: number) => {
    const most = lowestTop(shown.current.tops, canvas.current!.clientHeight);
    top.value = Math.max(0, Math.min(most, top.value + pixels));
  };

  useSignalEffect(() => {
    const id = pointed.value;
    const ask = shown.current.props.devicesOf;
    if (id === "" || !ask) return;
    const timer = setTimeout(async () => {
      // Without them the tip still says the rest.
      const devices = await ask(id).catch(() => []);
      if (pointed.peek() === id) held.value = { id, devices };
    }, kRest);
    return () => clearTimeout(timer);
  });
  useSignalEffect(() => {
    void [time.shown.value, now.value, pointed.value, top.value];
    time.keepUp();
    redraw();
  });
  useEffect(redraw, [rows]);
  useEffect(() => {
    const place = canvas.current!;
    const size = new ResizeObserver(redraw);
    size.observe(place);
    const recolour = () => {
      colours.current = null;
      redraw();
    };
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", recolour);
    const themes = new MutationObserver(recolour);
    themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const names = namesWidth(place.clientWidth);
      const at = Math.max(0, (event.offsetX - names) / (place.clientWidth - names));
      if (event.ctrlKey || event.metaKey || isHead(event.offsetY)) time.zoom(Math.exp(event.deltaY / 400), at);
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) time.pan((event.deltaX || event.deltaY) / 1000);
      else scroll(event.deltaY);
    };
    place.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      size.disconnect();
      themes.disconnect();
      dark.removeEventListener("change", recolour);
      place.removeEventListener("wheel", onWheel);
      cancelAnimationFrame(frame.current);
    };
  }, []);
  useEffect(() => {
    if (!props.isAlone) return;
    return bindKeys([
      { keys: "j", does: "goes down", run: () => scroll(66) },
      { keys: "k", does: "goes up", run: () => scroll(-66) },
      { keys: "PageDown", does: "goes a page down", run: () => scroll(canvas.current!.clientHeight * 0.8) },
      { keys: "PageUp", does: "goes a page up", run: () => scroll(-canvas.current!.clientHeight * 0.8) },
    ]);
  }, [props.isAlone]);

  const drag = useRef<{ x: number; y: number; moved: boolean } | null>(null);
  const onMove = (event: PointerEvent) => {
    const last = drag.current;
    if (last && (last.moved || Math.hypot(event.offsetX - last.x, event.offsetY - last.y) > kClick)) {
      const width = canvas.current!.clientWidth;
      time.pan((last.x - event.offsetX) / (width - namesWidth(width)));
      scroll(last.y - event.offsetY);
      drag.current = { x: event.offsetX, y: event.offsetY, moved: true };
      return;
    }
    const group = groupAt(drawing(), event.offsetX, event.offsetY);
    pointed.value = group < 0 ? "" : groups.ids[group]!;
  };
  const onUp = (event: PointerEvent) => {
    const was = drag.current;
    drag.current = null;
    if (!was || was.moved) return;
    const group = groupAt(drawing(), event.offsetX, event.offsetY);
    const row = nameAt(drawing(), event.offsetX, event.offsetY);
    if (group >= 0) props.pick(group);
    else if (row) props.pickRow?.(row);
  };
  const savePng = () => canvas.current!.toBlob((blob) => blob && save("timeline.png", URL.createObjectURL(blob)));
  const saveSvg = () => {
    const pen = new SvgPen(canvas.current!.clientWidth, canvas.current!.clientHeight);
    paint(pen);
    save("timeline.svg", URL.createObjectURL(new Blob([pen.toString()], { type: "image/svg+xml" })));
  };

  return (
    <div class="chart">
      <canvas
        ref={canvas}
        role="img"
        aria-label={label}
        onPointerDown={(event) => {
          drag.current = { x: event.offsetX, y: event.offsetY, moved: false };
          canvas.current!.setPointerCapture(event.pointerId);
        }}
        onPointerMove={onMove}
        onPointerUp={onUp}
        onPointerLeave={() => (pointed.value = "")}
      />
      <p class="tip">
        <span>{tip}</span>
        <button onClick={savePng}>PNG</button>
        <button onClick={saveSvg}>SVG</button>
      </p>
    </div>
  );
}
