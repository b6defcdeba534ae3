// The pages: in the navigation in this order, each with its key, behind '#' by
// its name.
import type { ComponentChild } from "preact";
import { GroupPage } from "../groups/group_page";
import { GroupsPage } from "../groups/groups_page";
import { NodesPage } from "../nodes/nodes_page";
import { QueuesPage } from "../queues/queues_page";
import { TimelinePage } from "../timeline/timeline_page";
import type { Route } from "./route";

export interface PageOf {
  name: string;
  title: string;
  key: string;
  // Null if there is no page of these parts.
  show: (route: Route) => ComponentChild;
}

// The parts of a route and these words of its query, as the key of a component:
// with another key it is another page, and what an earlier one still reads is
// not shown.
function keyOf({ parts, query }: Route, ...names: string[]): string {
  return [...parts, ...names.map((name) => query.get(name) ?? "")].join("\n");
}

export const kPages: PageOf[] = [
  {
    name: "groups",
    title: "Groups",
    key: "g g",
    show: (route) => {
      const { parts } = route;
      if (parts.length < 2) return <GroupsPage />;
      if (parts.length !== 3) return null;
      return <GroupPage key={keyOf(route, "id")} namespace={parts[1]!} name={parts[2]!} />;
    },
  },
  {
    name: "timeline",
    title: "Timeline",
    key: "g t",
    show: (route) => <TimelinePage key={keyOf(route, "namespace", "queue")} />,
  },
  { name: "nodes", title: "Nodes", key: "g n", show: () => <NodesPage /> },
  { name: "queues", title: "Queues", key: "g q", show: () => <QueuesPage /> },
];
