"""Notices a loop, or a whole process, that has gone silent while it should do something."""

MOST_A_LOOK_S = 1.0  # of silence that one look can add: a machine that slept, or a process that was stopped, does not hang


class Watchdog:
    """Counts how long nothing has happened.

    It knows nothing about policies. A row that has ended and rides along, or a request that a scheduler holds back in a
    list of its own, is not hung while *any* request gets a step: their order is up to the policy.
    """

    def __init__(self, hang_s: float):
        self.hang_s = hang_s
        self._quiet_s, self._has_moved = 0.0, False

    def moved(self) -> None:
        """Something happened; called by the thread that is watched."""
        self._has_moved = True

    def look(self, passed_s: float, is_awaited: bool) -> bool:
        """Whether it hangs, `passed_s` seconds after the last look; `is_awaited`: there is work to do."""
        if self._has_moved or not is_awaited:
            self._has_moved, self._quiet_s = False, 0.0
        else:
            self._quiet_s += min(passed_s, MOST_A_LOOK_S)
        return self._quiet_s > self.hang_s

    @property
    def interval_s(self) -> float:
        """How often to look."""
        return min(MOST_A_LOOK_S / 2, self.hang_s / 4)
