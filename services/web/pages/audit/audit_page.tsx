// Who has changed what: the audit log, the newest first.
import { useEffect, useMemo } from "preact/hooks";
import { csvOf, save } from "../frame/csv";
import { TextFilter } from "../frame/filters";
import { Empty, Loading, Problem } from "../frame/notice";
import { Paged } from "../frame/paged";
import { groupLink, link, route } from "../frame/route";
import { Time } from "../frame/times";
import type { AuditRow, ListAuditResponse } from "../messages/audit";

function Subject({ object }: { object: string }) {
  const [kind, namespace, ...name] = object.split("/");
  if (kind === "group" && namespace && name.length > 0) return <a href={groupLink({ namespace, name: name.join("/") })}>{object}</a>;
  return <>{object}</>;
}

export function AuditTable({ rows }: { rows: AuditRow[] }) {
  return (
    <table class="wide">
      <thead>
        <tr>
          {["when", "who", "through", "did", "to", "detail"].map((title) => (
            <th scope="col">{title}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            <td>
              <Time at={row.at} />
            </td>
            <td>
              {row.caller} ({row.role})
            </td>
            <td>{row.via}</td>
            <td>{row.verb}</td>
            <td class="long">
              <Subject object={row.object ?? ""} />
            </td>
            <td class="long">{[row.detail, row.outcome].filter(Boolean).join("; ")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function AuditPage() {
  const { query } = route.value;
  const key = ["search", "caller", "verb", "object"].map((name) => query.get(name) ?? "").join("\n");
  const list = useMemo(() => {
    const [search = "", caller = "", verb = "", object = ""] = key.split("\n");
    return new Paged<AuditRow>("ListAudit", { search, caller, verb, object }, (answer: ListAuditResponse) => answer.rows);
  }, [key]);
  useEffect(() => {
    document.title = "Audit – Fluxnetes";
    void list.readMore();
    return () => list.end();
  }, [list]);
  const rows = list.rows.value;
  return (
    <section class="page" aria-labelledby="title">
      <h1 id="title">Audit</h1>
      <div class="filters" role="group" aria-label="Filters">
        <TextFilter name="search" hint="object or detail" />
        <TextFilter name="caller" words="who" />
        <TextFilter name="verb" words="did" hint="hold, cancel…" />
        <TextFilter name="object" words="to" hint="group/default/train" />
      </div>
      {list.problem.value !== "" && <Problem what={list.problem.value} again={() => void list.readAgain()} />}
      {!list.loaded.value && list.problem.value === "" && <Loading />}
      {list.loaded.value && rows.length === 0 && (
        <Empty title="Nobody has changed anything like this">
          <p>
            Changes by the command line, gRPC and these pages are recorded. <a href={link(["audit"])}>Show all</a>
          </p>
        </Empty>
      )}
      {rows.length > 0 && <AuditTable rows={rows} />}
      {rows.length > 0 && (
        <p class="buttons">
          {!list.complete.value && <button onClick={() => void list.readMore()}>More</button>}
          <button
            onClick={() =>
              save(
                "audit.csv",
                csvOf(
                  ["id", "at", "caller", "role", "via", "verb", "object", "detail", "outcome"],
                  rows.map((row) => [row.id, row.at, row.caller, row.role, row.via, row.verb, row.object, row.detail, row.outcome]),
                ),
              )
            }
          >
            CSV
          </button>{" "}
          {rows.length}
          {list.complete.value ? "" : " or more"} changes
        </p>
      )}
    </section>
  );
}
