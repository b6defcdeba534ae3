"""The blocks of docs/python.md, typed in their order."""

import contextlib
import io
import os
import pathlib
import re

import fluxnetes
import yaml

from support import SCRATCH, claim, job

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(scheduler):
    page = pathlib.Path("docs/python.md").read_text(encoding="utf-8")
    # The block about Airflow needs it; airflow_task.py has that.
    blocks = [each for each in BLOCK.findall(page) if "airflow" not in each]
    claim("docs/python.md has blocks", len(blocks) == 4, len(blocks))
    place = SCRATCH / "place"
    place.mkdir()
    (place / "my-job.yaml").write_text(yaml.safe_dump(job("manual", 2)),
                                       encoding="utf-8")
    os.environ["FLUXNETES_GRPC_ADDRESS"] = scheduler.address
    here = os.getcwd()
    shown = io.StringIO()
    with fluxnetes.Client() as client, contextlib.redirect_stdout(shown):
        client.submit(job("waiting", 2, 60, cpu="64"))
        os.chdir(place)
        first, *others = blocks
        try:
            exec(first, {})  # pylint: disable=exec-used
            names = {"client": client}
            for block in others:
                exec(block, names)  # pylint: disable=exec-used
            failed = ""
        except Exception as error:  # pylint: disable=broad-except
            failed = repr(error)
        os.chdir(here)
    del os.environ["FLUXNETES_GRPC_ADDRESS"]
    text = shown.getvalue()
    claim("and each works as it is written", not failed, failed)
    for words in ("default manual succeeded", "waiting unsatisfiable",
                  "NOT_FOUND no unfinished group"):
        claim(f"so that it prints: {words}", words in text, text)
    claim("a watch leaves its token", names.get("token"), names.keys())
