// Changes of groups as the server pushes them (events/groups), while the tab is
// seen: a browser opens only six connections to a host. A hidden tab has none;
// when it is seen again it goes on where it was.
import { call } from "../frame/calls";
import type { GroupChanges } from "../messages/group";

const kAgainAfter = 3000; // ms

export interface Watch {
  // A window: from now on only changes of these groups come, their present state
  // first, and how many others came or went.
  move: (ids: string[]) => void;
  end: () => void;
}

// `take` gets each piece; the first one says `current`, and from then on no
// change is missed. `filter` has the words of the query of events/groups.
export function watchWindow(
  filter: Record<string, string>,
  ids: string[] | null, // null: all groups of the filter
  take: (changes: GroupChanges) => void,
  lost: (isLost: boolean) => void,
): Watch {
  let source: EventSource | null = null;
  let after = "";
  let timer = 0;
  let window_ = ids;

  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const open = () => {
    close();
    if (document.hidden) return;
    const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ""));
    if (window_ === null) query.set("present", "false");
    else query.set("ids", window_.join(",") || "0");
    if (after) query.set("after", after);
    source = new EventSource(`events/groups?${query}`);
    source.onopen = () => lost(false);
    source.addEventListener("changes", (event) => {
      if (event.lastEventId) after = event.lastEventId;
      take(JSON.parse(event.data) as GroupChanges);
    });
    source.onerror = () => {
      lost(true);
      if (source?.readyState !== EventSource.CLOSED) return; // it tries itself
      // It was refused; a call finds out whether the session is over.
      timer = window.setTimeout(open, kAgainAfter);
      call("GetCaller", {}).catch(() => undefined);
    };
  };
  const onVisibility = () => (document.hidden ? close() : open());
  document.addEventListener("visibilitychange", onVisibility);
  open();
  return {
    move: (moved) => {
      window_ = moved;
      open();
    },
    end: () => {
      document.removeEventListener("visibilitychange", onVisibility);
      close();
    },
  };
}

// All changes of a namespace and queue. Returns the end of it.
export function watchGroups(
  filter: { namespace?: string; queue?: string },
  take: (changes: GroupChanges) => void,
  lost: (isLost: boolean) => void,
): () => void {
  return watchWindow({ namespace: filter.namespace ?? "", queue: filter.queue ?? "" }, null, take, lost).end;
}
