# SPDX-License-Identifier: GPL-3.0-or-later
"""Passes over what a script's own generator gives. What looks at a first element while a pipeline is built begins the pass
that the pipeline then makes, so that no element is lost and nothing is run twice."""
import itertools

_looking = False


def first_of(elements):
    """The first of what a function gives an iterator of, or None, while a pipeline is built."""
    global _looking
    before, _looking = _looking, True
    try:
        return next(elements(), None)
    finally:
        _looking = before


def chunks(elements, size, drop_remainder):
    """What an iterator gives, in lists of `size`; where not all are whole the last is shorter, or left out."""
    while True:
        chunk = list(itertools.islice(elements, size))
        if not chunk or (drop_remainder and len(chunk) < size):
            return
        yield chunk


def of_generator(begin):
    """What makes the elements of an iterator that `begin` gives."""
    begun, seen = [], []  # the pass that was begun to look at it, if there is one; what was seen so far

    def look(begun, seen):
        """By what was there as it began: it may go on after another pass has taken that over, where a pass of another generator looks."""
        for at in itertools.count():
            if at == len(seen):
                if not begun:
                    begun.append(itertools.islice(begin(), at, None))
                element = next(begun[0], None)
                if element is None:
                    return
                seen.append(element)
            yield seen[at]

    def make():
        nonlocal begun, seen
        if _looking:
            yield from look(begun, seen)
        elif begun:
            taken, rest = list(seen), begun.pop()
            begun, seen = [], seen[:1]
            yield from itertools.chain(taken, rest)
        else:
            yield from begin()
    return make
