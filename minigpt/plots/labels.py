"""Placing direct labels so that none covers another."""


def spread_apart(wanted: list[float], gap: float) -> list[float]:
    """Positions at least `gap` apart, in the order of the wanted ones and as near to them as moving groups allows.

    >>> spread_apart([5, 5], gap=2)
    [4.0, 6.0]
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    groups: list[tuple[float, list[int]]] = []  # (centre, members in order)
    for i in order:
        centre, members = float(wanted[i]), [i]
        # A group that reaches into the one below joins it: both then share a centre.
        while groups and centre - groups[-1][0] < gap * (len(members) + len(groups[-1][1])) / 2:
            below_centre, below = groups.pop()
            centre = (below_centre * len(below) + centre * len(members)) / (len(below) + len(members))
            members = below + members
        groups.append((centre, members))
    placed = [0.0] * len(wanted)
    for centre, members in groups:
        for rank, i in enumerate(members):
            placed[i] = centre + gap * (rank - (len(members) - 1) / 2)
    return placed
