// The rows of the groups page: pages of a hundred, read as one scrolls towards
// them, and kept in the server's order, so that no row moves while one reads.
// Pushed changes alter a row in its place; those that would add or remove one
// are counted, and shown when the reader asks.
import { batch, signal } from "@preact/signals";
import { call, wordsOf } from "../frame/calls";
import type { Group, GroupChanges, ListGroupsResponse } from "../messages/group";

const kPage = 100;

export interface Filter {
  namespace: string;
  queue: string;
  state: string; // GROUP_STATE_…; "": any
  finished: string; // seconds; "": none
}

export class GroupRows {
  readonly rows = signal<Group[]>([]);
  readonly complete = signal(false); // all pages are read
  readonly loaded = signal(false); // the first page is
  readonly problem = signal("");
  readonly changes = signal(0); // not shown

  private places = new Map<string, number>(); // by id
  private changed = new Set<string>();
  private token = "";
  private reading = false;
  private aborter = new AbortController();

  constructor(readonly filter: Filter) {}

  async readMore(): Promise<void> {
    if (this.reading || this.complete.value) return;
    this.reading = true;
    const { signal: stop } = this.aborter;
    try {
      const page = await call<ListGroupsResponse>("ListGroups", this.request(), stop);
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

  // Reads anew as many pages as there are; the rows stay until then.
  async readAgain(): Promise<void> {
    const wanted = Math.max(this.rows.value.length, 1);
    const fresh = new GroupRows(this.filter);
    this.changed.clear();
    this.changes.value = 0;
    while (!fresh.complete.value && fresh.rows.value.length < wanted) {
      await fresh.readMore();
      if (fresh.problem.value !== "") {
        this.problem.value = fresh.problem.value;
        return;
      }
    }
    batch(() => {
      this.rows.value = fresh.rows.value;
      this.places = fresh.places;
      this.token = fresh.token;
      this.complete.value = fresh.complete.value;
      this.loaded.value = true;
      this.problem.value = "";
    });
  }

  take(changes: GroupChanges): void {
    if (!this.loaded.value) return;
    const rows = this.rows.value.slice();
    for (const group of changes.groups ?? []) {
      const place = this.places.get(group.id ?? "");
      if (place === undefined) {
        if (this.matches(group)) this.changed.add(group.id ?? "");
      } else {
        rows[place] = group;
        if (!this.matches(group)) this.changed.add(group.id ?? "");
      }
    }
    for (const id of changes.gone ?? []) if (this.places.has(id)) this.changed.add(id);
    batch(() => {
      this.rows.value = rows;
      this.changes.value = this.changed.size;
    });
  }

  end(): void {
    this.aborter.abort();
  }

  private request(): object {
    const { namespace, queue, state, finished } = this.filter;
    return {
      namespace,
      queue,
      states: state ? [state] : [],
      finishedWithinSeconds: finished || "0",
      pageSize: kPage,
      pageToken: this.token,
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

  private matches(group: Group): boolean {
    const { namespace, queue, state, finished } = this.filter;
    return (
      (namespace === "" || group.namespace === namespace) &&
      (queue === "" || group.queue === queue) &&
      (state === "" || group.state === state) &&
      (finished !== "" || group.state !== "GROUP_STATE_FINISHED")
    );
  }
}
