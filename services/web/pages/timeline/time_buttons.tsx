// Buttons and keys that choose the time of a timeline, and what its colours mean.
import { useEffect } from "preact/hooks";
import { bindKeys } from "../frame/keys";
import type { TimeView } from "./time_view";

// What each colour of the style sheet stands for.
const kMeanings: Record<string, string> = Object.fromEntries(["running", "reserved", "draining", "forecast", "maintenance"].map((kind) => [kind, kind]));

export function TimeButtons({ time, kinds = kMeanings }: { time: TimeView; kinds?: Record<string, string> }) {
  useEffect(
    () =>
      bindKeys([
        { keys: "+", does: "shows a shorter time", run: () => time.zoom(0.5) },
        { keys: "-", does: "shows a longer time", run: () => time.zoom(2) },
        { keys: "ArrowLeft", does: "goes to earlier times", run: () => time.pan(-0.2) },
        { keys: "ArrowRight", does: "goes to later times", run: () => time.pan(0.2) },
        { keys: "n", does: "goes to now, and follows it", run: () => time.toNow() },
      ]),
    [time],
  );
  return (
    <div class="buttons">
      <button onClick={() => time.zoom(0.5)}>Shorter</button>
      <button onClick={() => time.zoom(2)}>Longer</button>
      <button onClick={() => time.pan(-0.2)}>Earlier</button>
      <button onClick={() => time.pan(0.2)}>Later</button>
      <button onClick={() => time.toNow()} aria-pressed={time.follows.value}>
        Follow now
      </button>
      <ul class="legend">
        {Object.entries(kinds).map(([colour, kind]) => (
          <li class={colour}>{kind}</li>
        ))}
      </ul>
    </div>
  );
}
