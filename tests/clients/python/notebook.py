"""The notebook of the examples, with each cell as a person runs it. It runs in a
kernel of the Python that has nbclient, which finds the client by PYTHONPATH."""

import os
import subprocess

import fluxnetes

from support import SCRATCH, claim

EXECUTE = """
import sys, nbformat, nbclient
notebook = nbformat.read(sys.argv[1], as_version=4)
assert not any(cell.get("outputs") for cell in notebook.cells), "has outputs"
nbclient.NotebookClient(notebook, timeout=120).execute()
for cell in notebook.cells:
    for output in cell.get("outputs", ()):
        print(output.get("text") or output["data"]["text/plain"])
"""


def run(scheduler):
    packages = os.path.dirname(os.path.dirname(fluxnetes.__file__))
    environment = {**os.environ, "FLUXNETES_GRPC_ADDRESS": scheduler.address,
                   "PYTHONPATH": packages, "HOME": str(SCRATCH),
                   "IPYTHONDIR": str(SCRATCH / "ipython")}
    done = subprocess.run(
        [os.environ["NOTEBOOK_PYTHON"], "-c", EXECUTE,
         "clients/python/examples/first_gang.ipynb"],
        env=environment, text=True, capture_output=True, timeout=300,
        check=False)
    shown = done.stdout + done.stderr
    claim("each cell of the notebook runs", done.returncode == 0, shown)
    claim("and shows a gang that has run", "succeeded after" in done.stdout and
          "local at Fluxnetes" in done.stdout, shown)
