"""What the drivers of Python's libraries share: tools that act in the folder of the process, and the task."""

import base64
import json
import os
import sys
from pathlib import Path


def _schema(*names):
    return {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
        "required": list(names),
        "additionalProperties": False,
    }


TOOLS = [
    ("write_file", "Writes a file", _schema("path", "content")),
    ("edit_file", "Replaces a text in a file", _schema("path", "old", "new")),
]
FORM = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "size": {"type": "integer"}},
    "required": ["city", "size"],
    "additionalProperties": False,
}


def write_file(path: str, content: str) -> str:
    """Writes a file."""
    Path(path).write_text(content)
    return "write_file is done"


def edit_file(path: str, old: str, new: str) -> str:
    """Replaces a text in a file."""
    Path(path).write_text(Path(path).read_text().replace(old, new, 1))
    return "edit_file is done"


def run(name, given):
    return {"write_file": write_file, "edit_file": edit_file}[name](**given)


def history(task):
    """What was said in an earlier process."""
    memory = Path(task["memory"])
    return json.loads(memory.read_text()) if task["resumes"] and memory.exists() else []


def keep(task, said):
    Path(task["memory"]).write_text(json.dumps(said))


def picture(task):
    return base64.b64encode(Path(task["image"]).read_bytes()).decode()


def data_url(task):
    return "data:image/png;base64," + picture(task)


def _status(error):
    while error is not None:
        status = getattr(error, "status_code", None)
        if isinstance(status, int):
            return status
        error = error.__cause__ or error.__context__
    return None


def play(work):
    """Plays the task of this process and tells its result as the last line."""
    task = json.loads(sys.argv[1])
    try:
        told = work(task)
    except Exception as error:  # whatever the library raises is what its caller sees
        told = {"text": "", "error": {"status": _status(error), "message": f"{type(error).__name__}: {error}"}}
    print(json.dumps(told), flush=True)
    os._exit(0)
