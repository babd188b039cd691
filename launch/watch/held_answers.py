"""Keep the answers whose checks go on in the background."""

from collections.abc import Callable, Iterable

from schemas.answer import Answer
from schemas.message import Message


class HeldAnswers:
    """Keep answers until their checks have ended, successful or not.

    Args:
      has_ended: tells by record id whether the check of an answer has.
    """

    def __init__(self, has_ended: Callable[[str], bool]) -> None:
        self._has_ended = has_ended
        # By the place of the message; several may hold the same answer.
        self._answers: dict[str, Answer] = {}

    def __len__(self) -> int:
        return len(self._answers)

    def add(self, answers: Iterable[Answer]) -> None:
        """Keep answers."""
        self._answers |= {answer.message.place: answer for answer in answers}

    def take_ended(self, most: int) -> list[Answer]:
        """Take answers whose checks have ended, so many at most."""
        ended: list[Answer] = []
        for answer in self._answers.values():
            if len(ended) == most:
                break
            if self._has_ended(answer.record_id):
                ended.append(answer)
        for answer in ended:
            del self._answers[answer.message.place]
        return ended


def messages_of(answers: Iterable[Answer]) -> list[Message]:
    """List the messages that held the answers."""
    return [answer.message for answer in answers]
