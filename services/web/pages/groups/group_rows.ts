// The rows of the groups page: pages of a hundred, read as one scrolls towards
// them, and kept in the server's order, so that no row moves while one reads.
// The server pushes changes of the rows around those that are seen, which alter
// a row in its place, and the number of groups that came or went, which are
// shown when the reader asks.
import { batch, signal } from "@preact/signals";
import { call, wordsOf } from "../frame/calls";
import type { CountGroupsResponse, Group, GroupChanges, ListGroupsResponse } from "../messages/group";

const kPage = 100;
const kLargestPage = 1000;

export const kFilters = ["namespace", "queue", "state", "search", "node", "account", "order", "descending"] as const;
export type Filter = Record<(typeof kFilters)[number], string>;

export class GroupRows {
  readonly rows = signal<Group[]>([]);
  readonly complete = signal(false); // all pages are read
  readonly loaded = signal(false); // the first page is
  readonly problem = signal("");
  readonly changes = signal(0); // not shown
  readonly counts = signal<CountGroupsResponse | null>(null);

  private places = new Map<string, number>(); // by id
  private changed = new Set<Map<string, Group>>(); // since the begin of each readAgain()
  private token = "";
  private reading = false;
  private aborter = new AbortController();
  private countTimer = 0;

  constructor(readonly filter: Filter) {}

  async readMore(): Promise<void> {
    if (this.reading || this.complete.value) return;
    this.reading = true;
    const { signal: stop } = this.aborter;
    try {
      const page = await call<ListGroupsResponse>("ListGroups", this.request(kPage, this.token), stop);
      batch(() => {
        this.append(page.groups ?? []);
        this.token = page.nextPageToken ?? "";
        this.complete.value = this.token === "";
        this.loaded.value = true;
        this.problem.value = "";
      });
    } catch (error) {
      if (!stop.aborted) this.problem.value = wordsOf(error);
    } finally {
      this.reading = false;
    }
  }

  // Reads anew as many pages as there are; the rows stay until then. A change that is
  // pushed meanwhile may be newer than the page that is read, never older for long.
  async readAgain(): Promise<void> {
    const wanted = Math.max(this.rows.value.length, 1);
    const fresh = new GroupRows(this.filter);
    const changed = new Map<string, Group>();
    this.changed.add(changed);
    this.changes.value = 0;
    while (!fresh.complete.value && fresh.rows.value.length < wanted && fresh.problem.value === "") await fresh.readMore();
    this.changed.delete(changed);
    if (fresh.problem.value !== "") {
      this.problem.value = fresh.problem.value;
      return;
    }
    batch(() => {
      this.rows.value = fresh.rows.value.map((group) => changed.get(group.id ?? "") ?? group);
      this.places = fresh.places;
      this.token = fresh.token;
      this.complete.value = fresh.complete.value;
      this.loaded.value = true;
      this.problem.value = "";
    });
    void this.readCounts();
  }

  async readCounts(): Promise<void> {
    const { namespace, queue, search, node, account } = this.filter;
    try {
      this.counts.value = await call<CountGroupsResponse>("CountGroups", { namespace, queue, search, node, account }, this.aborter.signal);
    } catch {
      // The list itself says what is wrong.
    }
  }

  take(changes: GroupChanges): void {
    const others = Number(changes.others ?? 0);
    if (others > 0 && !this.countTimer)
      this.countTimer = window.setTimeout(() => {
        this.countTimer = 0;
        void this.readCounts();
      }, 1000);
    if (!this.loaded.value) return;
    let rows = this.rows.value;
    for (const group of changes.groups ?? []) {
      for (const changed of this.changed) changed.set(group.id ?? "", group);
      const place = this.places.get(group.id ?? "");
      if (place === undefined) continue;
      if (rows === this.rows.value) rows = rows.slice();
      rows[place] = group;
    }
    batch(() => {
      this.rows.value = rows;
      this.changes.value += others;
    });
  }

  // All groups of the filter, page by page; `look` hears how many there are.
  async all(look: (count: number) => void): Promise<Group[]> {
    const groups: Group[] = [];
    let token = "";
    do {
      const page = await call<ListGroupsResponse>("ListGroups", this.request(kLargestPage, token), this.aborter.signal);
      groups.push(...(page.groups ?? []));
      token = page.nextPageToken ?? "";
      look(groups.length);
    } while (token !== "");
    return groups;
  }

  end(): void {
    clearTimeout(this.countTimer);
    this.aborter.abort();
  }

  // The words of events/groups that count who comes and goes.
  watched(): Record<string, string> {
    const { namespace, queue, state, search, node, account } = this.filter;
    return { namespace, queue, states: state, search, node, account };
  }

  private request(pageSize: number, pageToken: string): object {
    const { namespace, queue, state, search, node, account, order, descending } = this.filter;
    return {
      namespace,
      queue,
      states: state ? [state] : [],
      search,
      node,
      account,
      ...(order ? { order } : {}),
      descending: descending === "1",
      pageSize,
      pageToken,
    };
  }

  private append(groups: Group[]): void {
    const rows = this.rows.value.slice();
    for (const group of groups) {
      if (group.id) this.places.set(group.id, rows.length);
      rows.push(group);
    }
    this.rows.value = rows;
  }
}
