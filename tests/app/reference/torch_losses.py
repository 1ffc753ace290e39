#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Losses of the first hundred steps of a small CNN in PyTorch, for training_reference_test.cpp.

Run by hand with Debian's python3-torch; prints torch_losses.json. Weights and digits come from a linear
congruential generator that the test has too, so both frameworks start from the same numbers.
"""
import json

import torch

STEPS, BATCH = 100, 8


class Numbers:
    """x' = 1664525 x + 1013904223 modulo 2^32 (Numerical Recipes)."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (1664525 * self.state + 1013904223) % 2**32
        return self.state

    def tensor(self, scale, *shape):
        count = int(torch.tensor(shape).prod())
        values = [((self.next() >> 8) / 2**24 - 0.5) * scale for _ in range(count)]
        return torch.tensor(values, dtype=torch.float32).double().reshape(shape)


def digits():
    """Noise with three bright rows that tell the class."""
    numbers = Numbers(7)
    images, labels = [], []
    for _ in range(STEPS * BATCH):
        label = (numbers.next() >> 16) % 10
        image = [(numbers.next() >> 24) // 4 for _ in range(28 * 28)]
        for row in range(2 * label, 2 * label + 3):
            for column in range(28):
                image[28 * row + column] += 96
        images.append(image)
        labels.append(label)
    pixels = torch.tensor(images, dtype=torch.float32) / 255
    return pixels.double().reshape(-1, 1, 28, 28), torch.tensor(labels)


def losses(optimiser):
    numbers = Numbers(1)
    weights = [numbers.tensor(0.6, 4, 1, 3, 3), numbers.tensor(0.2, 4),
               numbers.tensor(0.1, 10, 4 * 13 * 13), numbers.tensor(0.2, 10)]
    for weight in weights:
        weight.requires_grad_()
    update = optimiser(weights)
    images, labels = digits()
    result = []
    for step in range(STEPS):
        part = slice(step * BATCH, (step + 1) * BATCH)
        y = torch.nn.functional.conv2d(images[part], weights[0], weights[1])
        y = torch.nn.functional.max_pool2d(torch.relu(y), 2).flatten(1)
        y = torch.nn.functional.linear(y, weights[2], weights[3])
        loss = torch.nn.functional.cross_entropy(y, labels[part])
        update.zero_grad()
        loss.backward()
        update.step()
        result.append(round(loss.item(), 7))
    return result


print(json.dumps({
    "sgd": losses(lambda w: torch.optim.SGD(w, lr=0.02)),
    "momentum": losses(lambda w: torch.optim.SGD(w, lr=0.005, momentum=0.9)),
    "nesterov": losses(lambda w: torch.optim.SGD(w, lr=0.005, momentum=0.9, nesterov=True)),
    "rmsprop": losses(lambda w: torch.optim.RMSprop(w, lr=0.0005, alpha=0.9, eps=1e-7)),
    # PyTorch adds epsilon after the correction of the bias, Keras before: one that does not matter.
    "adam": losses(lambda w: torch.optim.Adam(w, lr=0.001, eps=1e-12)),
}))
