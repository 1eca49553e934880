"""A right solution in another form is right: other mappings, sequences, numbers, errors, and another kind of file."""

import pytest

from minigpt import paths
from tests.grader_tests.test_reference_and_skeleton import graded

pytestmark = pytest.mark.slow

HEAD = """


import collections, dataclasses, decimal, fractions, statistics, types
import numpy

Pair = collections.namedtuple("Pair", "first second")

@dataclasses.dataclass
class Three:
    L: float
    rate: float
    stay: float

class NoValues(statistics.StatisticsError):
    pass

def into(make, function):
    def wrapped(*args):
        try:
            return make(function(*args))
        except ValueError as error:
            raise NoValues(*error.args) from None
    return wrapped

def unpacked(make):
    return lambda values: make(*values)
"""
# What each function's result goes through, lab by lab.
FORMS = {
    "01": """
remember = into(unpacked(Pair), remember)
time_fairly = into(collections.OrderedDict, time_fairly)
p95 = into(numpy.float64, p95)
fit_line = into(list, fit_line)
batch_for_share = into(fractions.Fraction, batch_for_share)
""",
    "02": """
collect_batch = into(collections.deque, collect_batch)
latency_report = into(types.MappingProxyType, latency_report)
wasted_slot_share = into(lambda found: collections.defaultdict(float, found), wasted_slot_share)
""",
    "03": """
decode_one_step = into(frozenset, decode_one_step)
p95_s = into(numpy.float64, p95_s)
reduction_interval = into(unpacked(Pair), reduction_interval)
""",
    "04": """
rate_and_mean_stay = into(unpacked(Pair), rate_and_mean_stay)
mean_number = into(numpy.float64, mean_number)
sample_the_law = into(unpacked(Three), sample_the_law)
throughput_per_s = into(fractions.Fraction, throughput_per_s)
kv_bytes_per_token = into(numpy.int64, kv_bytes_per_token)
sequences_that_fit = into(float, sequences_that_fit)
plan = into(lambda found: [numpy.int64(each) for each in found], plan)
""",
    "05": """
class BlockManager(BlockManager):
    def __init__(self, num_blocks, block_size):
        self.block_size, self.tables, self.lengths = block_size, collections.defaultdict(collections.deque), {}
        self.free_blocks = set(range(num_blocks))
    def allocate(self, request_id, num_tokens):
        needed = -(-num_tokens // self.block_size)
        if needed <= len(self.free_blocks):
            self.tables[request_id].extend(self.free_blocks.pop() for _ in range(needed))
            self.lengths[request_id] = num_tokens
        return numpy.bool_(request_id in self.tables)
    def append(self, request_id):
        if self.lengths[request_id] == len(self.tables[request_id]) * self.block_size:
            if not self.free_blocks:
                return False
            self.tables[request_id].append(self.free_blocks.pop())
        self.lengths[request_id] += 1
        return True
    def free(self, request_id):
        if request_id not in self.tables:
            raise NoValues(request_id)
        self.free_blocks.update(self.tables.pop(request_id))
        del self.lengths[request_id]
    def place(self, request_id, position):
        entry, offset = divmod(position, self.block_size)
        return Pair(self.tables[request_id][entry], numpy.int64(offset))
plan_step = into(lambda plan: tuple(list(part) for part in plan), plan_step)
place_in_line = into(unpacked(Pair), place_in_line)
survey = into(lambda found: types.MappingProxyType({name: collections.OrderedDict(found[name]) for name in found}), survey)
""",
    "06": """
import hashlib
def block_keys(token_ids, block_size):
    last, keys = "", []
    for number in range(len(token_ids) // block_size):
        text = f"{last} {list(token_ids[number * block_size:(number + 1) * block_size])}"
        last = hashlib.sha256(text.encode()).hexdigest()
        keys.append(last)
    return tuple(keys)
class PrefixCache(PrefixCache):
    def __init__(self, num_blocks):
        super().__init__(num_blocks)
        self.idle, self.free_blocks = collections.OrderedDict(), collections.UserList(range(num_blocks))
        self.num_holders = collections.Counter(dict.fromkeys(range(num_blocks), 0))
    def share(self, request_id, keys):
        self.tables[request_id] = collections.UserList()
        while len(self.tables[request_id]) < len(keys) and keys[len(self.tables[request_id])] in self.block_of:
            self.tables[request_id].append(self.block_of[keys[len(self.tables[request_id])]])
        self.num_holders.update(self.tables[request_id])
        self.idle = collections.OrderedDict((block, None) for block in self.idle if block not in self.tables[request_id])
        return numpy.int64(len(self.tables[request_id]))
    def free(self, request_id):
        for block in list(self.tables.pop(request_id))[::-1]:
            self.num_holders[block] -= 1
            if not self.num_holders[block]:
                self.free_blocks.insert(0, block) if block not in self.key_of else self.idle.update({block: None})
propose = into(tuple, propose)
accept = into(lambda both: Pair(tuple(both[0]), numpy.int64(both[1])), accept)
""",
}


@pytest.mark.parametrize("number", FORMS)
def test_other_collections_and_numbers_are_right(number, tmp_path):
    lab, file = paths.resolve_lab(number), tmp_path / "math.py"
    text = paths.solution_file(lab).read_text(encoding="utf-8")
    file.write_bytes(("# coding: latin-1\n# ¡año!\n" + text.encode("ascii", "ignore").decode() + HEAD
                      + FORMS[number]).encode("latin-1"))
    report = graded(lab, file, tmp_path, "--scripted")
    assert [check for check in report["checks"] if check["outcome"] != "passed"] == []
