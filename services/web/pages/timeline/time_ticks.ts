// The times that an axis names, on whole steps of the browser's zone, also where
// summer time begins or ends.
const kMinute = 60_000;
const kHour = 60 * kMinute;
const kDay = 24 * kHour;
const kSteps = [
  ...[5, 10, 15, 30].map((seconds) => seconds * 1000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * kMinute),
  ...[1, 2, 3, 6, 12].map((hours) => hours * kHour),
  ...[1, 2, 7, 14].map((days) => days * kDay),
];

export interface Tick {
  at: number; // ms
  text: string;
}

export function stepFor(span: number, most: number): number {
  return kSteps.find((step) => span / step <= most) ?? kSteps[kSteps.length - 1]!;
}

function zoneAt(time: number): number {
  return new Date(time).getTimezoneOffset() * kMinute;
}

// Up to an hour: an hour that comes twice is there twice.
function shortSteps(from: number, until: number, step: number): number[] {
  const times: number[] = [];
  for (let time = from; ; time += step) {
    const zone = zoneAt(time);
    time = Math.ceil((time - zone) / step) * step + zone;
    if (time >= until) return times;
    times.push(time);
  }
}

// By the calendar: midnight is midnight, however long the day was.
function longSteps(from: number, until: number, step: number): number[] {
  const hours = step < kDay ? step / kHour : 24;
  const days = Math.max(1, step / kDay);
  const begin = new Date(from);
  const times: number[] = [];
  for (let day = begin.getDate(); ; ++day) {
    const midnight = new Date(begin.getFullYear(), begin.getMonth(), day);
    if (midnight.getTime() >= until) return times;
    // Days are counted from a fixed one, so that the axis does not jump.
    const number = Math.round((midnight.getTime() - zoneAt(midnight.getTime())) / kDay);
    if (number % days !== 0) continue;
    for (let hour = 0; hour < 24; hour += hours) {
      const time = new Date(midnight.getFullYear(), midnight.getMonth(), midnight.getDate(), hour).getTime();
      if (time >= from && time < until && time > (times[times.length - 1] ?? -Infinity)) times.push(time);
    }
  }
}

const kDate = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const kTime = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const kSeconds = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });

function textOf(time: number, step: number): string {
  const date = new Date(time);
  if (date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0) return kDate.format(date);
  return (step < kMinute ? kSeconds : kTime).format(date);
}

export function ticksOf(from: number, until: number, most: number): Tick[] {
  const step = stepFor(until - from, most);
  const times = step <= kHour ? shortSteps(from, until, step) : longSteps(from, until, step);
  return times.map((at) => ({ at, text: textOf(at, step) }));
}
