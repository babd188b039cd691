"""How the messages of real libraries are read.

python -m tests.benchmarks.real_objects [--python PYTHON]

Installs the libraries in a temporary environment, or takes that of PYTHON, and compares the text,
the facts and the question of each message that library_objects.py makes with what is read, and the
reasons for an end in their types with those in docs/formats.md. Prints a line for each library;
with differences, exit status 1.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections import defaultdict
from pathlib import Path
from typing import Any

from groundwatch.schemas.answer import Answer
from groundwatch.transforms.formats.parser import ParseFailure, parse_answers
from tests.support.answer_messages import message_of
from tests.support.formats_page import ENDS

_PACKAGES = (
    *("anthropic==2.12.0", "deepeval==4.3.1", "google-genai==3.4.0", "haystack-ai==3.4.0"),
    *("langchain-community==0.4", "langchain-core==1.7.2", "langfuse==5.0.4"),
    *(
        "llama-index-core==0.14.25",
        "openai==2.54.0",
        "openinference-instrumentation-openai==0.1.66",
    ),
    *("openinference-instrumentation-langchain==0.1.80", "opentelemetry-sdk==1.45.2"),
    *("opentelemetry-exporter-otlp-proto-common==1.45.2", "ragas==0.4.3"),
)
_MAKER = Path(__file__).with_name("library_objects.py")
_SILENT = {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "HAYSTACK_TELEMETRY_ENABLED": "False"}
_QUERY, _TEXT = "How long is it?", "The warranty is 3 years."
_FACTS = {"Lamps are under warranty.", "The warranty is 2 years."}


def _installed(folder: Path) -> Path:
    venv.create(folder / "libraries", with_pip=True)
    python = folder / "libraries" / "bin" / "python"
    command = [python, "-m", "pip", "install", "--quiet", "--no-compile", *_PACKAGES]
    subprocess.run(command, check=True)  # noqa: S603 - the packages above
    return python


def _difference(message: Any) -> str:
    if isinstance(message, str):
        is_there = message.lower() in map(str.lower, ENDS)
        return "" if is_there else f"{message!r} is not in the table of docs/formats.md"
    [answer] = parse_answers(message_of(message))
    if isinstance(answer, ParseFailure):
        return f"not read: {answer.error}"
    facts = {fact.text for fact in answer.facts}
    is_right = answer.answer_text == _TEXT and facts == _FACTS and _asks(answer, message)
    return "" if is_right else f"{answer.query!r}, {answer.answer_text!r}, {facts}"


def _asks(answer: Answer, message: Any) -> bool:
    """Return whether the question is right: the response of some services does not repeat it."""
    return answer.query == _QUERY or (answer.query is None and _QUERY not in json.dumps(message))


def main(arguments: list[str] | None = None) -> None:
    """Print for each library how many messages are read, and those that are read otherwise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", type=Path, help="of an environment with the libraries")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        python = options.python or _installed(Path(folder))
        made = subprocess.run(  # noqa: S603 - our own source
            [python.absolute(), _MAKER],
            cwd=folder,
            env=os.environ | _SILENT,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
    differences = defaultdict[str, list[str]](list)
    for line in made.splitlines():
        if line.startswith('["'):  # the libraries print lines of their own
            library, message = json.loads(line)
            differences[library].append(_difference(message))
    for library, found in differences.items():
        wrong = list(filter(None, found))
        sys.stdout.write(f"{library}: {len(found)} messages, {len(wrong)} differences\n")
        sys.stdout.writelines(f"  {each}\n" for each in wrong)
    sys.exit(1 if any(map(any, differences.values())) else 0)


if __name__ == "__main__":
    main()
