"""Arguments of a call other than plain data: a model, and a clock with functions whose times are scripted.

The checking process describes them in plain values. The worker makes the actual objects from the given code, and the
student's function gets those. All that comes back of them is how often each weight matrix was used.
"""

from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """A Mini-GPT with random weights, the same on both sides of the channel.

    After a call the argument is a list: in how many products each weight matrix was used. That is counted in the
    worker, so it is best effort: code written to cheat could fool it.
    """

    config: dict  # fields of minigpt.llm.model.Config
    seed: int = 0
    spread: float = 1.0  # factor of the embedding: logits are this many times further apart

    def plain(self) -> dict:
        return {"$": "model", "v": [self.config, self.seed, self.spread]}

    def build(self):
        """The model itself."""
        from minigpt.llm.checkpoint_io import random_model
        from minigpt.llm.model import Config

        model = random_model(Config(**self.config), seed=self.seed)
        model.embedding *= self.spread
        return model


@dataclass(frozen=True, slots=True)
class TutorSpec:
    """The shipped tutor, instead of a ModelSpec."""

    def plain(self) -> dict:
        return {"$": "model", "v": None}

    def build(self):
        """The model itself, loaded once per process."""
        from minigpt.llm.tutor import load_tutor

        return load_tutor()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedTimes:
    """Functions whose calls take the scripted times, on a clock that otherwise stands still.

    `durations_s` has for each function's name the times of its first, second, … call; the last one stays. The n-th
    call of all takes `slowdown[n]` times as long, the last one staying too. `twins` are further names of functions that
    have one already. Pass a `ScriptedClock` as the clock.
    """

    durations_s: dict[str, list[float]]
    slowdown: list[float] = field(default_factory=lambda: [1.0])
    twins: dict[str, str] = field(default_factory=dict)

    def plain(self) -> dict:
        return {"$": "scripted_functions", "v": [self.durations_s, self.slowdown, self.twins]}


@dataclass(frozen=True, slots=True)
class ScriptedClock:
    """Stands for the clock of the scripted functions among the same arguments."""

    def plain(self) -> dict:
        return {"$": "scripted_clock", "v": None}


# -- in the worker --------------------------------------------------------------------------------------------------


class Machine:
    """The clock and the functions of one call."""

    def __init__(self):
        self.now_s = 0.0
        self.num_calls = 0

    def clock(self) -> float:
        return self.now_s

    def functions(self, durations_s: dict[str, list[float]], slowdown: list[float], twins: dict[str, str]) -> dict:
        made = {name: self._function(times, slowdown) for name, times in durations_s.items()}
        return made | {twin: made[name] for twin, name in twins.items()}

    def _function(self, times: list[float], slowdown: list[float]):
        left = iter(times)

        def run() -> None:
            self.now_s += next(left, times[-1]) * slowdown[min(self.num_calls, len(slowdown) - 1)]
            self.num_calls += 1

        return run


def is_described(plain) -> bool:
    """Whether a plain value describes one of these."""
    return isinstance(plain, dict) and plain["$"] in ("model", "scripted_clock", "scripted_functions")


def is_model(plain) -> bool:
    return isinstance(plain, dict) and plain["$"] == "model"


def make(plain: dict, machine: Machine):
    """The actual object."""
    if plain["$"] == "model":
        fields = ("config", "seed", "spread")
        spec = TutorSpec() if plain["v"] is None else ModelSpec(**dict(zip(fields, plain["v"])))
        return spec.build()
    return machine.clock if plain["$"] == "scripted_clock" else machine.functions(*plain["v"])


def weights_of(model) -> list:
    """The weight matrices of a Mini-GPT, layer by layer, the embedding last."""
    per_layer = [(layer.qkv, layer.attention_out, layer.gate_up, layer.down) for layer in model.layers]
    return [weight for layer in per_layer for weight in layer] + [model.embedding]


@contextmanager
def counting(model):
    """Count, while this lasts, in how many products each weight matrix of the model is used: a list, in order."""
    from torch.overrides import TorchFunctionMode

    products = {"mm", "addmm", "matmul", "__matmul__", "__rmatmul__", "mv", "addmv", "bmm", "baddbmm", "linear", "einsum"}
    places = {weight.data_ptr(): place for place, weight in enumerate(weights_of(model))}
    counts = [0] * len(places)

    class Counter(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            if getattr(function, "__name__", "") in products:
                pointers = {each.data_ptr() for each in args if hasattr(each, "data_ptr")}  # views share a pointer
                for pointer in pointers & places.keys():
                    counts[places[pointer]] += 1
            return function(*args, **(kwargs or {}))

    with Counter():
        yield counts
