// The groups: filters in the URL, a windowed table, changes as they happen.
import "./groups.css";
import { signal, useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { GroupRows, type Filter } from "./group_rows";
import { watchGroups } from "./group_stream";
import { bindKeys } from "../frame/keys";
import type { Group } from "../messages/group";
import { Empty, Loading, Problem } from "../frame/notice";
import { groupLink, route, setQuery } from "../frame/route";
import { StateMark } from "../frame/state_mark";
import { Age, Time } from "../frame/times";

const kRow = 34; // pixels, as in groups.css
const kBeyond = 12; // rows drawn beyond what is seen

const kStates: [string, string][] = [
  ["", "any state"],
  ["GROUP_STATE_PROVISIONAL", "provisional"],
  ["GROUP_STATE_REFUSED", "refused"],
  ["GROUP_STATE_PENDING", "pending"],
  ["GROUP_STATE_UNSATISFIABLE", "unsatisfiable"],
  ["GROUP_STATE_ALLOCATED", "allocated"],
  ["GROUP_STATE_BOUND", "bound"],
  ["GROUP_STATE_FINISHED", "finished"],
];
const kFinished: [string, string][] = [
  ["", "unfinished"],
  ["3600", "and of the last hour"],
  ["86400", "and of the last day"],
  ["604800", "and of the last week"],
];

// Kept over a visit of another page, so that the back button finds the place.
const kept = signal<{ key: string; scroll: number; chosen: number }>({ key: "", scroll: 0, chosen: 0 });

function Filters({ filter }: { filter: Filter }) {
  const text = (name: "namespace" | "queue") => (
    <label>
      {name}
      <input value={filter[name]} placeholder="all" onChange={(event) => setQuery(name, event.currentTarget.value.trim())} />
    </label>
  );
  const choice = (name: "state" | "finished", options: [string, string][]) => (
    <label>
      {name === "state" ? "state" : "which"}
      <select value={filter[name]} onChange={(event) => setQuery(name, event.currentTarget.value)}>
        {options.map(([value, words]) => (
          <option value={value}>{words}</option>
        ))}
      </select>
    </label>
  );
  return (
    <div class="filters" role="group" aria-label="Filters">
      {text("namespace")}
      {text("queue")}
      {choice("state", kStates)}
      {choice("finished", kFinished)}
    </div>
  );
}

function Row({ group, index, chosen }: { group: Group; index: number; chosen: boolean }) {
  return (
    <div role="row" class={chosen ? "row chosen" : "row"} aria-rowindex={index + 2} style={{ top: `${index * kRow}px` }}>
      <span role="cell" class="name">
        <a href={groupLink(group)} tabIndex={chosen ? 0 : -1}>
          {group.namespace}/{group.name}
        </a>
      </span>
      <span role="cell">
        <StateMark group={group} />
      </span>
      <span role="cell" class="number">
        {group.size ?? "–"}
      </span>
      <span role="cell">{group.queue ?? "–"}</span>
      <span role="cell">
        <Age at={group.submittedAt} />
      </span>
      <span role="cell">
        <Time at={group.allocatedAt ?? group.estimatedStart} />
      </span>
      <span role="cell" class="why" title={group.reason}>
        {group.reason ?? ""}
      </span>
    </div>
  );
}

function Table({ rows }: { rows: GroupRows }) {
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  const chosen = useSignal(kept.value.chosen);

  const look = () => {
    const place = box.current;
    if (!place) return;
    top.value = place.scrollTop;
    height.value = place.clientHeight;
    kept.value = { ...kept.value, scroll: place.scrollTop };
    const last = (place.scrollTop + place.clientHeight) / kRow;
    if (last + 50 > rows.rows.value.length) void rows.readMore();
  };
  const choose = (index: number) => {
    const most = rows.rows.value.length - 1;
    chosen.value = Math.max(0, Math.min(most, index));
    kept.value = { ...kept.value, chosen: chosen.value };
    const place = box.current;
    if (!place) return;
    const y = chosen.value * kRow;
    if (y < place.scrollTop) place.scrollTop = y;
    else if (y + kRow > place.scrollTop + place.clientHeight) place.scrollTop = y + kRow - place.clientHeight;
  };
  useEffect(() => {
    if (box.current) box.current.scrollTop = kept.value.scroll;
    look();
    const size = new ResizeObserver(look);
    if (box.current) size.observe(box.current);
    const unbind = bindKeys([
      { keys: "j", does: "goes to the next row", run: () => choose(chosen.value + 1) },
      { keys: "k", does: "goes to the row before", run: () => choose(chosen.value - 1) },
      {
        keys: "Enter",
        does: "opens the row's group",
        run: () => {
          const group = rows.rows.value[chosen.value];
          if (group) location.hash = groupLink(group);
        },
      },
    ]);
    return () => {
      size.disconnect();
      unbind();
    };
  }, [rows]);

  const seen = useComputed(() => {
    const first = Math.max(0, Math.floor(top.value / kRow) - kBeyond);
    const last = Math.ceil((top.value + height.value) / kRow) + kBeyond;
    return { first, groups: rows.rows.value.slice(first, last) };
  });
  const count = rows.rows.value.length;
  return (
    <div role="table" aria-label="Groups" aria-rowcount={rows.complete.value ? count + 1 : -1} class="groups">
      <div role="row" class="row head" aria-rowindex={1}>
        {["group", "state", "pods", "queue", "age", "start", "why"].map((title) => (
          <span role="columnheader">{title}</span>
        ))}
      </div>
      <div class="window" ref={box} onScroll={look} role="rowgroup" tabIndex={0} aria-label="Rows of groups">
        <div role="presentation" style={{ height: `${count * kRow}px`, position: "relative" }}>
          {seen.value.groups.map((group, i) => (
            <Row key={seen.value.first + i} group={group} index={seen.value.first + i} chosen={seen.value.first + i === chosen.value} />
          ))}
        </div>
      </div>
      <p class="count">
        {count}
        {rows.complete.value ? "" : " or more"} {count === 1 ? "group" : "groups"}
      </p>
    </div>
  );
}

function NoGroups({ filter }: { filter: Filter }) {
  const filtered = filter.namespace || filter.queue || filter.state;
  return (
    <Empty title={filtered ? "No group is like this" : "No group is here"}>
      {filtered ? (
        <p>
          <a href="#/groups">Show all groups</a>
        </p>
      ) : (
        <p>
          Submit one: <code>fluxnetes submit -f job.yaml</code>, with <code>schedulerName: fluxnetes</code> in its pods.
        </p>
      )}
    </Empty>
  );
}

export function GroupsPage() {
  const { query } = route.value;
  const key = ["namespace", "queue", "state", "finished"].map((name) => query.get(name) ?? "").join("\n");
  const rows = useMemo(() => {
    const [namespace = "", queue = "", state = "", finished = ""] = key.split("\n");
    return new GroupRows({ namespace, queue, state, finished });
  }, [key]);
  const lost = useSignal(false);

  useEffect(() => {
    if (kept.value.key !== key) kept.value = { key, scroll: 0, chosen: 0 };
    document.title = "Groups – Fluxnetes";
    let first = true;
    const end = watchGroups(
      rows.filter,
      (changes) => {
        // The watch is there: what is read from now on misses nothing.
        if ((first && !rows.loaded.value) || changes.reset) void rows.readAgain();
        else rows.take(changes);
        first = false;
      },
      (isLost) => (lost.value = isLost),
    );
    void rows.readMore();
    return () => {
      end();
      rows.end();
    };
  }, [rows]);
  return (
    <section aria-labelledby="title" class="page">
      <h1 id="title">Groups</h1>
      <Filters filter={rows.filter} />
      <div class="bars" role="status">
        {lost.value && <p class="bar lost">Changes do not arrive at the moment; trying again.</p>}
        {rows.changes.value > 0 && (
          <button class="bar" onClick={() => void rows.readAgain()}>
            {rows.changes.value} {rows.changes.value === 1 ? "change" : "changes"} – show
          </button>
        )}
      </div>
      {rows.problem.value !== "" && <Problem what={rows.problem.value} again={() => void rows.readAgain()} />}
      {!rows.loaded.value && rows.problem.value === "" && <Loading />}
      {rows.loaded.value && rows.rows.value.length === 0 && <NoGroups filter={rows.filter} />}
      {rows.rows.value.length > 0 && <Table rows={rows} />}
    </section>
  );
}
