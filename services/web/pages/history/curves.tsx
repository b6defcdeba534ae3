// How groups ended over time: how many, how long they waited, and how far their
// estimated starts were off. A table has the same as text.
import "./history.css";
import { useSignal } from "@preact/signals";
import { Heads } from "../frame/heads";
import { durationText, timeText } from "../frame/times";
import type { HistorySpan, Quantiles } from "../messages/history";

export const kSpans = 48;
const kHeight = 100; // of the picture, in its own units; a span is one wide

interface Spot {
  place: number; // 0 to kSpans - 1
  span: HistorySpan;
}

function textOf(seconds: number | undefined): string {
  return seconds === undefined ? "–" : durationText(seconds * 1000);
}

// The time on the axis of a picture: from its first span to its last.
function Axis({ from }: { from: string | undefined }) {
  return (
    <div class="ends">
      <span>{from ? timeText(new Date(from)) : ""}</span>
      <span>now</span>
    </div>
  );
}

function Ends({ spots, from }: { spots: Spot[]; from: string | undefined }) {
  const most = Math.max(...spots.map(({ span }) => Number(span.groups ?? 0)), 1);
  return (
    <figure>
      <figcaption>
        ended: <span class="well-word">well</span>, <span class="failed-word">otherwise</span>; at most {most}
      </figcaption>
      <svg viewBox={`0 0 ${kSpans} ${kHeight}`} preserveAspectRatio="none" aria-hidden="true">
        {spots.map(({ place, span }) => {
          const [all, failed] = [Number(span.groups ?? 0), Number(span.failed ?? 0)].map((count) => ((count ?? 0) / most) * kHeight) as [number, number];
          return (
            <g>
              <rect class="well" x={place + 0.1} width={0.8} y={kHeight - all} height={all - failed} />
              <rect class="failed" x={place + 0.1} width={0.8} y={kHeight - failed} height={failed} />
            </g>
          );
        })}
      </svg>
      <Axis from={from} />
    </figure>
  );
}

// Joins spans that follow each other; one alone is a short line.
function pathOf(spots: Spot[], valueOf: (span: HistorySpan) => number | undefined, most: number): string {
  let path = "";
  let before = -2;
  for (const { place, span } of spots) {
    const value = valueOf(span);
    if (value === undefined) continue;
    const y = kHeight - (value / most) * kHeight;
    path += before === place - 1 ? `L${place + 0.5} ${y}` : `M${place + 0.2} ${y}L${place + 0.5} ${y}`;
    path += `L${place + 0.8} ${y}`;
    before = place;
  }
  return path;
}

function Times({ title, spots, from, of }: { title: string; spots: Spot[]; from: string | undefined; of: (span: HistorySpan) => Quantiles | undefined }) {
  const most = Math.max(...spots.map(({ span }) => of(span)?.p95 ?? 0));
  if (!spots.some(({ span }) => of(span))) return null;
  const quantile = (name: "p50" | "p95") => (span: HistorySpan) => (of(span) ? of(span)?.[name] ?? 0 : undefined);
  return (
    <figure>
      <figcaption>
        {title}: <span class="half-word">half within</span>, <span class="most-word">95 % within</span>; at most {textOf(most)}
      </figcaption>
      <svg viewBox={`0 0 ${kSpans} ${kHeight}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="most" d={pathOf(spots, quantile("p95"), most || 1)} />
        <path class="half" d={pathOf(spots, quantile("p50"), most || 1)} />
      </svg>
      <Axis from={from} />
    </figure>
  );
}

// Drawn when it is opened.
function AsText({ spots, width }: { spots: Spot[]; width: number }) {
  const isOpen = useSignal(false);
  return (
    <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>Over time, as text: each row is {durationText(width * 1000)}</summary>
      {isOpen.value && (
        <table class="wide" tabIndex={0} aria-label="Over time">
          <Heads of={["from", "ended", "not well", "waited: half within", "waited: 95 % within", "estimates off: half within", "95 % within"]} />
          <tbody>
            {spots.map(({ span }) => (
              <tr key={span.beginsAt}>
                <th scope="row">{timeText(new Date(span.beginsAt))}</th>
                <td class="number">{span.groups}</td>
                <td class="number">{span.failed ?? "0"}</td>
                <td>{span.waited ? textOf(span.waited.p50 ?? 0) : "–"}</td>
                <td>{span.waited ? textOf(span.waited.p95 ?? 0) : "–"}</td>
                <td>{span.estimatesOff ? textOf(span.estimatesOff.p50 ?? 0) : "–"}</td>
                <td>{span.estimatesOff ? textOf(span.estimatesOff.p95 ?? 0) : "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}

export function Curves({ spans, width }: { spans: HistorySpan[]; width: number }) {
  const spots = spans.map((span, place) => ({ place, span })).filter(({ span }) => span.groups);
  if (spots.length === 0) return null;
  const from = spans[0]?.beginsAt;
  return (
    <>
      <div class="curves">
        <Ends spots={spots} from={from} />
        <Times title="waited" spots={spots} from={from} of={(span) => span.waited} />
        <Times title="estimates were off by" spots={spots} from={from} of={(span) => span.estimatesOff} />
      </div>
      <AsText spots={spots} width={width} />
    </>
  );
}
