// Who has changed what: the audit log, the newest first.
import { useEffect, useMemo } from "preact/hooks";
import { TextFilter } from "../frame/filters";
import { Heads } from "../frame/heads";
import { Empty } from "../frame/notice";
import { Paged } from "../frame/paged";
import { PagedList } from "../frame/paged_list";
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
    <table class="wide" tabIndex={0}>
      <Heads of={["when", "who", "through", "did", "to", "detail"]} />
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
  }, []);
  return (
    <section class="page" aria-labelledby="title">
      <h1 id="title">Audit</h1>
      <div class="filters" role="group" aria-label="Filters">
        <TextFilter name="search" hint="object or detail" />
        <TextFilter name="caller" words="who" />
        <TextFilter name="verb" words="did" hint="hold, cancel…" />
        <TextFilter name="object" words="to" hint="group/default/train" />
      </div>
      <PagedList
        list={list}
        name="audit"
        things="changes"
        empty={
          <Empty title="Nobody has changed anything like this">
              <p>
                Changes by the command line, gRPC and these pages are recorded. <a href={link(["audit"])}>Show all</a>
              </p>
          </Empty>
        }
        file={{
          heads: ["id", "at", "caller", "role", "via", "verb", "object", "detail", "outcome"],
          line: (row) => [row.id, row.at, row.caller, row.role, row.via, row.verb, row.object, row.detail, row.outcome],
        }}
        table={(rows) => <AuditTable rows={rows} />}
      />
    </section>
  );
}
