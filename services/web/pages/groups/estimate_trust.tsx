// How far a group's estimated start is to be trusted: how wrong earlier estimates of
// its queue were that lay as far ahead.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call } from "../frame/calls";
import { link } from "../frame/route";
import { durationText } from "../frame/times";
import type { Group } from "../messages/group";
import type { ListEstimateErrorsResponse } from "../messages/history";

export function EstimateTrust({ group }: { group: Group }) {
  const errors = useSignal<ListEstimateErrorsResponse>({});
  useEffect(() => {
    const aborter = new AbortController();
    // Without it the start is shown all the same.
    call<ListEstimateErrorsResponse>("ListEstimateErrors", {}, aborter.signal).then((answer) => (errors.value = answer), () => undefined);
    return () => aborter.abort();
  }, [group.queue]);
  const ahead = (Date.parse(group.estimatedStart ?? "") - Date.now()) / 1000;
  const like = (errors.value.errors ?? []).filter((each) => each.queue === group.queue && each.estimate === "last" && Number(each.horizonSeconds ?? 0) <= ahead).pop();
  if (!like) return null;
  return (
    <div class="tip">
      Of {like.groups} estimates like this one, half were off by at most {durationText((like.p50 ?? 0) * 1000)}, 95 % by at most {durationText((like.p95 ?? 0) * 1000)}.{" "}
      <a href={link(["history"], { queue: group.queue ?? "" })}>More</a>
    </div>
  );
}
