"""Slips of Lab 01 written before the checks were read, whose first message used to name something else."""

from tests.mutants.mutant import Mutant

REMEMBER_ONE = "remember(cache, index, k, v)\n        x = x + attend"
ADD_ONE = "x = x + attend(q[0], keys, values) @ layer.attention_out"
ADD_ALL = "x = x + torch.stack(attended) @ layer.attention_out"
ROUNDS = "    for _ in range(repeats):\n"
PADDED_END = """        x = layer.feed_forward(x, model.config.norm_eps)
    lengths += 1
"""

MUTANTS = (
    Mutant(
        name="values seen through a view", old="values.transpose(0, 1)).reshape(-1)", check="1.2/groups",
        new="values.view(num_kv_heads, num_tokens, head_size)).reshape(-1)", hint="mixes up the values of the K heads",
    ),
    Mutant(
        name="the layer itself as a key", old=REMEMBER_ONE, new=REMEMBER_ONE.replace("index", "layer"), outcome="crashed",
        check="1.3/equals_the_uncached_model", hint="the number, not the layer itself",
    ),
    Mutant(
        name="a matrix that is called", old=ADD_ONE, new="x = x + layer.attention_out(attend(q[0], keys, values))",
        check="1.3/equals_the_uncached_model", outcome="crashed", hint="a matrix, not a function",
    ),
    Mutant(
        name="attention as it is", old=ADD_ONE, new="x = x + attend(q[0], keys, values)",
        check="1.3/equals_the_uncached_model", hint="multiply it by the matrix first",
    ),
    Mutant(
        name="a batch: attention in the place of x", old=ADD_ALL, new=ADD_ALL.replace("x = x + ", "x = "),
        check="1.4/nobody_sees_a_neighbour", hint="it does not replace x",
    ),
    Mutant(
        name="a round too many", old=ROUNDS, new=ROUNDS.replace("(repeats)", "(repeats + 1)"), check="1.5/times_each_call",
        hint="more than warmup + repeats times",
    ),
    Mutant(
        name="padded: lengths grow in each layer", old=PADDED_END, new=PADDED_END.replace("    lengths", "        lengths"),
        check="1.9/equal_lengths", hint="the lengths grow too early",
    ),
    Mutant(
        name="padded: a mask of two axes", old="hidden[:, None, None]", new="hidden", check="1.9/equal_lengths", outcome="crashed",
        hint="hidden[:, None, None]",
    ),
    Mutant(
        name="prefill: a mask of the new tokens alone", old="torch.arange(before + count) > positions",
        new="torch.arange(count) > torch.arange(count)", check="1.10/goes_on_with_a_filled_cache", outcome="crashed",
        hint="S counts what the dict held before",
    ),
)
