"""What the page at / shows: the requests in flight, slot by slot, the queue, and p95; as server-sent events."""

import asyncio
import threading
import weakref
from pathlib import Path

from starlette.responses import HTMLResponse, StreamingResponse

from minigpt.extras.server.answer import Answer
from minigpt.extras.server.answer_text import server_sent
from minigpt.extras.server.live_state import Occupant
from minigpt.extras.server.metrics import ServerMetrics

PAGE = Path(__file__).with_name("live_page.html")
FRAME_S = 0.2
SHOWN_CHARACTERS = 160  # of an answer, its end


class LivePage:
    """The page, and the stream of frames that it reads."""

    def __init__(self, engine, metrics: ServerMetrics, policy: str, is_closing: threading.Event):
        self._engine, self._metrics, self._policy, self._is_closing = engine, metrics, policy, is_closing
        self._answers: weakref.WeakValueDictionary[int, Answer] = weakref.WeakValueDictionary()

    def follow(self, answer: Answer) -> None:
        """Also show the text of this answer while it is in flight."""
        for handle in answer.handles:
            self._answers[handle.request_id] = answer

    def page(self) -> HTMLResponse:
        return HTMLResponse(PAGE.read_text(encoding="utf-8"), headers={"cache-control": "no-store"})

    def frames(self) -> StreamingResponse:
        return StreamingResponse(self._frames(), media_type="text/event-stream", headers={"cache-control": "no-store"})

    async def _frames(self):
        last = None
        # A page left open must not keep the server from ending.
        while not self._is_closing.is_set():
            frame = self.frame()
            yield server_sent(frame) if frame != last else b": \n\n"  # a comment, to find out whether the client is still there
            last = frame
            await asyncio.sleep(FRAME_S)

    def frame(self) -> dict:
        """The current state, as plain data."""
        state, load, p95_s = self._engine.state, self._engine.load, self._metrics.recent_p95_s()
        return {
            "policy": self._policy, "state": state.name, "reason": state.reason, "num_waiting": load.num_waiting,
            "num_inflight": load.num_inflight, "num_slots": load.num_kv_slots_total,
            "num_answers": len(self._metrics.recent_e2e_s), "p95_ms": None if p95_s is None else round(1e3 * p95_s, 1),
            "requests": [self._request(each) for each in load.occupants],
        }

    def _request(self, occupant: Occupant) -> dict:
        answer = self._answers.get(occupant.request_id)
        ids = [handle.request_id for handle in answer.handles] if answer else []
        text = answer.text.choices[ids.index(occupant.request_id)].text if occupant.request_id in ids else ""
        return {
            "id": occupant.request_id, "slot": occupant.slot, "num_prompt_tokens": occupant.num_prompt_tokens,
            "num_output_tokens": occupant.num_output_tokens, "max_tokens": occupant.max_tokens,
            "has_ended": occupant.has_ended, "text": text[-SHOWN_CHARACTERS:],
        }
