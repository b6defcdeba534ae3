// The groups: filters in the URL, a windowed table, changes as they happen.
import "./groups.css";
import { signal, useComputed, useSignal, type Signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { wordsOf } from "../frame/calls";
import { csvOf, save } from "../frame/csv";
import { ChoiceFilter, TextFilter } from "../frame/filters";
import { bindKeys } from "../frame/keys";
import { Empty, Loading, Problem } from "../frame/notice";
import { groupLink, link, route, setQuery } from "../frame/route";
import { StateMark } from "../frame/state_mark";
import { Age, Time } from "../frame/times";
import type { Group } from "../messages/group";
import { GroupRows, kFilters, type Filter } from "./group_rows";
import { watchWindow, type Watch } from "./group_stream";
import { nameOf, SeveralGroups, type Chosen } from "./several_groups";

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
const kColumns: [string, string][] = [
  ["group", "GROUP_ORDER_NAME"],
  ["state", "GROUP_ORDER_STATE"],
  ["pods", "GROUP_ORDER_SIZE"],
  ["queue", "GROUP_ORDER_QUEUE"],
  ["priority", "GROUP_ORDER_PRIORITY"],
  ["age", "GROUP_ORDER_SUBMITTED"],
  ["start", "GROUP_ORDER_START"],
  ["why", ""],
];

// Kept over a visit of another page, so that the back button finds the place.
const kept = signal<{ key: string; scroll: number; chosen: number }>({ key: "", scroll: 0, chosen: 0 });

function Filters() {
  return (
    <div class="filters" role="group" aria-label="Filters">
      <TextFilter name="search" hint="name or reason" />
      <TextFilter name="namespace" />
      <TextFilter name="queue" />
      <TextFilter name="node" />
      <TextFilter name="account" />
      <ChoiceFilter name="state" options={kStates} />
      <a href={link(["history"])}>Finished groups</a>
    </div>
  );
}

// How many groups are in each state; a click shows them alone.
function Chips({ rows }: { rows: GroupRows }) {
  const counts = rows.counts.value?.counts ?? [];
  return (
    <ul class="chips" aria-label="Groups by state">
      {kStates.slice(1).map(([state, words]) => {
        const of = counts.filter((each) => each.state === state);
        const count = of.reduce((sum, each) => sum + Number(each.groups ?? 0), 0);
        if (count === 0 && rows.filter.state !== state) return null;
        const chosen = rows.filter.state === state;
        return (
          <li>
            <button
              aria-pressed={chosen}
              title={of.map((each) => `${each.groups} ${each.shownState}`).join(", ")}
              onClick={() => setQuery("state", chosen ? "" : state)}
            >
              {count} {words}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function Heads({ filter }: { filter: Filter }) {
  const sort = (order: string) => {
    const again = filter.order === order;
    setQuery("descending", again && filter.descending === "" ? "1" : "", true);
    setQuery("order", again && filter.descending === "1" ? "" : order);
  };
  return (
    <div role="row" class="row head" aria-rowindex={1}>
      <span role="columnheader">
        <span class="hidden">chosen</span>
      </span>
      {kColumns.map(([title, order]) => {
        const isOrder = order !== "" && filter.order === order;
        return (
          <span role="columnheader" aria-sort={!isOrder ? undefined : filter.descending ? "descending" : "ascending"}>
            {order === "" ? title : <button onClick={() => sort(order)}>{title}</button>}
            {isOrder && <span aria-hidden="true">{filter.descending ? " ↓" : " ↑"}</span>}
          </span>
        );
      })}
    </div>
  );
}

function Row({ group, index, chosen, marked, mark }: { group: Group; index: number; chosen: boolean; marked: boolean; mark: (group: Group) => void }) {
  return (
    <div role="row" class={chosen ? "row chosen" : "row"} aria-rowindex={index + 2} style={{ top: `${index * kRow}px` }}>
      <span role="cell">
        {group.id && <input type="checkbox" checked={marked} tabIndex={-1} aria-label={`Choose ${nameOf(group)}`} onChange={() => mark(group)} />}
      </span>
      <span role="cell" class="name">
        <a href={groupLink(group)} tabIndex={chosen ? 0 : -1}>
          {nameOf(group)}
        </a>
      </span>
      <span role="cell">
        <StateMark group={group} />
      </span>
      <span role="cell" class="number">
        {group.size ?? "–"}
      </span>
      <span role="cell">{group.queue ?? "–"}</span>
      <span role="cell" class="number">{group.priority ?? "–"}</span>
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

function Table({ rows, marked, see }: { rows: GroupRows; marked: Signal<Chosen>; see: (ids: string[]) => void }) {
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
  const mark = (group: Group) => {
    const next: Chosen = new Map(marked.value);
    if (!next.delete(group.id!)) next.set(group.id!, group);
    marked.value = next;
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
      {
        keys: "x",
        does: "chooses the row's group, or no longer",
        run: () => {
          const group = rows.rows.value[chosen.value];
          if (group?.id) mark(group);
        },
      },
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
  const ids = seen.value.groups.flatMap((group) => group.id ?? []);
  useEffect(() => see(ids), [ids.join()]);
  return (
    <div role="table" aria-label="Groups" aria-rowcount={rows.complete.value ? count + 1 : -1} class="groups">
      <Heads filter={rows.filter} />
      <div class="window" ref={box} onScroll={look} role="rowgroup" tabIndex={0} aria-label="Rows of groups">
        <div role="presentation" style={{ height: `${count * kRow}px`, position: "relative" }}>
          {seen.value.groups.map((group, i) => (
            <Row key={seen.value.first + i} group={group} index={seen.value.first + i} chosen={seen.value.first + i === chosen.value} marked={marked.value.has(group.id ?? "")} mark={mark} />
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
  const filtered = filter.namespace || filter.queue || filter.state || filter.search || filter.node || filter.account;
  return (
    <Empty title={filtered ? "No group is like this" : "No group is here"}>
      {filtered ? (
        <p>
          <a href="#/groups">Show all groups</a>, or <a href={link(["history"], { search: filter.search, namespace: filter.namespace })}>look among those that have ended</a>
        </p>
      ) : (
        <p>
          Submit one: <code>fluxnetes submit -f job.yaml</code>, with <code>schedulerName: fluxnetes</code> in its pods.
        </p>
      )}
    </Empty>
  );
}

// All groups of the filter as a file.
function Export({ rows }: { rows: GroupRows }) {
  const state = useSignal("");
  const run = async () => {
    try {
      const groups = await rows.all((count) => (state.value = `${count} groups…`));
      const heads = ["namespace", "group", "id", "state", "pods", "queue", "account", "priority", "submitted", "start", "estimate", "nodes", "why"];
      save(
        "groups.csv",
        csvOf(
          heads,
          groups.map((each) => [
            each.namespace,
            each.name,
            each.id,
            each.shownState,
            each.size,
            each.queue,
            each.account,
            each.priority,
            each.submittedAt,
            each.allocatedAt ?? each.estimatedStart,
            each.estimate,
            (each.nodes ?? each.reservedNodes ?? []).join(" "),
            each.reason,
          ]),
        ),
      );
      state.value = "";
    } catch (error) {
      state.value = wordsOf(error);
    }
  };
  return (
    <p class="buttons">
      <button onClick={() => void run()}>CSV</button> <span role="status">{state.value}</span>
    </p>
  );
}

const kAround = 50; // groups watched beyond those that are drawn

export function GroupsPage() {
  const { query } = route.value;
  const key = kFilters.map((name) => query.get(name) ?? "").join("\n");
  const rows = useMemo(() => {
    const words = key.split("\n");
    return new GroupRows(Object.fromEntries(kFilters.map((name, i) => [name, words[i] ?? ""])) as Filter);
  }, [key]);
  const lost = useSignal(false);
  const marked = useSignal<Chosen>(new Map());
  const watch = useRef<Watch | null>(null);
  const watched = useRef(new Set<string>());

  // Moves the window when rows are seen that are not in it, once one rests.
  const moving = useRef(0);
  const see = (ids: string[]) => {
    clearTimeout(moving.current);
    if (ids.every((id) => watched.current.has(id))) return;
    moving.current = window.setTimeout(() => {
      const all = rows.rows.value.flatMap((group) => group.id ?? []);
      const first = Math.max(0, all.indexOf(ids[0]!) - kAround);
      const around = all.slice(first, first + ids.length + 2 * kAround);
      watched.current = new Set(around);
      watch.current?.move(around);
    }, 200);
  };

  useEffect(() => {
    if (kept.value.key !== key) kept.value = { key, scroll: 0, chosen: 0 };
    document.title = "Groups – Fluxnetes";
    watched.current = new Set();
    watch.current = watchWindow(
      rows.watched(),
      [],
      (changes) => {
        if (changes.reset && rows.loaded.value) void rows.readAgain();
        else rows.take(changes);
      },
      (isLost) => (lost.value = isLost),
    );
    void rows.readMore();
    void rows.readCounts();
    return () => {
      clearTimeout(moving.current);
      watch.current?.end();
      rows.end();
    };
  }, [rows]);
  return (
    <section aria-labelledby="title" class="page">
      <h1 id="title">Groups</h1>
      <Filters />
      <Chips rows={rows} />
      <div class="bars" role="status">
        {lost.value && <p class="bar lost">Changes do not arrive at the moment; trying again.</p>}
        {rows.changes.value > 0 && (
          <button class="bar" onClick={() => void rows.readAgain()}>
            {rows.changes.value} {rows.changes.value === 1 ? "change" : "changes"} – show
          </button>
        )}
      </div>
      <SeveralGroups chosen={marked} done={() => void rows.readAgain()} />
      {rows.problem.value !== "" && <Problem what={rows.problem.value} again={() => void rows.readAgain()} />}
      {!rows.loaded.value && rows.problem.value === "" && <Loading />}
      {rows.loaded.value && rows.rows.value.length === 0 && <NoGroups filter={rows.filter} />}
      {rows.rows.value.length > 0 && <Table rows={rows} marked={marked} see={see} />}
      {rows.rows.value.length > 0 && <Export rows={rows} />}
    </section>
  );
}
