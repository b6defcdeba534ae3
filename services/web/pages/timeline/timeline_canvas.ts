// Draws the rows of a timeline on a canvas: only those that are seen, in the
// colours of the style sheet.
import type { Bar, NodeRow } from "./timeline_rows";

export const kLane = 18;
export const kGap = 4;
export const kNames = 150; // the width of the column of names
export const kHead = 24;

export interface View {
  from: number; // ms, at the left end
  span: number; // ms, over the width
  top: number; // pixels, scrolled
}

export interface Colours {
  text: string;
  line: string;
  back: string;
  now: string;
  running: string;
  reserved: string;
  draining: string;
  forecast: string;
  maintenance: string;
}

export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: of("text"),
    line: of("line"),
    back: of("back"),
    now: of("now"),
    running: of("running"),
    reserved: of("reserved"),
    draining: of("draining"),
    forecast: of("forecast"),
    maintenance: of("maintenance"),
  };
}

export function heightOf(row: NodeRow): number {
  return row.lanes * kLane + kGap;
}

// The tops of the rows, and at the end the height of all.
export function topsOf(rows: NodeRow[]): number[] {
  const tops = [0];
  for (const row of rows) tops.push(tops[tops.length - 1]! + heightOf(row));
  return tops;
}

// The row at this height, by bisection.
export function rowAt(tops: number[], y: number): number {
  let low = 0;
  let high = tops.length - 1;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (tops[middle]! <= y) low = middle;
    else high = middle;
  }
  return low;
}

const kSteps = [1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1440, 2880, 10080].map((minutes) => minutes * 60_000);

function drawHours(context: CanvasRenderingContext2D, width: number, height: number, view: View, colours: Colours): void {
  const step = kSteps.find((each) => (each / view.span) * (width - kNames) >= 80) ?? kSteps[kSteps.length - 1]!;
  // On whole steps of the browser's zone, as of the left end.
  const zone = new Date(view.from).getTimezoneOffset() * 60_000;
  const first = Math.ceil((view.from - zone) / step) * step + zone;
  const format = new Intl.DateTimeFormat(undefined, step < 86_400_000 ? { hour: "2-digit", minute: "2-digit" } : { month: "short", day: "numeric" });
  context.strokeStyle = colours.line;
  context.fillStyle = colours.text;
  for (let time = first; time < view.from + view.span; time += step) {
    const x = Math.round(kNames + ((time - view.from) / view.span) * (width - kNames)) + 0.5;
    context.beginPath();
    context.moveTo(x, kHead);
    context.lineTo(x, height);
    context.stroke();
    context.fillText(format.format(time), x + 3, kHead - 8);
  }
}

function colourOf(bar: Bar, colours: Colours): string {
  switch (bar.group.kind) {
    case "TIMELINE_KIND_RUNNING":
      return colours.running;
    case "TIMELINE_KIND_RESERVED":
      return colours.reserved;
    case "TIMELINE_KIND_DRAINING":
      return colours.draining;
    default:
      return colours.forecast;
  }
}

export interface Drawing {
  rows: NodeRow[];
  tops: number[];
  view: View;
  now: number;
  pointed: string; // the id of the group under the pointer
}

export function draw(canvas: HTMLCanvasElement, drawing: Drawing, colours: Colours): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const scale = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "12px system-ui, sans-serif";
  const { rows, tops, view, now, pointed } = drawing;
  drawHours(context, width, height, view, colours);
  const xOf = (time: number) => kNames + ((time - view.from) / view.span) * (width - kNames);
  const rect = (from: number, until: number, y: number, h: number) => {
    const left = Math.max(kNames, xOf(from));
    const right = Math.min(width, until === Infinity ? width : xOf(until));
    if (right <= kNames || left >= width) return false;
    context.fillRect(left, y, Math.max(1, right - left), h);
    return true;
  };
  context.save();
  context.beginPath();
  context.rect(0, kHead, width, height - kHead);
  context.clip();
  for (let i = rowAt(tops, view.top); i < rows.length; ++i) {
    const row = rows[i]!;
    const y = kHead + tops[i]! - view.top;
    if (y > height) break;
    context.fillStyle = colours.maintenance;
    for (const each of row.maintenance) rect(each.from, each.until, y, heightOf(row) - kGap);
    for (const bar of row.bars) {
      context.fillStyle = colourOf(bar, colours);
      context.globalAlpha = pointed === "" || pointed === bar.group.id ? 1 : 0.35;
      const laneTop = y + bar.lane * kLane;
      if (!rect(bar.from, bar.until, laneTop, kLane - 2)) continue;
      const left = Math.max(kNames, xOf(bar.from));
      const room = Math.min(width, xOf(Math.min(bar.until, view.from + view.span))) - left;
      if (room > 60) {
        context.fillStyle = colours.back;
        context.save();
        context.beginPath();
        context.rect(left, laneTop, room, kLane);
        context.clip();
        context.fillText(bar.group.name, left + 4, laneTop + 12);
        context.restore();
      }
    }
    context.globalAlpha = 1;
    context.fillStyle = colours.text;
    const name = row.nodes.length > 1 ? `${row.nodes[0]} +${row.nodes.length - 1}` : row.nodes[0]!;
    context.fillText(name, 4, y + 13, kNames - 8);
    context.strokeStyle = colours.line;
    context.strokeRect(0, Math.round(y + heightOf(row) - 2) + 0.5, width, 0);
  }
  context.restore();
  const x = Math.round(xOf(now)) + 0.5;
  if (x >= kNames && x <= width) {
    context.strokeStyle = colours.now;
    context.beginPath();
    context.moveTo(x, kHead - 6);
    context.lineTo(x, height);
    context.stroke();
  }
}

export function barAt(drawing: Drawing, width: number, x: number, y: number): Bar | null {
  const { rows, tops, view } = drawing;
  if (x < kNames || y < kHead) return null;
  const inner = y - kHead + view.top;
  const index = rowAt(tops, inner);
  const row = rows[index];
  if (!row) return null;
  const lane = Math.floor((inner - tops[index]!) / kLane);
  const time = view.from + ((x - kNames) / (width - kNames)) * view.span;
  return row.bars.find((bar) => bar.lane === lane && bar.from <= time && time < bar.until) ?? null;
}
