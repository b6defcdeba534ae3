// Gives each bar of a row the lowest lane that is free while it lasts. Bars come
// in order of start.

// The smallest first; entries with a key and a value.
class Heap {
  private keys: number[] = [];
  private values: number[] = [];

  get size(): number {
    return this.keys.length;
  }
  get least(): number {
    return this.keys[0] ?? Infinity;
  }
  push(key: number, value: number): void {
    let at = this.keys.length;
    this.keys.push(key);
    this.values.push(value);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (this.keys[above]! <= key) break;
      this.move(above, at);
      at = above;
    }
    this.keys[at] = key;
    this.values[at] = value;
  }
  pop(): number {
    const value = this.values[0]!;
    const key = this.keys.pop()!;
    const last = this.values.pop()!;
    const size = this.keys.length;
    let at = 0;
    while (size > 0) {
      let below = 2 * at + 1;
      if (below + 1 < size && this.keys[below + 1]! < this.keys[below]!) ++below;
      if (below >= size || this.keys[below]! >= key) break;
      this.move(below, at);
      at = below;
    }
    if (size > 0) {
      this.keys[at] = key;
      this.values[at] = last;
    }
    return value;
  }
  private move(from: number, to: number): void {
    this.keys[to] = this.keys[from]!;
    this.values[to] = this.values[from]!;
  }
}

// Writes the lanes of bars [first, last) and returns how many lanes there are.
export function fillLanes(
  lanes: Uint32Array,
  first: number,
  last: number,
  from: (bar: number) => number,
  until: (bar: number) => number,
): number {
  const busy = new Heap(); // by end
  const free = new Heap(); // by lane
  let most = 0;
  for (let bar = first; bar < last; ++bar) {
    while (busy.least <= from(bar)) {
      const lane = busy.pop();
      free.push(lane, lane);
    }
    const lane = free.size > 0 ? free.pop() : most++;
    lanes[bar] = lane;
    busy.push(until(bar), lane);
  }
  return Math.max(1, most);
}
