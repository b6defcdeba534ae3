// The pages: in the navigation in this order, each with its key, behind '#' by
// its name.
import type { ComponentChild } from "preact";
import { GroupPage } from "../groups/group_page";
import { GroupsPage } from "../groups/groups_page";
import { NodePage } from "../nodes/node_page";
import { NodesPage } from "../nodes/nodes_page";
import { OverviewPage } from "../overview/overview_page";
import { QueuesPage } from "../queues/queues_page";
import "../timeline/timeline.css";
import "../whatif/whatif.css";
import { Later } from "./later";
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

const timelinePages = () => import("./timeline_pages");

const rarerPages = () => import("./rarer_pages");

export const kPages: PageOf[] = [
  { name: "overview", title: "Overview", key: "g o", show: () => <OverviewPage /> },
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
    show: (route) => <Later key={keyOf(route, "namespace", "queue")} load={async () => (await timelinePages()).TimelinePage} props={{}} />,
  },
  {
    name: "nodes",
    title: "Nodes",
    key: "g n",
    show: (route) => {
      const { parts } = route;
      if (parts.length > 2) return null;
      return parts.length === 2 ? <NodePage key={keyOf(route)} name={parts[1]!} /> : <NodesPage />;
    },
  },
  { name: "what-if", title: "What if", key: "g w", show: () => <Later load={async () => (await timelinePages()).WhatIfPage} props={{}} /> },
  {
    name: "queues",
    title: "Queues",
    key: "g q",
    show: (route) => {
      const { parts } = route;
      if (parts.length > 2) return null;
      return parts.length === 1 ? <QueuesPage /> : <Later key={keyOf(route)} load={async () => (await rarerPages()).QueuePage} props={{ name: parts[1]! }} />;
    },
  },
  { name: "jobs", title: "Work queue", key: "g j", show: () => <Later load={async () => (await rarerPages()).JobsPage} props={{}} /> },
  { name: "history", title: "History", key: "g h", show: () => <Later load={async () => (await rarerPages()).HistoryPage} props={{}} /> },
  { name: "audit", title: "Audit", key: "g l", show: () => <Later load={async () => (await rarerPages()).AuditPage} props={{}} /> },
  { name: "accounts", title: "Accounts", key: "g a", show: () => <Later load={async () => (await rarerPages()).AccountsPage} props={{}} /> },
  { name: "system", title: "System", key: "g s", show: () => <Later load={async () => (await rarerPages()).SystemPage} props={{}} /> },
];
