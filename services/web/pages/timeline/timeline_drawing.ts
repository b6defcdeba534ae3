// Draws the rows of a timeline: only those that are seen, in the colours of the
// style sheet.
import type { Pen } from "./pens";
import { ticksOf } from "./time_ticks";
import type { TimelineGroups } from "./timeline_groups";
import type { Row, TimelineRows } from "./timeline_rows";

const kLane = 18;
const kGap = 4;
const kHead = 24;
const kLetter = 6.7; // the width of a letter, about
const kFaint = 0.3;

export interface View {
  from: number; // ms, at the left end
  span: number; // ms, over the width
  top: number; // pixels, scrolled
}

const kColours = ["text", "faint", "line", "back", "now", "running", "reserved", "draining", "forecast", "maintenance"] as const;
export type Colours = Record<(typeof kColours)[number], string>;

export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  return Object.fromEntries(kColours.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Colours;
}

export interface Drawing {
  groups: TimelineGroups;
  rows: TimelineRows;
  tops: Float64Array;
  view: View;
  now: number;
  pointed: number; // the group under the pointer; -1: none
  width: number;
  height: number;
}

export function heightOf(row: Row): number {
  return row.lanes * kLane + kGap;
}

// The tops of the rows, and at the end the height of all.
export function topsOf(rows: Row[]): Float64Array {
  const tops = new Float64Array(rows.length + 1);
  rows.forEach((row, i) => (tops[i + 1] = tops[i]! + heightOf(row)));
  return tops;
}

// How far one can scroll.
export function lowestTop(tops: Float64Array, height: number): number {
  return Math.max(0, tops[tops.length - 1]! - height + kHead + kLane);
}

// The row at this height, by bisection.
export function rowAt(tops: Float64Array, y: number): number {
  let low = 0;
  let high = tops.length - 1;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (tops[middle]! <= y) low = middle;
    else high = middle;
  }
  return low;
}

export function namesWidth(width: number): number {
  return Math.round(Math.min(170, Math.max(70, width * 0.22)));
}

function cut(text: string, room: number): string {
  const letters = Math.floor(room / kLetter);
  return text.length <= letters ? text : letters < 2 ? "" : text.slice(0, letters - 1) + "…";
}

function rowName(row: Row, room: number): string {
  const name = row.names[0]!;
  if (row.names.length === 1) return cut(name, room);
  const others = ` +${row.names.length - 1}`;
  return cut(name, room - others.length * kLetter) + others;
}

// Where times and rows are.
class Frame {
  readonly names: number;
  constructor(readonly drawing: Drawing) {
    this.names = namesWidth(drawing.width);
  }
  x(time: number): number {
    const { view, width } = this.drawing;
    return this.names + ((time - view.from) / view.span) * (width - this.names);
  }
  // The part of an interval that is seen: [left, right).
  seen(from: number, until: number): [number, number] | null {
    const left = Math.max(this.names, this.x(from));
    const right = until === Infinity ? this.drawing.width : Math.min(this.drawing.width, this.x(until));
    if (left >= this.drawing.width || right <= this.names || right < left) return null;
    return [left, Math.max(right, left + 1)];
  }
}

function drawBar(pen: Pen, frame: Frame, group: number, y: number, colours: Colours): void {
  const { groups, pointed } = frame.drawing;
  const seen = frame.seen(groups.from[group]!, groups.until[group]!);
  if (!seen) return;
  const [left, right] = seen;
  const width = right - left;
  const opacity = pointed < 0 || pointed === group ? 1 : kFaint;
  const kind = groups.kinds[group]!;
  const colour = [colours.faint, colours.running, colours.reserved, colours.draining, colours.forecast][Math.min(kind, 4)]!;
  const isFull = kind === 1;
  if (isFull) {
    pen.fill(left, y, width, kLane - 2, colour, opacity);
  } else {
    pen.fill(left, y, width, kLane - 2, colour, opacity * (kind === 2 ? 0.35 : 0.15));
    pen.frame(left, y, width, kLane - 2, colour, opacity);
  }
  const name = cut(groups.names[group]!, width - 8);
  if (name) pen.text(name, left + 4, y + 12, isFull ? colours.back : colours.text, opacity);
}

function drawRow(pen: Pen, frame: Frame, row: Row, y: number, colours: Colours): void {
  const { rows, width, height } = frame.drawing;
  const high = heightOf(row);
  for (const each of row.maintenance) {
    const seen = frame.seen(each.from, each.until);
    if (seen) pen.fill(seen[0], y, seen[1] - seen[0], high - kGap, colours.maintenance);
  }
  for (let bar = row.first; bar < row.last; ++bar) {
    const top = y + rows.lanes[bar]! * kLane;
    if (top + kLane > kHead && top < height) drawBar(pen, frame, rows.bars[bar]!, top, colours);
  }
  pen.fill(0, y, frame.names, high, colours.back);
  // The name of a high row stays in sight.
  const top = Math.max(y, Math.min(kHead, y + high - kLane - kGap));
  pen.text(rowName(row, frame.names - 10), 4, top + 13, colours.text);
  const bottom = Math.round(y + high - 2) + 0.5;
  pen.line(0, bottom, width, bottom, colours.line);
}

export function draw(pen: Pen, drawing: Drawing, colours: Colours): void {
  const { rows, tops, view, now, width, height } = drawing;
  const frame = new Frame(drawing);
  const ticks = ticksOf(view.from, view.from + view.span, Math.max(1, (width - frame.names) / 80));
  pen.fill(0, 0, width, height, colours.back);
  for (const tick of ticks) {
    const x = Math.round(frame.x(tick.at)) + 0.5;
    pen.line(x, kHead, x, height, colours.line);
  }
  for (let i = rowAt(tops, view.top); i < rows.rows.length; ++i) {
    const y = kHead + tops[i]! - view.top;
    if (y > height) break;
    drawRow(pen, frame, rows.rows[i]!, y, colours);
  }
  pen.fill(0, 0, width, kHead, colours.back);
  for (const tick of ticks) pen.text(tick.text, Math.round(frame.x(tick.at)) + 3, kHead - 8, colours.text);
  const x = Math.round(frame.x(now)) + 0.5;
  if (x >= frame.names && x <= width) {
    pen.line(x, kHead - 6, x, height, colours.now);
    pen.line(x + 1, kHead - 6, x + 1, height, colours.now);
  }
}

// The group whose bar is there; -1: none. Over the name of a group's row it is
// that group.
export function groupAt(drawing: Drawing, x: number, y: number): number {
  const { rows, tops, view, groups, width } = drawing;
  const names = namesWidth(width);
  if (y < kHead) return -1;
  const inner = y - kHead + view.top;
  if (inner >= tops[tops.length - 1]!) return -1;
  const index = rowAt(tops, inner);
  const row = rows.rows[index];
  if (!row) return -1;
  if (x < names) return row.group;
  const lane = Math.floor((inner - tops[index]!) / kLane);
  const time = view.from + ((x - names) / (width - names)) * view.span;
  for (let bar = row.first; bar < row.last; ++bar) {
    const group = rows.bars[bar]!;
    if (rows.lanes[bar] === lane && groups.from[group]! <= time && time < groups.until[group]!) return group;
  }
  return -1;
}

// The row whose name is there; null: none.
export function nameAt(drawing: Drawing, x: number, y: number): Row | null {
  const inner = y - kHead + drawing.view.top;
  if (y < kHead || x >= namesWidth(drawing.width) || inner >= drawing.tops[drawing.tops.length - 1]!) return null;
  return drawing.rows.rows[rowAt(drawing.tops, inner)] ?? null;
}

export function isHead(y: number): boolean {
  return y < kHead;
}
