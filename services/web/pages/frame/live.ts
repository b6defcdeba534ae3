// What a page shows of the server's present state: read at once, again soon
// after a change of a group, and from time to time, since nodes and maintenance
// change unseen. A hidden tab reads nothing.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { watchGroups } from "../groups/group_stream";
import type { GroupChanges } from "../messages/group";
import { wordsOf } from "./calls";

const kSoon = 200; // ms after the first change
const kShareOfTime = 10; // reads take a tenth of the time at most

export interface Live<Data> {
  data: Signal<Data | null>;
  problem: Signal<string>;
  readAgain: () => void;
}

export function useLive<Data>(
  read: () => Promise<Data>,
  filter: { namespace?: string; queue?: string },
  key: string, // of what is read: with another one it begins anew
  longestPause = 15_000,
  concerns: (changes: GroupChanges) => unknown = () => true, // what is shown
): Live<Data> {
  const data = useSignal<Data | null>(null);
  const problem = useSignal("");
  const again = useRef(() => {});
  useEffect(() => {
    let timer = 0;
    let isSoon = false;
    let notBefore = 0;
    let isOver = false;
    let isReading = false; // one read at a time; what changes meanwhile is read after it
    const readNow = async () => {
      if (isReading) {
        isSoon = true;
        return;
      }
      const begin = performance.now();
      isReading = true;
      isSoon = false;
      try {
        const answer = await read();
        if (isOver) return;
        data.value = answer;
        problem.value = "";
      } catch (error) {
        if (!isOver) problem.value = wordsOf(error);
      }
      isReading = false;
      notBefore = performance.now() + kShareOfTime * (performance.now() - begin);
      plan(isSoon ? kSoon : longestPause);
    };
    const plan = (after: number) => {
      clearTimeout(timer);
      const wait = Math.max(after, notBefore - performance.now());
      if (!isOver) timer = window.setTimeout(() => (document.hidden ? plan(longestPause) : void readNow()), wait);
    };
    const onChange = (changes: GroupChanges) => {
      if (!concerns(changes)) return;
      if (!isSoon && !isReading) plan(kSoon);
      isSoon = true;
    };
    again.current = () => void readNow();
    const onSight = () => {
      if (!document.hidden) plan(0);
    };
    document.addEventListener("visibilitychange", onSight);
    const end = watchGroups(filter, onChange, () => undefined);
    void readNow();
    return () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onSight);
      end();
    };
  }, [key]);
  return { data, problem, readAgain: () => again.current() };
}
