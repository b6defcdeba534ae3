// The timeline as text, some lines at a time: for screen readers, and for who
// asks for it.
import { useSignal } from "@preact/signals";
import { Heads } from "../frame/heads";
import { groupLink } from "../frame/route";
import { Time } from "../frame/times";
import type { TimelineGroups } from "./timeline_groups";
import type { TimelineRows } from "./timeline_rows";

const kLines = 100;

interface Line {
  names: string[];
  group: number;
}

// Lines [first, first + kLines) of all bars, row by row.
function linesOf({ rows, bars }: TimelineRows, first: number): Line[] {
  const lines: Line[] = [];
  let before = 0;
  for (const row of rows) {
    const count = row.last - row.first;
    for (let i = Math.max(0, first - before); i < count && lines.length < kLines; ++i) lines.push({ names: row.names, group: bars[row.first + i]! });
    before += count;
    if (lines.length === kLines) break;
  }
  return lines;
}

function namesText(names: string[]): string {
  return names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
}

function isoOf(time: number): string | undefined {
  return Number.isFinite(time) ? new Date(time).toISOString() : undefined;
}

export function TimelineTable({ groups, rows }: { groups: TimelineGroups; rows: TimelineRows }) {
  const asked = useSignal(0);
  const count = rows.rows.reduce((sum, row) => sum + row.last - row.first, 0);
  const first = Math.min(asked.value, Math.max(0, count - 1));
  const lines = linesOf(rows, first);
  return (
    <>
      <table class="wide" tabIndex={0}>
        <caption>
          The timeline as text, {count > kLines ? `lines ${first + 1} to ${first + lines.length} of ${count}` : `${count} lines`}
        </caption>
        <Heads of={["rows", "group", "what", "from", "until"]} />
        <tbody>
          {lines.map(({ names, group }) => (
            <tr>
              <td>{namesText(names)}</td>
              <td>
                <a href={groupLink({ namespace: groups.namespaceOf(group), name: groups.names[group]!, id: groups.ids[group]! })}>{groups.fullName(group)}</a>
              </td>
              <td>{groups.kindOf(group)}</td>
              <td>
                <Time at={isoOf(groups.from[group]!)} />
              </td>
              <td>{groups.until[group] === Infinity ? "no end" : <Time at={isoOf(groups.until[group]!)} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {count > kLines && (
        <p class="buttons">
          <button disabled={first === 0} onClick={() => (asked.value = Math.max(0, first - kLines))}>
            Lines before
          </button>
          <button disabled={first + kLines >= count} onClick={() => (asked.value = first + kLines)}>
            Next lines
          </button>
        </p>
      )}
    </>
  );
}
