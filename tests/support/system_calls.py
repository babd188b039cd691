"""Run a function in a child process, and kill it at a system call that makes a change durable.

SQLite makes its own system calls, so that functions of Python which are replaced do not see them.
The kernel stops the child at each of these calls, before it and after it, as it does for `strace`.
"""

import ctypes
import errno
import os
import platform
import signal
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

_NUMBERS = {
    "x86_64": {
        "fsync": 74,
        "fdatasync": 75,
        "rename": 82,
        "rmdir": 84,
        "link": 86,
        "unlink": 87,
        "unlinkat": 263,
        "renameat": 264,
        "linkat": 265,
        "renameat2": 316,
    },
    "aarch64": {
        "unlinkat": 35,
        "linkat": 37,
        "renameat": 38,
        "fsync": 82,
        "fdatasync": 83,
        "renameat2": 276,
    },
}
# From linux/ptrace.h, linux/prctl.h, linux/seccomp.h and linux/filter.h.
_TRACE_ME, _CONTINUE, _TO_NEXT_CALL = 0, 7, 24
_SET_OPTIONS, _GET_EVENT_MESSAGE = 0x4200, 0x4201
_EVENT_SECCOMP = 7
_OPTIONS = 0x1 | 0x2 | 0x4 | 0x8 | 0x80 | 0x100000  # calls, children, seccomp; die with the parent
_CALL_STOP = signal.SIGTRAP | 0x80
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER_MODE = 38, 22, 2
_LOAD_NUMBER, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _TRACE = 0x7FFF0000, 0x7FF00000
_ANY_CHILD = 0x40000000  # threads, too
_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


NOT_TRACED = 75
"""The exit status of a sweep on a machine that lets no process trace another."""


class Ended(NamedTuple):
    """The exit status, negative for a signal, and the calls made, one for before and one after."""

    status: int
    points: list[str]


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("if_true", ctypes.c_uint8),
        ("if_false", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    )


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("instructions", ctypes.POINTER(_Instruction)))


def require_tracing() -> None:
    """End this process if no other one can be stopped at its system calls on this machine."""
    if reason := _reason_why_not():
        sys.stderr.write(f"no process can be killed at its system calls: {reason}\n")
        sys.exit(NOT_TRACED)


def _reason_why_not() -> str | None:
    if platform.system() != "Linux" or platform.machine() not in _NUMBERS:
        return f"not on {platform.system()} on {platform.machine()}"
    try:
        stopped = run_killed_at(0, lambda: os.unlink("/does/not/exist"))  # noqa: PTH108 - that call
    except OSError as error:
        return str(error)
    return None if stopped.points else "the kernel does not stop a child there"


def run_killed_at(point: int, action: Callable[[], object]) -> Ended:
    """Run something in a forked process, silently; kill it at its so-manyth point, 0 for none.

    The calling process must have no other thread.
    """
    child = os.fork()
    if not child:
        _run_traced(action)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status):
        raise OSError("the system lets no process trace its child")
    _ptrace(_SET_OPTIONS, child, _OPTIONS)
    _ptrace(_CONTINUE, child)
    stops = _Stops(child)
    # The process itself is the last of its threads that is reported.
    while True:
        traced, status = os.waitpid(-1, _ANY_CHILD)
        if os.WIFSTOPPED(status):
            request, signal_number = stops.handle(traced, status)
            if len(stops.points) == point and not stops.is_killed:
                os.kill(child, signal.SIGKILL)
                stops.is_killed = True
            else:
                _ptrace(request, traced, signal_number)
        elif traced == child:
            return Ended(os.waitstatus_to_exitcode(status), stops.points)


class _Stops:
    """Say how each stopped thread goes on, and keep the points that were passed."""

    def __init__(self, child: int) -> None:
        self.points: list[str] = []
        self.is_killed = False
        self._names = list(_NUMBERS[platform.machine()])
        self._in_call: dict[int, str] = {}
        self._known = {child}

    def handle(self, traced: int, status: int) -> tuple[int, int]:
        """Return the request that lets a thread go on, and the signal that it gets."""
        is_new = traced not in self._known
        self._known.add(traced)
        if status >> 16 == _EVENT_SECCOMP:
            message = ctypes.c_ulong()
            _ptrace(_GET_EVENT_MESSAGE, traced, ctypes.addressof(message))
            name = self._in_call[traced] = self._names[message.value]
            self.points.append(f"before {name}")
            return _TO_NEXT_CALL, 0
        stopped_by = os.WSTOPSIG(status)
        if stopped_by == _CALL_STOP:
            self.points.append(f"after {self._in_call.pop(traced)}")
            return _CONTINUE, 0
        is_delivered = status >> 16 == 0 and not (is_new and stopped_by == signal.SIGSTOP)
        return _CONTINUE, stopped_by if is_delivered else 0


def _run_traced(action: Callable[[], object]) -> None:
    """Let the parent stop this process at its calls, and end it with what the action returns."""
    status = 1
    try:
        _ptrace(_TRACE_ME, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        _stop_at_calls()
        with (
            Path(os.devnull).open("w") as nothing,
            redirect_stdout(nothing),
            redirect_stderr(nothing),
        ):
            returned = action()
            status = returned if isinstance(returned, int) else 0
    finally:
        os._exit(status)


def _stop_at_calls() -> None:
    numbers = list(_NUMBERS[platform.machine()].values())
    program = [_Instruction(_LOAD_NUMBER, 0, 0, 0)]
    for index, number in enumerate(numbers):
        program.append(_Instruction(_JUMP_IF_EQUAL, 0, 1, number))
        program.append(_Instruction(_RETURN, 0, 0, _TRACE | index))
    program.append(_Instruction(_RETURN, 0, 0, _ALLOW))
    array = (_Instruction * len(program))(*program)
    loaded = _Filter(len(program), array)
    _control(_NO_NEW_PRIVILEGES, 1, 0)
    _control(_SET_SECCOMP, _FILTER_MODE, ctypes.addressof(loaded))


def _control(option: int, value: int, address: int) -> None:
    arguments = map(ctypes.c_ulong, (value, address, 0, 0))
    if _libc.prctl(option, *arguments):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _ptrace(request: int, process: int, data: int = 0) -> None:
    if _libc.ptrace(request, process, 0, data) < 0:
        number = ctypes.get_errno()
        # The process was killed meanwhile: `waitpid` reports it.
        if number != errno.ESRCH:
            raise OSError(number, os.strerror(number))
