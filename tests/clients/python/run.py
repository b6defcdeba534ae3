"""Runs the tests of the Python client, all or those that are named."""

import importlib
import sys

from support import Scheduler

ALL = ("calls", "waiting", "watching", "certificates", "airflow_task",
       "manual", "notebook")


def main():
    for name in sys.argv[1:] or ALL:
        # Each has a scheduler of its own, whose nodes are free.
        with Scheduler(name) as scheduler:
            importlib.import_module(name).run(scheduler)


if __name__ == "__main__":
    main()
