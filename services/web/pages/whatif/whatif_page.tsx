// What if: more work, more nodes, another policy. Now against then as two
// timelines, and a table of who starts earlier and who later.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { call, wordsOf } from "../frame/calls";
import { AddressText } from "../frame/filters";
import { Heads } from "../frame/heads";
import { link, route, setQuery } from "../frame/route";
import { mayChange } from "../frame/session";
import { durationText, Time } from "../frame/times";
import type { SimulateResponse, SubmitResponse } from "../messages/simulation";
import { compare, type Compared, differenceOf, verdictOf } from "./comparison";
import { SubmitQuestion } from "./submit";
import { TwoTimelines } from "./two_timelines";

const kKept = "what-if manifests"; // in the session's storage
const kLines = 200;
const kPolicies = ["fcfs", "easy", "conservative", "hybrid"];
const kExample = `apiVersion: batch/v1
kind: Job
…`;

function words(text: string): string[] {
  return text.split(/[\s;]+/).filter(Boolean);
}

function Start({ at }: { at: number | null }) {
  return at === null ? <span class="none">does not start</span> : <Time at={new Date(at).toISOString()} />;
}

function Line({ group }: { group: Compared }) {
  const verdict = verdictOf(group);
  const difference = differenceOf(group);
  const slash = group.name.indexOf("/");
  return (
    <tr>
      <th scope="row">
        {group.isNew ? group.name : <a href={link(["groups", group.name.slice(0, slash), group.name.slice(slash + 1)])}>{group.name}</a>}
      </th>
      <td>{group.isNew ? "" : <Start at={group.now} />}</td>
      <td>
        <Start at={group.then} />
      </td>
      <td class={verdict}>
        {verdict === "later" || verdict === "earlier" ? `${difference === Infinity ? "" : `${durationText(difference)} `}${verdict}` : verdict}
      </td>
    </tr>
  );
}

function Table({ groups }: { groups: Compared[] }) {
  const count = (verdict: string) => groups.filter((each) => verdictOf(each) === verdict).length;
  return (
    <table class="wide" tabIndex={0}>
      <caption>
        <span role="status">
          {count("new")} new, {count("earlier")} earlier, {count("later")} later, {count("unchanged")} unchanged
          {groups.length > kLines ? `; the first ${kLines} of ${groups.length}` : ""}
        </span>
      </caption>
      <Heads of={["group", "starts now", "starts then", "difference"]} />
      <tbody>
        {groups.slice(0, kLines).map((group) => (
          <Line key={group.name} group={group} />
        ))}
      </tbody>
    </table>
  );
}

function useManifests() {
  const manifests = useSignal(sessionStorage.getItem(kKept) ?? "");
  const set = (text: string) => {
    manifests.value = text;
    sessionStorage.setItem(kKept, text);
  };
  const add = async (files: FileList | null | undefined) => {
    const texts = await Promise.all([...(files ?? [])].map((file) => file.text()));
    set([manifests.value.trim(), ...texts].filter(Boolean).join("\n---\n"));
  };
  return { manifests, set, add };
}

function Setting({ name, label, placeholder }: { name: string; label: string; placeholder: string }) {
  return (
    <label>
      {label}
      <AddressText name={name} hint={placeholder} isLong isReplaced />
    </label>
  );
}

function Settings() {
  return (
    <div class="filters" role="group" aria-label="Changes">
      <Setting name="nodes" label="more nodes" placeholder="10:like=NODE,rack=NAME" />
      <label>
        policy of all queues
        <select value={route.value.query.get("policy") ?? ""} onChange={(event) => setQuery("policy", event.currentTarget.value, true)}>
          <option value="">as it is</option>
          {kPolicies.map((policy) => (
            <option value={policy}>{policy}</option>
          ))}
        </select>
      </label>
      <Setting name="queues" label="settings of queues" placeholder="default:queue_depth=100" />
      <Setting name="namespace" label="namespace of manifests" placeholder="default" />
      <label>
        rows
        <select value={route.value.query.get("by") ?? ""} onChange={(event) => setQuery("by", event.currentTarget.value, true)}>
          <option value="">nodes</option>
          <option value="group">groups</option>
        </select>
      </label>
    </div>
  );
}

export function WhatIfPage() {
  const { manifests, set, add } = useManifests();
  const answer = useSignal<SimulateResponse | null>(null);
  const problem = useSignal("");
  const runs = useSignal(false);
  const asks = useSignal(false);
  const made = useSignal<SubmitResponse | null>(null);
  const of = (name: string) => route.value.query.get(name) ?? "";
  useEffect(() => {
    document.title = "What if – Fluxnetes";
  }, []);
  const simulate = async (event?: Event) => {
    event?.preventDefault();
    runs.value = true;
    problem.value = "";
    made.value = null;
    try {
      answer.value = await call<SimulateResponse>("Simulate", {
        manifests: manifests.value,
        namespace: of("namespace"),
        queuePolicy: of("policy"),
        queues: words(of("queues")),
        addNodes: words(of("nodes")),
        compare: true,
      });
    } catch (error) {
      problem.value = wordsOf(error);
    } finally {
      runs.value = false;
    }
  };
  const compared = useMemo(() => (answer.value ? compare(answer.value) : []), [answer.value]);
  const isEmpty = manifests.value.trim() === "";
  return (
    <section class="page whatif" aria-labelledby="title">
      <h1 id="title">What if</h1>
      <form onSubmit={simulate}>
        <label class="drop" onDragOver={(event) => event.preventDefault()} onDrop={(event) => { event.preventDefault(); void add(event.dataTransfer?.files); }}>
          Manifests of Pods and Jobs: paste them, or drop files here
          <textarea rows={8} spellcheck={false} value={manifests} placeholder={kExample} onInput={(event) => set(event.currentTarget.value)} />
        </label>
        <Settings />
        <p class="buttons">
          <button type="submit" class="main" disabled={runs.value}>
            Simulate
          </button>
          <label class="button">
            Add files…
            <input type="file" class="hidden" multiple accept=".yaml,.yml,.json" onChange={(event) => void add(event.currentTarget.files)} />
          </label>
          {(mayChange(of("namespace") || "default")) && (
            <button type="button" disabled={isEmpty} onClick={() => (asks.value = true)}>
              Submit…
            </button>
          )}
          {runs.value && <span role="status">Simulating; it takes up to a minute…</span>}
        </p>
      </form>
      {problem.value !== "" && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {made.value && (
        <p role="status">
          Submitted: {(made.value.objects ?? []).map((each) => `${each.namespace}/${each.name}`).join(", ")}. <a href={link(["groups"])}>Show the groups</a>
        </p>
      )}
      {answer.value && (
        <>
          {(answer.value.notes ?? []).map((note) => (
            <p class="why">{note}</p>
          ))}
          <Table groups={compared} />
          <TwoTimelines answer={answer.value} />
        </>
      )}
      {asks.value && <SubmitQuestion manifests={manifests.value} namespace={of("namespace")} close={() => (asks.value = false)} done={(answer) => (made.value = answer)} />}
    </section>
  );
}
