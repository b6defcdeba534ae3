"""Watches, over lost connections and a restart of the server."""

import signal
import threading
import time

import fluxnetes

from support import CuttingProxy, Scheduler, claim, claim_raises, job


def until(watch, name):
    """The changes up to one with a group of this name."""
    seen = []
    for change in watch:
        seen.append(change)
        if name in [each.name for each in change.groups]:
            return seen
    return seen


def tokens(client):
    with client.watch() as watch:
        first = next(watch)
        claim("a watch begins with what is there", first.current, first)
        client.submit(job("first", 1, 60)).wait("bound", timeout=60)
        for change in watch:
            if any(each.name == "first" and each.shown_state == "bound"
                   for each in change.groups):
                break
        token = watch.resume_token
    client.submit(job("second", 1, 60)).wait("bound", timeout=60)
    with client.watch(resume_token=token, timeout=60) as watch:
        seen = until(watch, "second")
    names = [each.name for change in seen for each in change.groups]
    claim("a later watch continues from its token",
          not any(change.reset for change in seen) and "second" in names and
          "first" not in names, seen)
    with client.watch(timeout=0.5) as watch, \
            claim_raises("a watch ends when its time is over",
                         fluxnetes.DeadlineExceeded):
        until(watch, "nobody")
    watch = client.watch()
    next(watch)
    threading.Timer(0.3, watch.close).start()
    closed = time.monotonic()
    changes = list(watch)
    claim("and when another thread closes it",
          0.2 < time.monotonic() - closed < 10, changes)


def cuts(client, scheduler):
    proxy = CuttingProxy(scheduler.address.removeprefix("unix:"))
    with fluxnetes.Client(proxy.address) as far, \
            far.watch(timeout=60) as watch:
        until(watch, "second")
        for n in range(3):
            claim(f"cut {n}: there was a connection to cut", proxy.cut() >= 1)
            client.submit(job(f"cut-{n}", 1, 60))
            seen = until(watch, f"cut-{n}")
            claim(f"cut {n}: nothing is lost, and nothing begins anew",
                  seen and not any(change.reset for change in seen), seen)


def restart(scheduler):
    with fluxnetes.Client(scheduler.address) as client, \
            client.watch(timeout=60) as watch:
        next(watch)
        scheduler.stop(signal.SIGKILL)
        started = threading.Thread(target=scheduler.start)
        threading.Timer(1, started.start).start()
        change = next(watch)
        claim("a watch lives through the server's death, and says that it "
              "begins anew", change.reset, change)
        started.join()
        client.submit(job("after", 1, 60))
        claim("and goes on", until(watch, "after"))
        made = client.submit(job("over", 1, 3))
        made.wait("bound", timeout=60)
        ended = []
        waiting = threading.Thread(
            target=lambda: ended.extend(made.wait(timeout=60, check=False)))
        waiting.start()
        time.sleep(0.5)
        scheduler.stop(signal.SIGKILL)
        scheduler.start()
        # The simulated cluster forgets its pods, so the group ends.
        waiting.join()
        claim("so does a wait", [each.name for each in ended] == ["over"],
              ended)


def gives_up():
    with fluxnetes.Client("unix:/nowhere/grpc.sock") as nobody, \
            nobody.watch(patience=0.5) as watch, \
            claim_raises("a watch without a server gives up in the end",
                         fluxnetes.Unavailable):
        next(watch)


def run(scheduler):
    with fluxnetes.Client(scheduler.address) as client:
        tokens(client)
        cuts(client, scheduler)
    gives_up()
    with Scheduler("restarted") as other:
        restart(other)
