# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages of TensorFlow that scripts fill in and hand on: fields that may be set, and lists that grow."""
import copy

from . import names


class Repeated(list):
    """A field of several values; `kind` makes one of messages."""

    def __init__(self, values=(), kind=None):
        super().__init__(values)
        self.kind = kind

    def add(self, **fields):
        self.append(self.kind(**fields))
        return self[-1]


class Message:
    """Fields by name, with what they are before they are set: a value, a class of messages, or a list of one class."""

    fields = {}

    def __init__(self, **given):
        unknown = set(given) - set(self.fields)
        if unknown:
            raise ValueError(f"Protocol message {type(self).__name__} has no \"{sorted(unknown)[0]}\" field.")
        for name, first in self.fields.items():
            value = given.get(name)
            if isinstance(first, list):
                value = Repeated(value or (), first[0] if first else None)
            elif isinstance(first, type):
                value = value if isinstance(value, first) else first(**(value or {}))
            self.__dict__[name] = first if value is None else value

    def __setattr__(self, name, value):
        if name not in self.fields:
            raise AttributeError(f"Assignment not allowed (no field \"{name}\" in protocol message object).")
        self.__dict__[name] = value

    def HasField(self, name):  # pylint: disable=invalid-name
        if name not in self.fields or isinstance(self.fields[name], list):
            raise ValueError(f"Protocol message {type(self).__name__} has no singular \"{name}\" field.")
        first = self.fields[name]
        return self.__dict__[name] != (first() if isinstance(first, type) else first)

    def CopyFrom(self, other):  # pylint: disable=invalid-name
        self.__dict__.update(vars(copy.deepcopy(other)))

    def MergeFrom(self, other):  # pylint: disable=invalid-name
        """What the other one has set; its lists are added."""
        for name, first in self.fields.items():
            theirs = copy.deepcopy(vars(other)[name])
            if isinstance(first, list):
                self.__dict__[name].extend(theirs)
            elif isinstance(first, type):
                self.__dict__[name].MergeFrom(theirs)
            elif theirs != first:
                self.__dict__[name] = theirs

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    def __repr__(self):
        return "\n".join(f"{name}: {value}" for name, value in vars(self).items() if value != self.fields[name])


def _message(name, **fields):
    return type(name, (Message,), {"fields": fields, "__doc__": f"tf.{name}: a message of {', '.join(fields)}"})


HistogramProto = _message("HistogramProto", min=0.0, max=0.0, num=0.0, sum=0.0, sum_squares=0.0, bucket_limit=[], bucket=[])
_Image = _message("Image", height=0, width=0, colorspace=0, encoded_image_string=b"")
_Value = _message("Value", tag="", node_name="", simple_value=0.0, image=_Image, histo=HistogramProto)
Summary = _message("Summary", value=[_Value])
Summary.Value, Summary.Image = _Value, _Image
RunMetadata = _message("RunMetadata", step_stats=None, cost_graph=None, partition_graphs=[])
RunOptions = _message("RunOptions", trace_level=0, timeout_in_ms=0, output_partition_graphs=False, report_tensor_allocations_upon_oom=False)
for _number, _level in enumerate(("NO_TRACE", "SOFTWARE_TRACE", "HARDWARE_TRACE", "FULL_TRACE")):
    setattr(RunOptions, _level, _number)
GPUOptions = _message("GPUOptions", allow_growth=False, per_process_gpu_memory_fraction=0.0, visible_device_list="")
OptimizerOptions = _message("OptimizerOptions", opt_level=0, do_common_subexpression_elimination=False, global_jit_level=0)
OptimizerOptions.L0, OptimizerOptions.L1, OptimizerOptions.OFF, OptimizerOptions.ON_1, OptimizerOptions.ON_2 = -1, 0, -1, 1, 2
GraphOptions = _message("GraphOptions", optimizer_options=OptimizerOptions, rewrite_options=None, enable_recv_scheduling=False)
IpuTraceEvent = _message("IpuTraceEvent", timestamp=0.0, type=0, ipu_host="", compile_begin=None, compile_end=None, load_engine=None,
                         execute=None, data_transfer=None)
for _number, _level in enumerate(("COMPILE_BEGIN", "COMPILE_END", "HOST_TO_DEVICE_TRANSFER", "DEVICE_TO_HOST_TRANSFER", "LOAD_ENGINE",
                                  "EXECUTE")):
    setattr(IpuTraceEvent, _level, _number)


def _no_events(text):
    raise ValueError("there are no events of IPUs under tilescope run: what they tell of is in the profile")


IpuTraceEvent.FromString = staticmethod(_no_events)


def add_names():
    names.module("tensorflow.compat.v1", {each.__name__: each for each in (
        HistogramProto, Summary, RunMetadata, RunOptions, GPUOptions, OptimizerOptions, GraphOptions)})
    names.module("tensorflow.compiler.plugin.poplar.driver.trace_pb2", IpuTraceEvent=IpuTraceEvent)
    names.module("tensorflow.core.framework.summary_pb2", Summary=Summary, HistogramProto=HistogramProto)
    names.module("tensorflow.core.protobuf.config_pb2", RunMetadata=RunMetadata, RunOptions=RunOptions, GPUOptions=GPUOptions)
