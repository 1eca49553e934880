"""Finding the loops that serve: given ones by name, the student's or the reference's by path, always reloaded."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from minigpt import paths
from minigpt.schedulers import continuous, lab_file, paged, static

IMPLEMENTATIONS = ("student", "solution")  # what a command's --impl and MINIGPT_IMPL may name
GIVEN = "given"  # the baselines in this folder, which neither a student's file nor a reference can change


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A scheduling policy: where its loop is written, and whether its server streams tokens."""

    name: str
    lab: str
    function: str
    streams: bool  # a static server answers at the end
    given: Callable  # the loop of this folder


POLICIES = {
    policy.name: policy
    for policy in (
        Policy(name="static", lab="02", function="static_batch_loop", streams=False,
               given=static.static_batch_loop),
        Policy(name="continuous", lab="03", function="continuous_batch_loop", streams=True,
               given=continuous.continuous_batch_loop),
    )
}


PRODUCTION = Policy(
    name="production", lab="05", function="production_loop", streams=True, given=paged.production_loop
)


def implementation() -> str:
    """Whose code notebooks and commands use: as MINIGPT_IMPL says, else the student's."""
    name = os.environ.get("MINIGPT_IMPL", "student") or "student"
    if name not in IMPLEMENTATIONS:
        raise ValueError(f"MINIGPT_IMPL={name!r}: choose one of {', '.join(IMPLEMENTATIONS)}")
    return name


def code_file(lab: str, impl: str) -> Path:
    """The file of a lab's code: the student's own (made from the skeleton if missing) or the reference."""
    folder = paths.resolve_lab(lab)
    if impl == "solution":
        return paths.solution_file(folder)
    paths.ensure_student_file(folder)
    return paths.student_file(folder)


def find_policy(name: str) -> Policy:
    """A policy by its name."""
    if name not in POLICIES:
        raise ValueError(f"policy={name!r}: choose one of {', '.join(POLICIES)}")
    return POLICIES[name]


def load_loop(policy: Policy, impl: str) -> Callable:
    """The loop of a policy: given, the student's or the reference's."""
    if impl == GIVEN:
        return policy.given
    return getattr(lab_file.load(code_file(policy.lab, impl)), policy.function)
