# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains the CNN of the Keras MNIST tutorial in PyTorch on one batch, twice, and prints the most memory that the
process had, in KiB.

    pytorch_memory.py BATCH"""
import resource
import sys

try:
    import torch
except ImportError as missing:
    sys.exit(str(missing))

batch = int(sys.argv[1])
torch.set_num_threads(2)
model = torch.nn.Sequential(
    torch.nn.Conv2d(1, 32, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
    torch.nn.Conv2d(32, 64, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
    torch.nn.Flatten(), torch.nn.Dropout(0.5), torch.nn.Linear(1600, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
samples = torch.rand(batch, 1, 28, 28)
classes = torch.randint(0, 10, (batch,))
for _ in range(2):
    optimiser.zero_grad()
    torch.nn.functional.cross_entropy(model(samples), classes).backward()
    optimiser.step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
