# SPDX-License-Identifier: GPL-3.0-or-later
"""The loops of Keras' fit, evaluate and predict: engine runs, and what they show."""
import itertools
import time

import numpy as np

from ..optimizers import hyper, slots
from . import metrics as keras_metrics, step as keras_step, tables as keras_tables, values as keras_values
from .. import failures, host, instances, ipu_config
from ..tensors import draws
from ..tracing import lowering

_HOOK = {"train": "train_", "evaluate": "test_", "predict": "predict_"}


class Loop:
    """The engine runs of one call of fit, evaluate or predict."""

    def __init__(self, model, mode, data, accumulation, epochs=1):
        self.model, self.mode, self.data, self.epochs = model, mode, data, epochs
        self.replicas = model.replicas()
        across = ipu_config.across_instances() and self.replicas > 1 and model.on_ipu
        self.first, self.own = instances.own_part(self.replicas) if across else (0, self.replicas)
        self.steps = data.steps // self.own
        if self.steps == 0:
            raise ValueError(f"{data.steps} batches are not enough for {self.own} replicas.")
        self.at_once = model.steps_per_execution or self.steps
        if self.at_once > self.steps:
            host.log("WARNING", f"The `steps_per_execution` is set to {self.at_once}, but the dataset"
                     f"{' to this replica' if self.replicas > 1 else ''} has only {self.steps} batches, using "
                     f"{self.steps}.")
            self.at_once = self.steps
        if model.on_ipu and self.steps % self.at_once:
            raise ValueError(f"The number of steps per epoch ({self.steps}) must be a multiple of "
                             f"`steps_per_execution` ({self.at_once}).")
        if mode == "train" and self.at_once % accumulation:
            raise RuntimeError(f"The model has been configured to use gradient accumulation for training, however the "
                               f"current `steps_per_execution` value (set to {self.at_once}) is not divisible by "
                               f"`gradient_accumulation_steps_per_replica` (set to {accumulation})")
        if mode == "train" and model.on_ipu:
            self._tell(accumulation)
        self.outputs = []
        self.made = []  # the engine runs of the last epoch: (program, first step, steps)
        self.enqueued = {}
        self.accumulation = accumulation if mode == "train" else 1
        piped = model.on_ipu and model.pipelining is not None
        self.reduces = self.replicas > 1 and model.metric_reduction != "NONE" and not piped  # as IPU Keras has it
        self.tells_steps = model.tells_steps and not (piped and model.accumulates_outfeed and mode != "predict")

    def _tell(self, accumulation):
        effective = self.data.batch * accumulation * self.replicas
        if self.replicas > 1 or accumulation > 1:
            host.log("INFO", "Training is" + (" not" if self.replicas == 1 else "") + " distributed" +
                     (f" and accumulating {accumulation} batches per optimizer step" if accumulation > 1 else "") +
                     (f" across {self.replicas} replicas" if self.replicas > 1 else "") +
                     f", your effective batch size is {effective}.")

    def run(self, epoch, bar, callbacks):
        """One epoch: the last values of loss and metrics."""
        model, done, logs = self.model, 0, {}
        self.made = []
        metrics = self._values()
        metrics.of_replicas = keras_metrics.VariablesOfReplicas(model, self.replicas)
        batches = self.data.epoch()
        if self.own < self.replicas:
            batches = self._batches_of_all(batches)
        while done < self.steps:
            count = min(self.at_once, self.steps - done)
            if callbacks and not self.tells_steps:
                callbacks.call("on_" + _HOOK[self.mode] + "batch_begin", done, {})
            before = len(self.outputs[0]) if self.outputs else 0
            logs = self._execution(epoch, done, count, batches, metrics, callbacks if self.tells_steps else None)
            done += count
            if callbacks and not self.tells_steps:
                told = logs if self.mode != "predict" else {"outputs": self.outputs_of(before)}
                callbacks.call("on_" + _HOOK[self.mode] + "batch_end", done - 1, told)
            if bar is not None:
                bar.update(done, list(logs.items()))
            if self.mode == "train" and model.stop_training:
                break
        if logs:
            model.metrics_names = list(logs)
            self.program.end_epoch(epoch, keras_values.numbers(logs))
        return logs

    def outputs_of(self, first=0):
        """What predict() has made of the batches from one on, in the model's form."""
        return self.model.in_form([np.concatenate(each[first:]) for each in self.outputs], self.model.forms.get(id(self.program)))

    def _values(self):
        """What shows loss and metrics: of the last replica, or of all of this instance; predict has none."""
        model, last = self.model, self.first + self.own - 1
        every = range(self.first, last + 1) if self.reduces or self.tells_steps else [last]
        if self.data.own_step and self.mode != "predict":
            if self.reduces:
                raise failures.refused(f"set_replication_options(replicated_metric_reduction_method={model.metric_reduction!r}) of "
                                       f"{type(model).__name__}.{keras_step.STEPS[self.mode]}", "reduce what it gives there")
            return keras_step.StepValues(model, every)
        return keras_values.ValuesOfReplicas(model, [] if self.mode == "predict" else every, last, self.accumulation,
                                             model.metric_reduction if self.reduces else "NONE")

    def _tell_step(self, callbacks, metrics, step):
        """A step that every replica has made, to callbacks that are asynchronous: once for each replica."""
        hook = "on_" + _HOOK[self.mode]
        for replica in range(self.first, self.first + self.own):
            callbacks.call(hook + "batch_begin", step, {})
            callbacks.call(hook + "batch_end", step, metrics.logs_of(replica))

    def _batches_of_all(self, batches):
        """The batches of all replicas in turn, of those of this instance."""
        while True:
            yield from instances.of_replicas([next(batches) for _ in range(self.own)],
                                             f"a step of {self.model.name} in {self.mode}")

    def _execution(self, epoch, first, count, batches, metrics, callbacks):
        model, wanted = self.model, count * self.replicas
        begun = time.perf_counter()
        program, numbers = None, self._numbers(first)
        for k in range(wanted):
            arrays = next(batches)
            if program is None or len(arrays[0]) != size:
                size = len(arrays[0])
                program = self.program = model._program(self.mode, size, wanted, self.steps * self.replicas * size,
                                                       self.data)
                names = metrics.begin(program)
                if self.mode == "train":
                    slots.take_restored(model.optimizer)
                begun = time.perf_counter()
            metrics.of_replicas.take(k % self.replicas, program)
            if program.computes is not False:
                keras_tables.check(model.tables[id(program)], arrays)
            program.step(numbers + k, model.used_of(arrays))
            metrics.of_replicas.keep(k % self.replicas)
            model.step_number += self.mode == "train"
            if program.computes is False:
                self._take(program, 0, names, metrics, size)
                for step in range(first, first + count if callbacks else first):
                    self._tell_step(callbacks, metrics, step)
                break
            if (k + 1) % program.lanes == 0:  # replicas of a group compute at once
                for each in range(program.lanes):
                    program.show(each)
                    self._take(program, (k + 1 - program.lanes + each) % self.replicas, names, metrics, size)
            if (k + 1) % self.replicas == 0:
                if callbacks:
                    self._tell_step(callbacks, metrics, first + k // self.replicas)
                metrics.of_replicas.take(metrics.seen, program)
                self._tell_progress(epoch, first * self.replicas + k + 1, k + 1 < wanted, metrics)
        self._count_updates(program, count)
        self.made.append((program, first * self.replicas, wanted))
        logs = metrics.logs()
        seconds = program.end_execution(epoch, first * self.replicas, wanted, keras_values.numbers(logs))
        host.passed(time.perf_counter() - begun, seconds)
        model.seconds += seconds
        return logs

    def _count_updates(self, program, steps):
        if self.mode == "train":
            plan = self.model.step_plans.get(id(program))
            for optimizer in [self.model.optimizer] if plan is None else plan["optimizers"]:
                hyper.counted(optimizer, steps // self.accumulation)

    def repeat(self, epoch, epochs):
        """Of an estimate: as many epochs that are as the last one was, at once."""
        for (program, steps), runs in itertools.groupby(self.made, lambda each: (each[0], each[2])):
            runs = list(runs)
            seconds = program.repeat(epoch, epochs, runs[0][1], steps, len(runs))
            self._count_updates(program, steps // self.replicas * len(runs) * epochs)
            host.passed(0, seconds)
            self.model.seconds += seconds

    def _numbers(self, first):
        """The number of the first step of an engine run, which what is drawn depends on. `first`: of its batches in the epoch."""
        model, of_update = self.model, self.accumulation * self.replicas
        if model.on_ipu and model.resets_ != draws.resets():
            model.step_number, model.resets_ = draws.first_step(of_update), draws.resets()
        if self.mode == "train":
            return model.step_number
        return first * self.replicas + (draws.first_step(self.replicas) if model.on_ipu else 0)

    def _tell_progress(self, epoch, done, within, metrics):
        """To who watches the profile; `within`: the engine run goes on."""
        if self.program.under_way(epoch, self.epochs, done, self.steps * self.replicas) and within and self.mode == "train":
            self.program.metrics_within(epoch, done, keras_values.numbers(metrics.logs()))

    def _take(self, program, replica, names, metrics, size):
        """What a step of a replica has made."""
        self._enqueue(program, replica)
        if names:
            metrics.add(program, replica if program.computes else metrics.seen, size)
        elif self.mode == "predict" and 0 <= replica - self.first < self.own:
            self._keep(program)

    def _enqueue(self, program, replica):
        """What layers have enqueued in a step, of the replicas of this instance."""
        for number, (queue, first, count, may_not) in enumerate(self.model.queues.get(id(program), [])):
            rows = self.enqueued.setdefault(number, [])
            if 0 <= replica - self.first < self.own:
                counts = not may_not or not program.computes or program.fetched(first + count)
                rows.append([program.fetched(i) for i in range(first, first + count)] if counts else None)
            if replica + 1 == self.replicas:
                lowering.give(queue, rows)
                self.enqueued[number] = []

    def _keep(self, program):
        count = len(program.fetches) - sum(count + may_not for _, _, count, may_not in self.model.queues.get(id(program), []))
        if not self.outputs:
            self.outputs = [[] for _ in range(count)]
        for i in range(count):
            self.outputs[i].append(program.fetched(i))
