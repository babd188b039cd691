"""Where models think aloud in an answer."""

import pytest

from groundwatch.transforms.lexical.reading.reasoning import reasoning_spans


def left(answer: str) -> str:
    for start, end in reversed(reasoning_spans(answer)):
        answer = answer[:start] + answer[end:]
    return answer


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("No tags.", "No tags."),
        ("<think></think>A", "A"),
        ("<think>x\ny</think>\nA", "\nA"),
        ("<THINKING>x</THINKING>A", "A"),
        ("A <reasoning>x</reasoning>B", "A B"),
        ("<think>x</think>A<think>y</think>B", "AB"),
        ("<think>x<think>y</think>z</think>A", "A"),
        ("x</think>A", "A"),
        ("<think>x</think>y</think>A", "A"),
        ("A\n<think>cut off", "A\n"),
        ("<think>cut off", ""),
        ("Use the tag <think> first.", "Use the tag <think> first."),
        ("Use `<think>` and `</think>`.", "Use `<think>` and `</think>`."),
        ("[THINK]x[/THINK]A", "A"),
        ("Thought: x\nFinal Answer: A", "A"),
        ("Thought: x\nAction: search\nObservation: y\nThought: z\nFinal Answer: A\nB", "A\nB"),
        ("Thought: x\nAction: search", ""),
        ("Thought: this is all.", "Thought: this is all."),
        ("<thought-out>x</thought-out>", "<thought-out>x</thought-out>"),
    ],
)
def test_reasoning_is_found(answer: str, expected: str) -> None:
    assert left(answer) == expected
