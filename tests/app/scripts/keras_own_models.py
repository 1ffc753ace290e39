# SPDX-License-Identifier: GPL-3.0-or-later
"""from_config of models of a script's own class, and of what is none."""
from tensorflow import keras


class Settings(keras.Model):
    """Its configuration is what it is made with."""

    def __init__(self, units):
        super().__init__()
        self.units, self.dense = units, keras.layers.Dense(units)

    def call(self, x):
        return self.dense(x)

    def get_config(self):
        return {"units": self.units}


class Functional(keras.Model):
    pass


class Stack(keras.Sequential):
    pass


x = keras.Input((3,))
whole = Functional(x, keras.layers.Dense(2)(x))
stack = Stack([keras.layers.Dense(2, input_shape=(3,))])
print(Settings.from_config({"units": 4}).units, type(Functional.from_config(whole.get_config())).__name__,
      type(Stack.from_config(stack.get_config())).__name__, type(keras.Sequential.from_config(stack.get_config())).__name__)
for text in ('{"class_name": "Sequential", "config": {}}', '{"class_name": "Functional", "config": {"layers": []}}'):
    try:
        keras.models.model_from_json(text)
    except ValueError as error:
        print(error)
