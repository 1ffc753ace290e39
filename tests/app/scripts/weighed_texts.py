# SPDX-License-Identifier: GPL-3.0-or-later
"""TextVectorization of words in a row, of characters, and by how rare words are."""
import numpy as np
from tensorflow import keras

texts = ["the cat sat", "The cat ate the mouse!", "a dog"]
for settings in ({"ngrams": 2}, {"ngrams": (2,)}, {"output_mode": "tf_idf"}, {"output_mode": "tf-idf", "max_tokens": 4, "ngrams": (1,)},
                 {"output_mode": "tf_idf", "max_tokens": 10, "pad_to_max_tokens": True}, {"output_mode": "count"}, {"split": "character"},
                 {"standardize": "lower"}, {"standardize": "strip_punctuation"}):
    layer = keras.layers.TextVectorization(**settings)
    layer.adapt(texts)
    print(layer.get_vocabulary(), np.round(layer(["the cat the bird", "sat"]).numpy().astype(float), 4).tolist())
given = keras.layers.TextVectorization(output_mode="tf_idf", vocabulary=["a", "b"], idf_weights=[0.5, 2.0])
print(given(["a b b c"]).numpy().tolist())
for wrong in ({"output_mode": "tf_idf", "vocabulary": ["a"]}, {"vocabulary": ["a"], "idf_weights": [1.0]}, {"output_mode": "tf_idf"}, {"ngrams": "two"}):
    try:
        print(keras.layers.TextVectorization(**wrong)(["a"]))
    except Exception as error:  # pylint: disable=broad-except
        print(type(error).__name__, error)
