# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines that Keras prints while it trains, with simulated time."""
import sys
import time

WIDTH = 30


class Progbar:
    """keras.utils.Progbar: a bar of a loop of the script's own, with means of its values; of `stateful_metrics` as they are given."""

    def __init__(self, target, width=30, verbose=1, interval=0.05, stateful_metrics=None, unit_name="step"):
        self.bar, self.target, self.stateful = Progress(target, verbose, time.time, width=width, unit=unit_name), target, set(stateful_metrics or ())
        self.seen, self.totals = 0, {}

    def update(self, current, values=None, finalize=None):
        for name, value in values or []:
            total, weight = self.totals.get(name, (0.0, 0))
            steps = max(current - self.seen, 1)
            self.totals[name] = (float(value), 1) if name in self.stateful else (total + float(value) * steps, weight + steps)
        self.seen = current
        ended = self.target is not None and current >= self.target if finalize is None else finalize
        (self.bar.end if ended else self.bar.update)(current, [(name, total / weight) for name, (total, weight) in self.totals.items()])

    def add(self, n, values=None):
        self.update(self.seen + n, values)


class Progress:
    """One bar: of an epoch, of an evaluation or of a prediction. `clock` gives the seconds that have passed."""

    def __init__(self, target, verbose, clock, stream=None, width=WIDTH, unit="step"):
        self.target, self.verbose, self.clock, self.length, self.unit = target, verbose, clock, width, unit
        self.stream = stream or sys.stdout
        self.interactive = self.stream.isatty()
        self.begun = clock()
        self.after_first = None
        self.drawn = 0.0
        self.width = 0

    def update(self, current, values):
        """After a batch or an execution."""
        if current == 1:
            self.after_first = self.clock()
        if self.verbose != 1 or not self.interactive:
            return
        now = time.monotonic()
        if now - self.drawn >= 0.05:
            self.drawn = now
            self._draw(self._bar(current, False) + self._eta(current) + values_text(values))

    def end(self, current, values):
        """The line that stays."""
        total = f" - {self.clock() - self.begun:.0f}s"
        if self.verbose == 1:
            self._draw(self._bar(current, True) + total + f" {step_text(self._per_step(current), self.unit)}" +
                       values_text(values))
            self.stream.write("\n")
        elif self.verbose == 2:
            self.stream.write(f"{current}/{self.target or current}{total}{values_text(values)}\n")
        self.stream.flush()

    def _per_step(self, current):
        if self.after_first is not None and current > 1:
            return (self.clock() - self.after_first) / (current - 1)
        return (self.clock() - self.begun) / max(current, 1)

    def _eta(self, current):
        if not self.target:
            return f" - {self.clock() - self.begun:.0f}s {step_text(self._per_step(current), self.unit)}"
        left = self._per_step(current) * (self.target - current)
        if left > 3600:
            return f" - ETA: {int(left // 3600)}:{int(left % 3600 // 60):02d}:{int(left % 60):02d}"
        if left > 60:
            return f" - ETA: {int(left // 60)}:{int(left % 60):02d}"
        return f" - ETA: {int(left)}s"

    def _bar(self, current, ended):
        if not self.target and not ended:
            return f"{current:7d}/Unknown"
        target = self.target or current
        done = int(self.length * current / target)
        arrow = "=" * (done - 1) + (">" if current < target else "=") if done > 0 else ""
        return f"{current:{len(str(target))}d}/{target} [{arrow}{'.' * (self.length - done)}]"

    def _draw(self, text):
        if self.interactive:
            self.stream.write("\b" * self.width + "\r")
            self.stream.write(text + " " * max(self.width - len(text), 0))
        else:
            self.stream.write(text)
        self.width = len(text)
        self.stream.flush()


def step_text(seconds, unit="step"):
    if seconds >= 1 or seconds == 0:
        return f"{seconds:.0f}s/{unit}"
    return f"{seconds * 1e3:.0f}ms/{unit}" if seconds >= 1e-3 else f"{seconds * 1e6:.0f}us/{unit}"


def values_text(values):
    text = ""
    for name, value in values:
        if isinstance(value, (list, tuple)) or getattr(value, "ndim", 0):
            value = sum(value) / len(value)
        text += f" - {name}: {value:.4f}" if abs(value) > 1e-3 else f" - {name}: {value:.4e}"
    return text
