// Amounts of what a node offers, and how much of each is in use.
import type { Amount, Node } from "../messages/cluster";

function numberOf(text: string | undefined): number {
  return Number(text ?? "0");
}

export function bytesText(bytes: number): string {
  const units = ["B", "Ki", "Mi", "Gi", "Ti", "Pi"];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    ++unit;
  }
  return `${Number(bytes.toFixed(1))} ${units[unit]}`;
}

export function cpuText(milli: number): string {
  return String(milli / 1000);
}

// "3 of 8", beside a bar of the share in use.
export function Use({ amount, text }: { amount: Amount | undefined; text: (value: number) => string }) {
  const all = numberOf(amount?.allocatable);
  if (all === 0) return <span class="none">–</span>;
  const used = numberOf(amount?.granted) + numberOf(amount?.unmanaged);
  return (
    <span class="use">
      <meter min={0} max={all} value={used} aria-hidden="true" />
      {text(used)} of {text(all)}
    </span>
  );
}

// By driver. Of devices that several nodes can use it says only how many are held,
// by whomever.
export function DeviceUse({ node }: { node: Node }) {
  return (
    <>
      {Object.entries(node.devices ?? {}).map(([driver, amount]) => (
        <div>
          {driver}: {numberOf(amount.allocatable) > 0 ? <Use amount={amount} text={String} /> : `${numberOf(amount.granted) + numberOf(amount.unmanaged)} held`}
        </div>
      ))}
    </>
  );
}

export function OtherUse({ node }: { node: Node }) {
  const other = Object.entries(node.other ?? {}).filter(([, amount]) => numberOf(amount.allocatable) > 0);
  if (other.length === 0) return <span class="none">–</span>;
  return (
    <>
      {other.map(([name, amount]) => (
        <div>
          {name}: <Use amount={amount} text={String} />
        </div>
      ))}
    </>
  );
}
