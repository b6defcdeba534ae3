// Which time a timeline shows; two timelines may share one. While it follows
// now, it moves with it; who pans it away from now stays where he is.
import { signal } from "@preact/signals";
import { now } from "../frame/times";

const kMinute = 60_000;
const kShortest = kMinute;
const kFirst = 4 * 60 * kMinute;
const kLongest = 31 * 24 * 60 * kMinute;
const kBeforeNow = 1 / 8; // of the span

export interface Shown {
  from: number; // ms
  span: number;
}

export class TimeView {
  readonly shown = signal<Shown>({ from: 0, span: kFirst });
  readonly follows = signal(true);

  constructor(span: number, from = 0) {
    this.show(span, from);
  }

  // `from` 0: follows now; `span` 0: as at first.
  show(span: number, from: number): void {
    this.follows.value = !(from > 0);
    this.set(from, span > 0 ? span : kFirst);
    this.keepUp();
  }

  // `at` is the share of the width that stays where it is.
  zoom(factor: number, at = kBeforeNow): void {
    const { from, span } = this.shown.value;
    const next = Math.max(kShortest, Math.min(kLongest, span * factor));
    if (at !== kBeforeNow) this.follows.value = false;
    this.set(from + (span - next) * at, next);
  }
  pan(share: number): void {
    const { from, span } = this.shown.value;
    this.follows.value = false;
    this.set(from + share * span, span);
  }
  toNow(): void {
    this.follows.value = true;
    this.keepUp();
  }
  keepUp(): void {
    if (!this.follows.value) return;
    const { span } = this.shown.value;
    this.set(now.value - span * kBeforeNow, span);
  }

  private set(from: number, span: number): void {
    const old = this.shown.value;
    const next = Math.max(kShortest, Math.min(kLongest, span));
    if (old.from !== from || old.span !== next) this.shown.value = { from, span: next };
  }
}
