# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' layers of attention, which give their scores as well where a call asks for them."""
from .layer_table import KERNEL, TABLE
from .layers import Layer, made

_SCORES = ("return_attention_scores",)


class MultiHeadAttention(Layer):
    """Keras' layer MultiHeadAttention, called on a query and a value, and a key and a mask where they differ."""

    parameters = ("num_heads, key_dim, value_dim=None, dropout=0.0, use_bias=True, output_shape=None, "
                  "attention_axes=None, " + KERNEL)
    told_in_calls = _SCORES

    def __call__(self, query, value, key=None, attention_mask=None, return_attention_scores=False, training=None):
        given = [query, value] + ([] if key is None and attention_mask is None else [value if key is None else key])
        return super().__call__(given + ([] if attention_mask is None else [attention_mask]), training=training,
                                return_attention_scores=bool(return_attention_scores))

    def again(self, inputs, call):
        return super().__call__(inputs, training=call.training, **call.kwargs)

    def inbound(self, nodes, settings=None):
        return [[*nodes[0], {**dict(zip(("value", "key", "attention_mask"), nodes[1:])), **(settings or {})}]]


class GroupQueryAttention(MultiHeadAttention):
    """Keras 3's layer GroupQueryAttention: fewer keys and values than queries."""

    parameters = "head_dim, num_query_heads, num_key_value_heads, dropout=0.0, use_bias=True, " + KERNEL


class _Plain(Layer):
    """A layer called on a list of query, value and maybe key."""

    told_in_calls = _SCORES


ATTENTION = {"MultiHeadAttention": MultiHeadAttention, "GroupQueryAttention": GroupQueryAttention, "GroupedQueryAttention": GroupQueryAttention,
             **{kind: made(kind, TABLE[kind], _Plain) for kind in ("Attention", "AdditiveAttention")}}
