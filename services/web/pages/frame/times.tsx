// Times in the zone of the browser, in UTC when pointed at.
import { signal } from "@preact/signals";

// Moves once a second, while the tab is seen.
export const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);

const sameDay = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const otherDay = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export function timeText(time: Date): string {
  const today = new Date().toDateString() === time.toDateString();
  return (today ? sameDay : otherDay).format(time);
}

// "5 m", "3 h 20 m", "12 d": two units at most.
export function durationText(milliseconds: number): string {
  let seconds = Math.max(0, Math.round(milliseconds / 1000));
  const units: [string, number][] = [["d", 86400], ["h", 3600], ["m", 60], ["s", 1]];
  const words: string[] = [];
  for (const [name, size] of units) {
    const count = Math.floor(seconds / size);
    if (count > 0 || (name === "s" && words.length === 0)) words.push(`${count} ${name}`);
    seconds -= count * size;
    if (words.length === 2 || (words.length === 1 && name === "m")) break;
  }
  return words.join(" ");
}

export function Time({ at }: { at: string | undefined }) {
  if (!at) return <span class="none">–</span>;
  const time = new Date(at);
  return (
    <time dateTime={at} title={time.toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC")}>
      {timeText(time)}
    </time>
  );
}

// How long ago, or until when.
export function Age({ at }: { at: string | undefined }) {
  if (!at) return <span class="none">–</span>;
  const time = new Date(at);
  return <span title={time.toISOString()}>{durationText(now.value - time.getTime())}</span>;
}
