// One group: its state and start first, then why, what is before it, and its
// pods.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Heads } from "../frame/heads";
import { ActionBar } from "./group_actions";
import { call, CallError } from "../frame/calls";
import { useLive } from "../frame/live";
import { EstimateTrust } from "./estimate_trust";
import { GroupStory } from "./group_story";
import type { ExplainGroupResponse, NodesForPods } from "../messages/explanation";
import type { GetGroupResponse, Group, Member } from "../messages/group";
import { Empty, Loading, Problem } from "../frame/notice";
import { groupLink, link, route } from "../frame/route";
import { StateMark } from "../frame/state_mark";
import { Age, Time } from "../frame/times";

const kMembersShown = 500;
const kLongestPause = 15_000; // ms; its place in the queue changes without a change of its own

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
  const devices = members.some((each) => each.devices);
  return (
    <section aria-labelledby="pods">
      <h2 id="pods">Pods</h2>
      <table class="wide" tabIndex={0}>
        <Heads of={["pod", "state", "node", ...(parts ? ["has inside"] : []), ...(devices ? ["devices"] : []), "needs", "owner", "note"]} />
        <tbody>
          {members.slice(0, kMembersShown).map((each) => (
            <tr>
              <td>{each.name}</td>
              <td>{each.state}</td>
              <td>{each.node ? <a href={link(["nodes", each.node])}>{each.node}</a> : "–"}</td>
              {parts && <td>{each.inside ?? "–"}</td>}
              {devices && (
                <td>
                  {each.devices?.map((one) => (
                    <div title={`claim ${one.claim}, request ${one.request}`}>
                      {one.driver}/{one.pool}/{one.device}
                    </div>
                  )) ?? "–"}
                </td>
              )}
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

interface Shown {
  detail: GetGroupResponse;
  why: ExplainGroupResponse | null;
}

const kWaiting = ["GROUP_STATE_PENDING", "GROUP_STATE_UNSATISFIABLE", "GROUP_STATE_PROVISIONAL"];

export function GroupPage({ namespace, name }: { namespace: string; name: string }) {
  const id = route.value.query.get("id") ?? "";
  const isMissing = useSignal(false);
  const findsChanges = useRef(false); // the next read looks for what would help

  const { data, problem, readAgain } = useLive<Shown>(
    async () => {
      const findChanges = findsChanges.current;
      findsChanges.current = false;
      try {
        const detail = await call<GetGroupResponse>("GetGroup", { namespace, name, id: id || "0" });
        if (!kWaiting.includes(detail.group.state ?? "")) return { detail, why: null };
        const why = await call<ExplainGroupResponse>("ExplainGroup", { namespace, name, findChanges });
        // A search that was made stays until the next one.
        const before = data.value?.why;
        if (!findChanges && before?.changes) why.changes = before.changes;
        return { detail, why };
      } catch (error) {
        isMissing.value = error instanceof CallError && error.code === "not_found";
        throw error;
      }
    },
    { namespace },
    "",
    kLongestPause,
    (changes) => changes.current || changes.reset || (changes.groups ?? []).some((each) => each.name === name),
  );
  useEffect(() => {
    document.title = `${namespace}/${name} – Fluxnetes`;
  }, []);

  if (isMissing.value && !data.value)
    return (
      <Empty whole title={`There is no group ${namespace}/${name}`}>
        <p>
          It may be over for longer than the records are kept. <a href={link(["groups"], { namespace })}>Show the groups of {namespace}</a>
        </p>
      </Empty>
    );
  if (!data.value) return problem.value ? <Problem what={problem.value} again={readAgain} /> : <Loading />;
  const { detail, why } = data.value;
  const { group, members, earlier } = detail;
  const search = () => {
    findsChanges.current = true;
    readAgain();
  };
  return (
    <article class="page group">
      <h1>
        {group.namespace}/{group.name}
      </h1>
      {problem.value && <Problem what={problem.value} again={readAgain} />}
      <ActionBar group={group} done={readAgain} />
      <Facts group={group} />
      {why && <Why why={why} search={search} />}
      <GroupStory detail={detail} />
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
