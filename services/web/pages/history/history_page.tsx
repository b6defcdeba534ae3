// The groups that have ended: how, how long they waited and ran, and how far
// their estimates were off.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { call, wordsOf } from "../frame/calls";
import { Curves, kSpans } from "./curves";
import { ChoiceFilter, TextFilter } from "../frame/filters";
import { Heads } from "../frame/heads";
import { Empty, Problem } from "../frame/notice";
import { Paged } from "../frame/paged";
import { PagedList } from "../frame/paged_list";
import { groupLink, link, route, setQuery } from "../frame/route";
import { StateMark } from "../frame/state_mark";
import { durationText, Time } from "../frame/times";
import type { Group } from "../messages/group";
import type { ListEstimateErrorsResponse, ListHistoryResponse, Quantiles, SummarizeHistoryResponse } from "../messages/history";

const kResults: [string, string][] = ["", "succeeded", "failed", "timed out", "preempted", "cancelled"].map((each) => [each, each || "any"]);
const kWithin: [string, string][] = [
  ["3600", "the last hour"],
  ["", "the last day"],
  ["604800", "the last week"],
  ["2592000", "the last 30 days"],
];
const kOrders: [string, string][] = [
  ["", "the last first"],
  ["HISTORY_ORDER_WAITED", "the longest waits first"],
  ["HISTORY_ORDER_RAN", "the longest runs first"],
];

function between(from: string | undefined, to: string | undefined): number | undefined {
  return from && to ? Date.parse(to) - Date.parse(from) : undefined;
}

function Duration({ of }: { of: number | undefined }) {
  return of === undefined ? <span class="none">–</span> : <>{durationText(of)}</>;
}

function QuantileRow({ title, of }: { title: string; of: Quantiles | undefined }) {
  if (!of) return null;
  return (
    <tr>
      <th scope="row">{title}</th>
      {[of.p50, of.p95, of.max].map((seconds) => (
        <td>{durationText((seconds ?? 0) * 1000)}</td>
      ))}
    </tr>
  );
}

function Summary({ request }: { request: object }) {
  const summary = useSignal<SummarizeHistoryResponse | null>(null);
  const problem = useSignal("");
  useEffect(() => {
    const aborter = new AbortController();
    summary.value = null;
    call<SummarizeHistoryResponse>("SummarizeHistory", { ...request, spans: kSpans }, aborter.signal)
      .then((answer) => {
        summary.value = answer;
        problem.value = "";
      })
      .catch((error) => aborter.signal.aborted || (problem.value = wordsOf(error)));
    return () => aborter.abort();
  }, [request]);
  if (problem.value) return <p class="problem">{problem.value}</p>;
  if (!summary.value) return null;
  const result = route.value.query.get("result") ?? "";
  return (
    <>
      <ul class="chips" aria-label="Groups by result">
        {(summary.value.results ?? []).map((each) => (
          <li>
            <button aria-pressed={result === each.result} onClick={() => setQuery("result", result === each.result ? "" : each.result ?? "")}>
              {each.groups} {each.result}
            </button>
          </li>
        ))}
      </ul>
      {summary.value.waited && (
        <table>
          <Heads of={["time", "half within", "95 % within", "longest"]} />
          <tbody>
            <QuantileRow title="waited" of={summary.value.waited} />
            <QuantileRow title="ran" of={summary.value.ran} />
          </tbody>
        </table>
      )}
      <Curves spans={summary.value.spans ?? []} width={Number(summary.value.spanSeconds ?? 1)} />
    </>
  );
}

// Read when it is opened.
function Estimates() {
  const errors = useSignal<ListEstimateErrorsResponse | null>(null);
  const problem = useSignal("");
  const read = async () => {
    try {
      errors.value = await call<ListEstimateErrorsResponse>("ListEstimateErrors", {});
      problem.value = "";
    } catch (error) {
      problem.value = wordsOf(error);
    }
  };
  return (
    <details onToggle={(event) => event.currentTarget.open && !errors.value && void read()}>
      <summary>How far estimated starts were off</summary>
      {problem.value && <Problem what={problem.value} again={() => void read()} />}
      {errors.value && (errors.value.errors ?? []).length === 0 && <p>No group with an estimate has started yet.</p>}
      {errors.value && (errors.value.errors ?? []).length > 0 && (
        <table class="wide" tabIndex={0}>
          <Heads of={["queue", "estimate", "ahead, at least", "groups", "mean error", "half within", "95 % within", "later than said"]} />
          <tbody>
            {(errors.value.errors ?? []).map((each) => (
              <tr>
                <td>{each.queue}</td>
                <td>{each.estimate}</td>
                <td>{durationText(Number(each.horizonSeconds ?? 0) * 1000)}</td>
                <td class="number">{each.groups}</td>
                <td>{durationText((each.mean ?? 0) * 1000)}</td>
                <td>{durationText((each.p50 ?? 0) * 1000)}</td>
                <td>{durationText((each.p95 ?? 0) * 1000)}</td>
                <td>
                  {(each.bias ?? 0) < 0 ? "−" : "+"}
                  {durationText(Math.abs(each.bias ?? 0) * 1000)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}

export function HistoryPage() {
  const { query } = route.value;
  const key = ["search", "namespace", "queue", "result", "within", "order"].map((name) => query.get(name) ?? "").join("\n");
  const { list, request } = useMemo(() => {
    const [search = "", namespace = "", queue = "", result = "", within = "", order = ""] = key.split("\n");
    const request = { search, namespace, queue, withinSeconds: within || "86400" };
    const more = { ...request, results: result ? [result] : [], ...(order ? { order } : {}) };
    return { request, list: new Paged<Group>("ListHistory", more, (answer: ListHistoryResponse) => answer.groups) };
  }, [key]);
  useEffect(() => {
    document.title = "History – Fluxnetes";
  }, []);
  return (
    <section class="page" aria-labelledby="title">
      <h1 id="title">History</h1>
      <div class="filters" role="group" aria-label="Filters">
        <TextFilter name="search" hint="name" />
        <TextFilter name="namespace" />
        <TextFilter name="queue" />
        <ChoiceFilter name="result" options={kResults} />
        <ChoiceFilter name="within" words="of" options={kWithin} />
        <ChoiceFilter name="order" options={kOrders} />
      </div>
      <Summary request={request} />
      <PagedList
        list={list}
        name="history"
        things="groups"
        empty={
          <Empty title="No group like this has ended">
              <p>
                <a href={link(["history"], { within: "2592000" })}>Look at the last 30 days</a>, or at <a href={link(["groups"])}>the groups that there are</a>
              </p>
          </Empty>
        }
        file={{
          heads: ["namespace", "group", "id", "result", "pods", "queue", "submitted", "bound", "ended", "nodes", "why"],
          line: (each) => [each.namespace, each.name, each.id, each.result, each.size, each.queue, each.submittedAt, each.boundAt, each.endedAt, (each.nodes ?? []).join(" "), each.reason],
        }}
        table={(rows) => (
            <table class="wide" tabIndex={0}>
              <Heads of={["group", "result", "pods", "queue", "submitted", "waited", "ran", "ended", "why"]} />
              <tbody>
                {rows.map((group) => (
                  <tr key={group.id}>
                    <th scope="row" class="long">
                      <a href={groupLink(group)}>
                        {group.namespace}/{group.name}
                      </a>
                    </th>
                    <td>
                      <StateMark group={group} />
                    </td>
                    <td class="number">{group.size}</td>
                    <td>{group.queue}</td>
                    <td>
                      <Time at={group.submittedAt} />
                    </td>
                    <td>
                      <Duration of={between(group.submittedAt, group.boundAt)} />
                    </td>
                    <td>
                      <Duration of={between(group.boundAt, group.endedAt)} />
                    </td>
                    <td>
                      <Time at={group.endedAt} />
                    </td>
                    <td class="long">{group.reason}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
      />
      <Estimates />
    </section>
  );
}
