// One group: its state and start first, then why, what is before it, and its
// pods.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Heads } from "../frame/heads";
import { ActionBar } from "./group_actions";
import { call, CallError, wordsOf } from "../frame/calls";
import { EstimateTrust } from "./estimate_trust";
import { GroupStory } from "./group_story";
import { watchGroups } from "./group_stream";
import type { ExplainGroupResponse, NodesForPods } from "../messages/explanation";
import type { GetGroupResponse, Group, Member } from "../messages/group";
import { Empty, Loading, Problem } from "../frame/notice";
import { groupLink, link, route } from "../frame/route";
import { StateMark } from "../frame/state_mark";
import { Age, Time } from "../frame/times";

const kMembersShown = 500;

function Facts({ group }: { group: Group }) {
  const waits = group.state === "GROUP_STATE_PENDING";
  return (
    <dl class="facts">
      <dt>state</dt>
      <dd>
        <StateMark group={group} /> {group.reason}
      </dd>
      {waits && (
        <>
          <dt>start</dt>
          <dd>
            {group.estimatedStart ? (
              <>
                <Time at={group.estimatedStart} /> ({group.estimate})
              </>
            ) : (
              "not known"
            )}
            {group.restsOn ? `; ${group.restsOn}` : ""}
            {group.estimatedStart && <EstimateTrust group={group} />}
          </dd>
          <dt>position</dt>
          <dd>{group.position ?? "not known"}</dd>
        </>
      )}
      <dt>pods</dt>
      <dd>{group.size ?? "not known"}</dd>
      <dt>priority</dt>
      <dd>
        {group.priority ?? "that of its pods"}
        {group.priorityIsSet && " (set by somebody)"}
      </dd>
      {group.account && (
        <>
          <dt>account</dt>
          <dd>
            <a href={link(["groups"], { account: group.account })}>{group.account}</a>
          </dd>
        </>
      )}
      <dt>queue</dt>
      <dd>
        {group.queue ? <a href={link(["groups"], { queue: group.queue })}>{group.queue}</a> : "none"}
      </dd>
      <dt>submitted</dt>
      <dd>
        <Time at={group.submittedAt} />, <Age at={group.submittedAt} /> ago
      </dd>
      {group.allocatedAt && (
        <>
          <dt>started</dt>
          <dd>
            <Time at={group.allocatedAt} />
          </dd>
        </>
      )}
      {group.deadline && (
        <>
          <dt>ends by</dt>
          <dd>
            <Time at={group.deadline} />
          </dd>
        </>
      )}
      {group.endedAt && (
        <>
          <dt>ended</dt>
          <dd>
            <Time at={group.endedAt} />
          </dd>
        </>
      )}
    </dl>
  );
}

function Verdicts({ kind }: { kind: NodesForPods }) {
  return (
    <table>
      <caption>
        {kind.pods} {kind.pods === 1 ? "pod" : "pods"} of {kind.needs}
      </caption>
      <Heads of={["nodes", "what keeps the pods off"]} />
      <tbody>
        {(kind.verdicts ?? []).map((each) => (
          <tr>
            <td class="number">{each.count}</td>
            <td title={(each.nodes ?? []).join(", ")}>{each.why}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Why({ why, search }: { why: ExplainGroupResponse; search: () => void }) {
  const first = why.firstBefore ?? [];
  return (
    <section aria-labelledby="why">
      <h2 id="why">Why</h2>
      <p>{why.summary}</p>
      {Number(why.before ?? 0) > 0 && (
        <p>
          {why.before} before it in the queue:{" "}
          {first.map((each, i) => {
            const [namespace = "", ...rest] = each.name.split("/");
            return (
              <>
                {i > 0 && ", "}
                <a href={groupLink({ namespace, name: rest.join("/") })}>{each.name}</a>
              </>
            );
          })}
          {Number(why.before) > first.length && " …"}
        </p>
      )}
      {Number(why.holders ?? 0) > 0 && (
        <p>
          {why.holders} run on nodes that it could use; {why.endlessHolders ?? 0} of them have no end.
          {(why.firstToEnd ?? []).map((each) => (
            <>
              {" "}
              {each.name} ends <Time at={each.endsAt} />.
            </>
          ))}
        </p>
      )}
      {(why.nodes ?? []).map((kind) => (
        <Verdicts kind={kind} />
      ))}
      <h2>What would help</h2>
      {why.changes?.length ? (
        <ul>
          {why.changes.map((each) => (
            <li>
              {each.change}
              {each.startsAt && (
                <>
                  : starts <Time at={each.startsAt} />
                </>
              )}
            </li>
          ))}
        </ul>
      ) : (
        <p>{why.changesUnknown || (why.changesComplete ? "No change that was tried would help." : "Not looked for yet.")}</p>
      )}
      <button onClick={search}>Look for changes</button>
    </section>
  );
}

function Pods({ members }: { members: Member[] }) {
  const parts = members.some((each) => each.inside); // of their nodes
  return (
    <section aria-labelledby="pods">
      <h2 id="pods">Pods</h2>
      <table class="wide" tabIndex={0}>
        <Heads of={["pod", "state", "node", ...(parts ? ["has inside"] : []), "needs", "owner", "note"]} />
        <tbody>
          {members.slice(0, kMembersShown).map((each) => (
            <tr>
              <td>{each.name}</td>
              <td>{each.state}</td>
              <td>{each.node ? <a href={link(["nodes", each.node])}>{each.node}</a> : "–"}</td>
              {parts && <td>{each.inside ?? "–"}</td>}
              <td>{each.needs ?? "–"}</td>
              <td>{each.owner ?? "–"}</td>
              <td>{each.note}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {members.length > kMembersShown && (
        <p>
          The first {kMembersShown} of {members.length} are shown; <code>fluxnetes describe</code> has all.
        </p>
      )}
    </section>
  );
}

export function GroupPage({ namespace, name }: { namespace: string; name: string }) {
  const id = route.value.query.get("id") ?? "";
  const detail = useSignal<GetGroupResponse | null>(null);
  const why = useSignal<ExplainGroupResponse | null>(null);
  const problem = useSignal<CallError | null>(null);

  const read = async (findChanges = false) => {
    const waits = ["GROUP_STATE_PENDING", "GROUP_STATE_UNSATISFIABLE", "GROUP_STATE_PROVISIONAL"];
    try {
      const found = await call<GetGroupResponse>("GetGroup", { namespace, name, id: id || "0" });
      detail.value = found;
      problem.value = null;
      const isWaiting = waits.includes(found.group.state ?? "");
      if (!isWaiting) why.value = null;
      else {
        const next = await call<ExplainGroupResponse>("ExplainGroup", { namespace, name, findChanges });
        // A search that was made stays until the next one.
        if (!findChanges && why.value?.changes) next.changes = why.value.changes;
        why.value = next;
      }
    } catch (error) {
      problem.value = error instanceof CallError ? error : new CallError("unknown", wordsOf(error));
    }
  };

  useEffect(() => {
    document.title = `${namespace}/${name} – Fluxnetes`;
    detail.value = null;
    why.value = null;
    let timer = 0;
    const end = watchGroups(
      { namespace },
      (changes) => {
        const mine = changes.current || changes.reset || (changes.groups ?? []).some((each) => each.name === name);
        if (!mine) return;
        clearTimeout(timer);
        timer = window.setTimeout(() => void read(), 200);
      },
      () => undefined,
    );
    void read();
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [namespace, name, id]);

  if (problem.value?.code === "not_found" && !detail.value)
    return (
      <Empty whole title={`There is no group ${namespace}/${name}`}>
        <p>
          It may be over for longer than the records are kept. <a href={link(["groups"], { namespace })}>Show the groups of {namespace}</a>
        </p>
      </Empty>
    );
  if (!detail.value) return problem.value ? <Problem what={problem.value.message} again={() => void read()} /> : <Loading />;
  const { group, members, earlier } = detail.value;
  return (
    <article class="page group">
      <h1>
        {group.namespace}/{group.name}
      </h1>
      {problem.value && <Problem what={problem.value.message} again={() => void read()} />}
      <ActionBar group={group} done={() => void read()} />
      <Facts group={group} />
      {why.value && <Why why={why.value} search={() => void read(true)} />}
      <GroupStory detail={detail.value} />
      {members && members.length > 0 && <Pods members={members} />}
      {earlier && earlier.length > 0 && (
        <section>
          <h2>Earlier groups of this name</h2>
          <ul>
            {earlier.map((each) => (
              <li>
                <a href={groupLink({ namespace, name, id: each.id ?? "" })}>
                  {each.state}, <Time at={each.endedAt} />
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      <p class="command">
        In a terminal: <code>fluxnetes describe group {group.namespace}/{group.name}</code>
      </p>
    </article>
  );
}
