"use strict";
// Rows are the nodes of the graph in the order of its tree; neighbours that
// look the same are shown as one. Only rows in sight have elements.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const make = (kind, classes, parent, text) => {
  const element = document.createElement(kind);
  element.className = classes;
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
};
const count = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;

// Time: seconds; a job without an end has the end null.
const ends = data.jobs.map((job) => job.end).filter((end) => end !== null);
const starts = data.jobs.map((job) => job.start);
const least = (list, or) => list.reduce((a, b) => Math.min(a, b), or);
const most = (list, or) => list.reduce((a, b) => Math.max(a, b), or);
const first = least(starts, data.now);
let last = most(ends, most(starts, data.now));
if (last <= first) last = first + 3600;
// What has no end reaches a little beyond what has.
const whole = { from: first, to: last + (last - first) * (ends.length < data.jobs.length ? 0.08 : 0.02) };
const view = { ...whole };

function duration(seconds) {
  if (seconds < 0) return "−" + duration(-seconds);
  const parts = [];
  for (const [unit, length] of [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]]) {
    const n = Math.floor(seconds / length);
    if (n > 0 && parts.length < 2) parts.push(`${n.toLocaleString("en")} ${unit}`);
    seconds -= n * length;
  }
  return parts.join(" ") || "0 s";
}
const relative = (time) => time === data.now ? "now"
  : time > data.now ? "+" + duration(time - data.now) : duration(time - data.now);

// The bars of each row: {job, share}, in order of start.
const bars = data.rows.map(() => []);
data.jobs.forEach((job, index) => {
  job.hue = Math.round((index * 137.508 + 205) % 360);
  job.rows = 0;
  for (const [from, to, share] of job.on) {
    job.rows += to - from + 1;
    for (let row = from; row <= to; row++) bars[row].push({ job, share });
  }
});
const start = (a, b) => a.job.start - b.job.start || a.job.id - b.job.id;
for (const row of bars) row.sort(start);
const end = (job) => job.end === null ? Infinity : job.end;

// Stacks the bars of a row, each as high as its share, where there is room at
// all of its time. Gives the height of the stack; 1 is the whole row.
function stack(row) {
  let height = 1;
  let active = [];
  for (const bar of row) {
    active = active.filter((other) => end(other.job) > bar.job.start);
    active.sort((a, b) => a.y - b.y);
    bar.part = Math.max(data.shares[bar.share].part, 0.002);
    bar.y = 0;
    for (const other of active) {
      if (other.y - bar.y >= bar.part - 1e-9) break;
      bar.y = Math.max(bar.y, other.y + other.part);
    }
    active.push(bar);
    height = Math.max(height, bar.y + bar.part);
  }
  return height;
}

// What is shown, from top to bottom: headings and (groups of) rows.
const folded = new Set();
let items = [];
function look(row) {
  return data.down.has(row) + " " + data.kinds[data.rows[row].kind] + " " +
    bars[row].map((bar) => bar.job.id + ":" + bar.share).join(" ");
}
function wanted(row, words) {
  return !words || data.rows[row].name.toLowerCase().includes(words) ||
    bars[row].some(({ job }) => String(job.id) === words ||
      job.name.toLowerCase().includes(words));
}
function list() {
  const words = $("search").value.trim().toLowerCase();
  items = [];
  let top = 0;
  const add = (item, height) => {
    items.push({ ...item, top, height });
    top += height;
  };
  let before = null;
  data.groups.forEach((group, index) => {
    let shown = false;
    for (let row = group.first; row <= group.last; row++) {
      if (!wanted(row, words)) continue;
      if (!shown && data.groups.length > 1) add({ group, index }, 26);
      shown = true;
      if (folded.has(index)) break;
      const seen = look(row);
      if (before && before.seen === seen && before.last === row - 1 && row > group.first) {
        before.last = items[items.length - 1].last = row;
        continue;
      }
      const full = stack(bars[row]);
      const thinnest = least(bars[row].map((bar) => bar.part), 1);
      const height = Math.min(160, Math.max(24, Math.ceil(4 * full / thinnest)));
      add({ first: row, last: row, full, plot: bars[row].map((bar) => ({ ...bar })) }, height);
      before = { seen, last: row };
    }
    before = null;
  });
  $("space").style.height = top + "px";
  show();
}

const plot = () => document.querySelector("#axis .plot").clientWidth;
const x = (time) => (time - view.from) / (view.to - view.from) * plot();

function showBar(bar, item, parent) {
  const { job } = bar;
  const left = Math.max(x(job.start), -10);
  const right = Math.min(job.end === null ? Infinity : x(job.end), plot() + 10);
  if (right < 0 || left > plot()) return;
  const scale = (item.height - 3) / item.full;
  const box = make("div", "bar", parent);
  const height = Math.max(bar.part * scale - 1, 2);
  box.classList.toggle("reserved", job.reserved);
  box.classList.toggle("endless", job.end === null);
  Object.assign(box.style, {
    left: left + "px", width: Math.max(right - left - 1, 2) + "px",
    bottom: 1 + bar.y * scale + "px", height: height + "px",
    lineHeight: height - 2 + "px",
  });
  box.style.setProperty("--hue", job.hue);
  const room = Math.min(right, plot()) - Math.max(left, 0);
  if (height >= 12 && room > 8 + 7 * `${job.id}`.length) {
    box.textContent = room > 64 ? `${job.id} ${job.name}` : job.id;
  }
  const until = job.end === null ? "without end"
    : `to ${job.end} s (${relative(job.end)}), ${duration(job.end - job.start)}`;
  box.dataset.job = job.id;
  box.ariaLabel = `Job ${job.id} ${job.name}\n` +
    `${job.reserved ? "reserved" : "held"} from ${job.start} s (${relative(job.start)}) ${until}\n` +
    `${rowName(item)}: ${data.shares[bar.share].text}\n${count(job.rows, "row")} in all`;
}

function rowName({ first, last }) {
  const name = data.rows[first].name;
  return first === last ? name : `${name} – ${data.rows[last].name}`;
}

function showRow(item) {
  const { first, last } = item;
  const row = make("div", "row", $("space"));
  const name = make("div", "name", row);
  make("span", "", name, rowName(item));
  const down = data.down.has(first);
  row.classList.toggle("down", down);
  if (down) make("em", "", name, "down");
  if (first !== last) make("small", "", name, `${last - first + 1} ×`);
  name.ariaLabel = `${rowName(item)}${down ? " (down)" : ""}\n` +
    `${first === last ? "" : "each "}${data.kinds[data.rows[first].kind]}`;
  const area = make("div", "plot", row);
  for (const bar of item.plot) showBar(bar, item, area);
  return row;
}

function showHeading({ group, index }) {
  const heading = make("div", "heading", $("space"));
  make("span", "", heading, folded.has(index) ? "▸" : "▾");
  make("span", "", heading, group.name);
  make("small", "", heading, count(group.last - group.first + 1, "row"));
  heading.onclick = () => {
    if (!folded.delete(index)) folded.add(index);
    list();
  };
  return heading;
}

function show() {
  const rows = $("rows");
  $("space").replaceChildren();
  let low = 0, high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle].top + items[middle].height <= rows.scrollTop) low = middle + 1;
    else high = middle;
  }
  const bottom = rows.scrollTop + rows.clientHeight;
  for (let i = low; i < items.length && items[i].top < bottom; i++) {
    const element = items[i].group ? showHeading(items[i]) : showRow(items[i]);
    element.style.top = items[i].top + "px";
    element.style.height = items[i].height + "px";
  }
  document.querySelectorAll(".now").forEach((line) => line.remove());
  if (x(data.now) < 0 || x(data.now) > plot()) return;
  for (const area of document.querySelectorAll(".row .plot, #use .plot, #axis .plot")) {
    make("div", "now", area).style.left = x(data.now) + "px";
  }
}

function showAxis() {
  const area = document.querySelector("#axis .plot");
  area.replaceChildren();
  const wish = (view.to - view.from) * 110 / plot();
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
    10800, 21600, 43200, 86400, 172800, 604800];
  let step = steps.find((length) => length >= wish) || 864000;
  while (step < wish) step *= 10;
  const begin = data.now + Math.ceil((view.from - data.now) / step) * step;
  for (let time = begin; time < view.to; time += step) {
    make("div", "tick", area, relative(time)).style.left = x(time) + "px";
  }
}

// How much of all rows is held, and reserved on top of that, over time.
function showUse() {
  const changes = [];
  for (const job of data.jobs) {
    let sum = 0;
    for (const [from, to, share] of job.on) sum += (to - from + 1) * data.shares[share].part;
    const sign = job.reserved ? [0, sum] : [sum, 0];
    changes.push([job.start, ...sign]);
    if (job.end !== null) changes.push([job.end, -sign[0], -sign[1]]);
  }
  changes.sort((a, b) => a[0] - b[0]);
  const level = (part) => Math.max(100 - 100 * part / Math.max(data.rows.length, 1), 0).toFixed(2);
  let held = 0, reserved = 0, lower = "M0,100", upper = "M0,100";
  const at = (time) => Math.min(Math.max(x(time), -5), plot() + 5).toFixed(1);
  for (const [time, more, later] of changes) {
    lower += `L${at(time)},${level(held)}`;
    upper += `L${at(time)},${level(held + reserved)}`;
    held += more;
    reserved += later;
    lower += `L${at(time)},${level(held)}`;
    upper += `L${at(time)},${level(held + reserved)}`;
  }
  const rest = plot() + 5;
  lower += `L${rest},${level(held)}L${rest},100Z`;
  upper += `L${rest},${level(held + reserved)}L${rest},100Z`;
  document.querySelector("#use .plot").innerHTML =
    `<svg viewBox="0 0 ${plot()} 100" preserveAspectRatio="none">` +
    `<path class="reserved-area" d="${upper}"/><path class="held-area" d="${lower}"/></svg>`;
}

function draw() {
  showAxis();
  showUse();
  show();
}
function zoom(factor, middle = (view.from + view.to) / 2) {
  const length = Math.max((view.to - view.from) * factor, 10);
  if (length >= whole.to - whole.from) Object.assign(view, whole);
  else move(middle - (middle - view.from) * length / (view.to - view.from), length);
  draw();
}
function move(from, length) {
  view.from = Math.min(Math.max(from, whole.from), whole.to - length);
  view.to = view.from + length;
}

function tell(event) {
  const about = event.target.closest(".bar, .row .name");
  const tip = $("tip");
  const chosen = event.target.closest(".bar");
  $("rows").classList.toggle("chosen", chosen !== null);
  for (const bar of document.querySelectorAll(".bar")) {
    bar.classList.toggle("mine", chosen !== null && bar.dataset.job === chosen.dataset.job);
  }
  tip.hidden = about === null;
  if (tip.hidden) return;
  const [title, ...rest] = about.ariaLabel.split("\n");
  tip.replaceChildren();
  make("b", "", tip, title);
  tip.append(rest.join("\n"));
  const { clientX, clientY } = event;
  tip.style.left = Math.min(clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
  tip.style.top = clientY + (clientY + tip.offsetHeight + 30 > innerHeight ? -tip.offsetHeight - 10 : 16) + "px";
}

function begin() {
  data.down = new Set(data.down.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, i) => from + i)));
  document.querySelector("h1").textContent = data.title;
  const reserved = data.jobs.filter((job) => job.reserved).length;
  $("summary").textContent = [count(data.rows.length, data.row_type),
    count(data.jobs.length - reserved, "job"), `${reserved.toLocaleString("en")} reserved`,
    ...(data.down.size ? [`${data.down.size.toLocaleString("en")} down`] : [])].join(" · ");
  $("in").onclick = () => zoom(0.5);
  $("out").onclick = () => zoom(2);
  $("all").onclick = () => zoom(Infinity);
  $("search").oninput = list;
  $("rows").onscroll = show;
  $("rows").onpointermove = tell;
  $("rows").onpointerleave = tell;
  $("rows").addEventListener("wheel", (event) => {
    const area = document.querySelector("#axis .plot").getBoundingClientRect();
    if (event.ctrlKey) {
      const at = view.from + (event.clientX - area.left) / area.width * (view.to - view.from);
      zoom(event.deltaY > 0 ? 1.25 : 0.8, at);
    } else if (event.shiftKey || event.deltaX) {
      const length = view.to - view.from;
      move(view.from + (event.deltaX || event.deltaY) / area.width * length, length);
      draw();
    } else return;
    event.preventDefault();
  }, { passive: false });
  addEventListener("resize", draw);
  list();
  draw();
}
begin();
