// The loops of the replicas: what each thread does, and how late it is.
import { Heads } from "../frame/heads";
import { Age, durationText, Time } from "../frame/times";
import type { Loop, System } from "../messages/system";

const kLate = 5; // s

function shortText(seconds: number): string {
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : durationText(seconds * 1000);
}

function StateCell({ loop }: { loop: Loop }) {
  if (loop.failingSeconds) return <td class="state bad">fails for {shortText(loop.failingSeconds)}</td>;
  if (loop.runningSeconds) return <td class="state running">at it for {shortText(loop.runningSeconds)}</td>;
  return <td>waits</td>;
}

export function LoopsTable({ system }: { system: System }) {
  const loops = system.loops ?? [];
  const nameOf = new Map((system.replicas ?? []).map((each) => [each.id, each.name]));
  if (loops.length === 0) return <p>No replica has reported its loops yet; each does every five seconds.</p>;
  return (
    <>
      <table class="wide" tabIndex={0} aria-label="Loops">
        <Heads of={["replica", "loop", "state", "last run", "took", "began late by", "runs", "failed"]} />
        <tbody>
          {loops.map((loop) => (
            <tr key={`${loop.replica}/${loop.name}/${loop.number ?? 0}`}>
              <td>{nameOf.get(loop.replica) ?? loop.replica}</td>
              <th scope="row">
                {loop.name}
                {loop.number ? ` ${loop.number + 1}` : ""}
              </th>
              <StateCell loop={loop} />
              <td>
                <Time at={loop.lastRunAt} />
              </td>
              <td class="number">{shortText(loop.tookSeconds ?? 0)}</td>
              <td class={(loop.lagSeconds ?? 0) > kLate ? "number state bad" : "number"}>{shortText(loop.lagSeconds ?? 0)}</td>
              <td class="number">{loop.runs ?? "0"}</td>
              <td class={loop.failures ? "number state waiting" : "number"}>{loop.failures ?? "0"}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="count">
        As of <Age at={loops[0]?.reportedAt} /> ago. A loop begins late while its step before still ran, or where this machine is too busy.
      </p>
    </>
  );
}
