// Changes of groups as the server pushes them (events/groups), while the tab is
// seen: a browser opens only six connections to a host. A hidden tab has none;
// when it is seen again it goes on where it was.
import type { GroupChanges } from "../messages/group";
import { call } from "../frame/calls";

const kAgainAfter = 3000; // ms

// `take` gets each piece; the first one says `current`, and from then on no
// change is missed. Returns the end of it.
export function watchGroups(
  filter: { namespace?: string; queue?: string },
  take: (changes: GroupChanges) => void,
  lost: (isLost: boolean) => void,
): () => void {
  let source: EventSource | null = null;
  let after = "";
  let timer = 0;

  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const open = () => {
    close();
    if (document.hidden) return;
    const query = new URLSearchParams({ present: "false" });
    if (filter.namespace) query.set("namespace", filter.namespace);
    if (filter.queue) query.set("queue", filter.queue);
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
  return () => {
    document.removeEventListener("visibilitychange", onVisibility);
    close();
  };
}
