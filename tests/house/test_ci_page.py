"""The page about CI: its test passes, and its job runs step by step, with a stand-in for GitHub."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.commands import run
from tests.support.repository import ROOT

PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
REPOSITORY = "shop/bot"
GH = f"""#!{sys.executable}
import json, os, re, sys
path, *flags = sys.argv[2:]
given = dict(zip(flags, flags[1:]))
comments = json.load(open("../comments.json"))
if "--jq" in given:
    assert path == "repos/{REPOSITORY}/issues/7/comments", path
    login, start = re.search(r'login == "(.*?)".*startswith..(.*?)"', given["--jq"]).groups()
    for each in comments:
        if each["login"] == login and each["body"].startswith(start):
            print(each["id"])
    sys.exit()
name, _, file = given["--field"].partition("=@")
assert name == "body", name
body = open(file).read()
if given["--method"] == "POST":
    assert path == "repos/{REPOSITORY}/issues/7/comments", path
    number = len(comments) + 100
    comments.append({{"id": number, "login": "github-actions[bot]", "body": body}})
else:
    assert given["--method"] == "PATCH"
    [comment] = [e for e in comments if path == "repos/{REPOSITORY}/issues/comments/%d" % e["id"]]
    comment["body"] = body
json.dump(comments, open("../comments.json", "w"))
"""
QUESTIONS = {
    f"How long is warranty {number}?": f"Warranty {number} is {number + 2} years."
    for number in range(12)
}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


JOB = yaml.safe_load(blocks("yaml")[0])["jobs"]["grounding"]
STEPS = {step.get("name", step.get("uses", "")): step for step in JOB["steps"]}


def test_the_test_fails_for_an_unsupported_answer(tmp_path: Path) -> None:
    [code] = blocks("python")
    for name, years in (("right", 2), ("wrong", 3)):
        path = tmp_path / f"test_{name}.py"
        path.write_text(code.replace('is 2 years.", [', f'is {years} years.", ['))
    _, printed, _ = run("-m", "pytest", "-q", str(tmp_path))
    assert re.search(r"FAILED .*test_wrong.py::", printed)
    assert "1 failed, 1 passed" in printed


class GitHub:
    """Runs the job's steps for an event, each in a fresh clone, with the cache of the page."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.comments_file = folder / "comments.json"
        self.comments_file.write_text("[]")
        commands = folder / "bin"
        commands.mkdir()
        (commands / "gh").write_text(GH)
        (commands / "gh").chmod(0o755)
        (commands / "groundwatch").symlink_to(Path(sys.executable).with_name("groundwatch"))

    @property
    def comments(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.comments_file.read_text())
        return found

    def run_job(
        self,
        event: str,
        answers: dict[str, str],
        planted: str = blocks("json")[0],
        without: tuple[str, ...] = (),
    ) -> dict[str, int]:
        """Return the exit status of each step that ran; a job without some steps is faster."""
        clone, cache = self.folder / "clone", self.folder / "cache"
        shutil.rmtree(clone, ignore_errors=True)
        clone.mkdir()
        (clone / "planted.jsonl").write_text(planted)
        (clone / "answers.jsonl").write_text(
            "".join(
                json.dumps({"question": question, "answer": answer, "facts": [fact]}) + "\n"
                for (question, fact), answer in zip(
                    QUESTIONS.items(), answers.values(), strict=True
                )
            )
        )
        context = {
            "github.event_name": event,
            "github.repository": REPOSITORY,
            "github.token": "token",
            "github.event.pull_request.number": "7",
            "github.event.pull_request.head.repo.full_name": REPOSITORY * (event == "pull_request"),
        }
        statuses: dict[str, int] = {}
        for name, step in STEPS.items():
            if name in without:
                continue
            condition = str(step.get("if", "success()")).strip("${} ")
            for expression, value in context.items():
                condition = condition.replace(expression, f"'{value}'")
            terms = [each.strip() for each in condition.split("&&")]
            known = {"!cancelled()": True, "success()": not any(statuses.values())}
            # An equation of two quoted texts.
            if not all(known.get(term, len({*term.split(" == ")}) == 1) for term in terms):
                continue
            if "uses" in step:
                self._use(step, cache, clone)
            elif not step["run"].startswith("pip "):
                environment = JOB["env"] | step.get("env", {})
                statuses[name] = self._run(step["run"], environment, context, clone)
        return statuses

    def _use(self, step: dict[str, Any], cache: Path, clone: Path) -> None:
        action = step["uses"].partition("@")[0]
        if action == "actions/cache/save":
            shutil.copytree(clone / step["with"]["path"], cache)
        elif action == "actions/cache/restore" and cache.exists():
            shutil.copytree(cache, clone / step["with"]["path"])
        elif action == "actions/upload-artifact":
            assert any(clone.glob(step["with"]["path"]))

    def _run(
        self, script: str, environment: dict[str, str], context: dict[str, str], clone: Path
    ) -> int:
        def evaluate(text: str) -> str:
            return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: context[found[1]], text)

        variables = {name: evaluate(value) for name, value in environment.items()}
        variables["PATH"] = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        variables["GITHUB_STEP_SUMMARY"] = str(clone / "step_summary.md")
        # As GitHub runs a step that names no shell.
        return subprocess.run(  # noqa: S603
            ["bash", "-e", "-c", evaluate(script)],  # noqa: S607
            cwd=clone,
            env=os.environ | variables,
            check=False,
            timeout=60,
        ).returncode


@pytest.fixture
def github(tmp_path: Path) -> GitHub:
    return GitHub(tmp_path)


CHECK, SAVE, GATE, COMMENT, PLANTED = (
    "Check the answers",
    "Keep the output for pull requests",
    "Gate",
    "Write the comment, or update it",
    "A planted error must fail",
)


def test_a_comment_says_what_changed_and_is_updated_in_place(github: GitHub) -> None:
    assert COMMENT not in github.run_job("push", QUESTIONS, without=(PLANTED,))
    assert github.comments == []
    changed = QUESTIONS | {"How long is warranty 3?": "Warranty 3 is 9 years."}
    statuses = github.run_job("pull_request", changed, without=(PLANTED,))
    assert {name: status for name, status in statuses.items() if status} == {GATE: 4}
    [comment] = github.comments
    assert "## Answers: 1 became low-grounded\n" in comment["body"]
    assert "**The gate is red:** 8.3% of the scored answers are LOW_GROUNDED" in comment["body"]
    assert "`Warranty 3 is 9 years.` | `Warranty 3 is 5 years.`" in comment["body"]
    others = [{"id": 9, "login": "mallory", "body": comment["body"]}]
    github.comments_file.write_text(json.dumps([*others, comment]))
    assert not any(github.run_job("pull_request", QUESTIONS, without=(PLANTED,)).values())
    assert github.comments[0] == others[0]
    [updated] = github.comments[1:]
    assert updated["id"] == comment["id"]
    assert "## No answer is low-grounded\n\nThe gate is green" in updated["body"]


def test_the_gate_is_red_after_everything_is_written(github: GitHub) -> None:
    wrong = dict.fromkeys(QUESTIONS, "Kettles vote in Peru.")
    statuses = github.run_job("pull_request", wrong)
    assert {name: status for name, status in statuses.items() if status} == {GATE: 4}
    [comment] = github.comments
    assert "## 12 of 12 scored answers are low-grounded" in comment["body"]
    summary = github.folder / "clone" / "step_summary.md"
    assert summary.read_text() == comment["body"]


@pytest.mark.parametrize(
    "planted",
    [
        blocks("json")[0].replace("3 years", "2 years"),
        blocks("json")[0].replace("The warranty is 2 years.", "Kettles vote in Peru.", 1),
        blocks("json")[0].replace("facts", "hidden"),
    ],
    ids=["an error that is not seen", "a right answer that is flagged", "facts that are not read"],
)
def test_a_job_fails_if_its_checker_takes_wrong_for_right(github: GitHub, planted: str) -> None:
    statuses = github.run_job("push", QUESTIONS, planted, without=(CHECK, SAVE, GATE))
    assert [name for name, status in statuses.items() if status] == [PLANTED]


def test_the_workflow_is_one_that_github_reads(tmp_path: Path) -> None:
    path = tmp_path / "answers.yaml"
    path.write_text(blocks("yaml")[0])
    schema = ("--builtin-schema", "vendor.github-workflows")
    status, printed, errors = run("-m", "check_jsonschema", *schema, str(path))
    assert status == 0, printed + errors
