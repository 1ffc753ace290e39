# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.app and tf.flags of TensorFlow 1: a script's options on its command line, as absl has them."""
import sys

from .. import names

_TRUE, _FALSE = ("true", "t", "1", "yes"), ("false", "f", "0", "no")


def _truth(text):
    if str(text).lower() in _TRUE + _FALSE:
        return str(text).lower() in _TRUE
    raise ValueError(f"Non-boolean argument to boolean flag: {text}")


def _listed(text):
    return list(text) if isinstance(text, (list, tuple)) else [each.strip() for each in text.split(",")] if text else []


class Error(Exception):
    """tf.flags.Error."""


class _Flag:
    def __init__(self, name, default, help_, parse, repeated=False):
        self.name, self.default, self.help, self.parse, self.repeated = name, default, help_, parse, repeated
        self.value, self.present, self.required = None if default is None else parse(default), False, False

    def take(self, text):
        try:
            value = self.parse(text)
        except ValueError as error:
            raise Error(f"flag --{self.name}={text}: {error}") from None
        self.value = (self.value if self.present else []) + value if self.repeated else value
        self.present = True


class FlagValues:
    """tf.flags.FLAGS: called with the words of a command line it takes the flags out of them."""

    def __init__(self):
        self.__dict__.update(_flags={}, _parsed=False)

    def _find(self, name):
        if name not in self._flags:
            raise AttributeError(f"Unknown command line flag '{name}'", name=name)
        return self._flags[name]

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if not self._parsed:
            _parsed(sys.argv, known_only=True)
        return self._find(name).value

    def __setattr__(self, name, value):
        self._find(name).value = value

    def __getitem__(self, name):
        return self._find(name)

    def __contains__(self, name):
        return name in self._flags

    def __iter__(self):
        return iter(self._flags)

    def __call__(self, argv, known_only=False):
        """The words that are no flags, the script's name first. Errors: Error for a flag that there is not."""
        self.__dict__["_parsed"] = True
        for flag in self._flags.values():
            flag.present = False  # on this command line
        rest, words = [argv[0]], list(argv[1:])
        while words:
            word = words.pop(0)
            if word == "--":
                rest += words
                break
            name, given, value = word.lstrip("-").partition("=")
            if not word.startswith("-") or not name:
                rest.append(word)
            elif name in self._flags:
                flag = self._flags[name]
                if not given and flag.parse is not _truth and not words:
                    raise Error(f"Missing value for flag --{name}")
                flag.take(value if given else True if flag.parse is _truth else words.pop(0))
            elif name.startswith("no") and not given and getattr(self._flags.get(name[2:]), "parse", None) is _truth:
                self._flags[name[2:]].take(False)
            elif known_only:
                rest.append(word)
            else:
                raise Error(f"Unknown command line flag '{name}'")
        for flag in self._flags.values():
            if flag.required and flag.value is None and not known_only:
                raise Error(f"flag --{flag.name}=None: Flag --{flag.name} must have a value other than None.")
        return rest

    def flag_values_dict(self):
        return {name: flag.value for name, flag in self._flags.items()}

    def is_parsed(self):
        return self._parsed

    def mark_as_parsed(self):
        self.__dict__["_parsed"] = True

    def shown(self):
        return "".join(f"  --{'[no]' if flag.parse is _truth else ''}{flag.name}: {flag.help or ''}\n    (default: {flag.default!r})\n"
                       for flag in self._flags.values())


FLAGS = FlagValues()


def _parsed(words, known_only=False):
    """FLAGS of the script's command line, whose mistakes end it in a line."""
    try:
        return FLAGS(words, known_only)
    except Error as error:
        print(f"FATAL Flags parsing error: {error}\nPass --help to see help on flags.", file=sys.stderr)
        sys.exit(1)


def _definer(parse, repeated=False):
    def define(name, default, help, flag_values=FLAGS, short_name=None, required=False, **unused):
        flag = flag_values._flags[name] = _Flag(name, default, help, parse, repeated)
        flag.required = required
        if short_name:
            flag_values._flags[short_name] = flag
    return define


def _in(values, case_sensitive=True):
    def parse(text):
        found = [each for each in values if each == text or (not case_sensitive and each.lower() == str(text).lower())]
        if not found:
            raise ValueError(f"value should be one of <{'|'.join(values)}>")
        return found[0]
    return parse


def define_enum(name, default, enum_values, help, flag_values=FLAGS, case_sensitive=True, **settings):
    _definer(_in(list(enum_values), case_sensitive))(name, default, help, flag_values, **settings)


def mark_flag_as_required(flag_name, flag_values=FLAGS):
    flag_values[flag_name].required = True


def mark_flags_as_required(flag_names, flag_values=FLAGS):
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


def _many(parse):
    return lambda given: [parse(each) for each in (given if isinstance(given, (list, tuple)) else [given])]


def run(main=None, argv=None):
    """tf.app.run: main() of the script with the words that are no flags; its result is the exit code."""
    main = main or sys.modules["__main__"].main
    words = list(argv or sys.argv)
    if {"--help", "-help", "--helpfull", "-h"} & set(words[1:]):
        print(f"\nUSAGE: {words[0]} [flags]\nflags:\n\n{FLAGS.shown()}", end="")
        sys.exit(1)
    sys.exit(main(_parsed(words)))


NAMES = {"FLAGS": FLAGS, "FlagValues": FlagValues, "Error": Error, "mark_flag_as_required": mark_flag_as_required,
         "mark_flags_as_required": mark_flags_as_required, "DEFINE_string": _definer(str), "DEFINE_integer": _definer(int),
         "DEFINE_float": _definer(float), "DEFINE_boolean": _definer(_truth), "DEFINE_bool": _definer(_truth), "DEFINE_list": _definer(_listed),
         "DEFINE_enum": define_enum, "DEFINE_multi_string": _definer(_many(str), True), "DEFINE_multi_integer": _definer(_many(int), True),
         "DEFINE_multi_float": _definer(_many(float), True)}


def add_names():
    module = "tensorflow.compat.v1"
    names.module(module + ".app", run=run)
    names.module(module + ".flags", NAMES)
    names.module(module + ".app.flags", NAMES)
    names.module("tensorflow.python.platform.app", run=run)
    names.module("tensorflow.python.platform.flags", NAMES)
