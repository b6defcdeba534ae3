// The accounts as a tree: what each may hold, what it holds, and its share
// against its use; set, with the difference shown first.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call } from "../frame/calls";
import { Heads } from "../frame/heads";
import { useLive } from "../frame/live";
import { Empty, Loading, Problem } from "../frame/notice";
import { mayOperate } from "../frame/session";
import { SettingsDialog } from "../frame/settings_dialog";
import type { Account, ListAccountsResponse } from "../messages/account";
import { bytesText, cpuText } from "../nodes/amounts";

const kSettings = ["parent", "label", "namespace", "queue", "weight", "quota", "borrows"];

function holdsText(account: Account): string {
  const { cpuMilli = "0", memoryBytes = "0", pods = "0", other = {} } = account.holds ?? {};
  if (pods === "0") return "–";
  const rest = Object.entries(other).map(([name, count]) => `, ${name} ${count}`);
  return `cpu ${cpuText(Number(cpuMilli))}, memory ${bytesText(Number(memoryBytes))}, pods ${pods}${rest.join("")}`;
}

function quotaText(account: Account): string {
  const words = Object.entries(account.quota ?? {}).map(([name, amount]) => `${name} ${amount}`);
  return words.length > 0 ? words.join(", ") + (account.borrows ? " (may borrow)" : "") : "no limit";
}

// "12", "500m": CPUs as quantities of Kubernetes have them.
function milliOf(quantity: string): number {
  return quantity.endsWith("m") ? Number(quantity.slice(0, -1)) : Number(quantity) * 1000;
}

function borrowedText(account: Account): string {
  const limit = account.quota?.["cpu"];
  if (limit === undefined) return "–";
  const over = Number(account.holds?.cpuMilli ?? 0) - milliOf(limit);
  return over > 0 ? `cpu ${cpuText(over)}` : "–";
}

// The part of an account among those beside it, of a number that each has.
function partOf(account: Account, all: Account[], number: (of: Account) => number): string {
  const sum = all
    .filter((each) => (each.parent ?? "") === (account.parent ?? ""))
    .reduce((total, each) => total + number(each), 0);
  return sum > 0 ? `${Math.round((100 * number(account)) / sum)} %` : "–";
}

function whoseText(account: Account): string {
  const words = ["label", "namespace", "queue"]
    .filter((name) => account.settings?.[name])
    .map((name) => `${name}=${account.settings?.[name]}`);
  return words.join(" ") || "those below it";
}

export function AccountsPage() {
  const { data: accounts, problem, readAgain } = useLive<Account[]>(
    async () => (await call<ListAccountsResponse>("ListAccounts", {})).accounts ?? [],
    {},
    "",
  );
  const edited = useSignal<Account | null>(null);
  useEffect(() => {
    document.title = "Accounts – Fluxnetes";
  }, []);
  const all = accounts.value ?? [];
  return (
    <section class="page" aria-labelledby="title">
      <h1 id="title">Accounts</h1>
      {problem.value !== "" && <Problem what={problem.value} again={readAgain} />}
      {!accounts.value && problem.value === "" && <Loading />}
      {accounts.value && all.length === 0 && (
        <Empty title="There are no accounts">
          <p>
            An account limits what a team may hold, and gives it a share. <code>fluxnetes account create</code> makes
            one.
          </p>
        </Empty>
      )}
      {all.length > 0 && (
        <table class="wide" tabIndex={0} aria-label="Accounts">
          <Heads of={["account", "whose groups", "quota", "holds", "borrowed", "share", "use of cpu", "wait", ...(mayOperate() ? ["actions"] : [])]} />
          <tbody>
            {all.map((account) => (
              <tr key={account.name}>
                <th scope="row">
                  {"\u2003".repeat(account.depth ?? 0)}
                  {account.name}
                </th>
                <td>{whoseText(account)}</td>
                <td>{quotaText(account)}</td>
                <td>{holdsText(account)}</td>
                <td>{borrowedText(account)}</td>
                <td class="number">{partOf(account, all, (each) => each.weight ?? 0)}</td>
                <td class="number">{partOf(account, all, (each) => Number(each.holds?.cpuMilli ?? 0))}</td>
                <td class="number">{account.pending ?? "0"}</td>
                {mayOperate() && (
                  <td>
                    <button onClick={() => (edited.value = account)} aria-label={`Set ${account.name}…`}>
                      Set…
                    </button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {edited.value && (
        <SettingsDialog
          title={`Set account ${edited.value.name}`}
          method="SetAccount"
          name={edited.value.name}
          settings={edited.value.settings ?? {}}
          known={kSettings}
          close={() => (edited.value = null)}
          done={readAgain}
        />
      )}
    </section>
  );
}
