"""Lab 06 (optional), beyond batching: small versions of what engines have added since.

Functions and two classes; the loops that use them are given (minigpt/schedulers, minigpt/runtime/paged). No exercise needs
one that comes after it, and each of the five parts stands on its own.
"""

from minigpt.schedulers.in_line import ByClient, ByPrediction, serve_in_line

# -- 1: a shared beginning, computed once ----------------------------------------------------------------------------


def block_keys(token_ids, block_size):
    """Return a key for each full block of `token_ids`, in order: two blocks have the same key if and only if all tokens up
    to the end of each are the same.

    A key is a whole number or a string, of the same size however long the prompt is. `hash((a, b))` combines several
    numbers into one; it takes tuples of numbers, not lists. Tokens that do not fill a block have no key.
    """
    # BEGIN SOLUTION 6.1
    keys, key = [], 0
    for start in range(0, len(token_ids) - block_size + 1, block_size):
        key = hash((key, *token_ids[start : start + block_size]))
        keys.append(key)
    return keys
    # END SOLUTION


class PrefixCache:
    """Blocks that sequences share. At any moment each of them is held by sequences, idle or free.

    A sequence holds the blocks in its table, and a block may be in several tables. A block that can be found by a key but
    is not held is idle: its keys and values stay until the memory is needed.
    """

    def __init__(self, num_blocks):
        self.free_blocks = list(range(num_blocks))  # they hold nothing useful
        self.tables = {}  # request id -> its blocks, in the order of its tokens
        self.num_holders = [0] * num_blocks  # of each block: how many tables it is in
        self.block_of = {}  # key -> the block that can be found by it
        self.key_of = {}  # the reverse: block -> key
        self.idle = {}  # block -> None: a dict keeps its order, and the longest unused comes first

    def share(self, request_id, keys):
        """Start a sequence with the blocks that already hold its beginning, and return how many there are.

        These are the blocks found by `keys`, in order, up to the first key that is not found. Each gets one more
        holder, and a block that is held is not in `idle`. They become the sequence's table.
        """
        # BEGIN SOLUTION 6.2
        table = []
        for key in keys:
            if key not in self.block_of:
                break
            block = self.block_of[key]
            self.num_holders[block] += 1
            self.idle.pop(block, None)
            table.append(block)
        self.tables[request_id] = table
        return len(table)
        # END SOLUTION

    def free(self, request_id):
        """The sequence leaves: each of its blocks loses one holder.

        Of those that are no longer held, the ones that can be found become idle and the others free. The last block
        of a sequence becomes idle first: it is of no use without those before it, so it has to be evicted before them.
        """
        # BEGIN SOLUTION 6.3
        for block in reversed(self.tables.pop(request_id)):
            self.num_holders[block] -= 1
            if self.num_holders[block] == 0 and block in self.key_of:
                self.idle[block] = None
            elif self.num_holders[block] == 0:
                self.free_blocks.append(block)
        # END SOLUTION

    def publish(self, request_id, keys):
        """Given: the sequence's first blocks, one for each of `keys`, are computed and full: they can be found from now on.

        A key belongs to one block and a block to one key: the one published first stays.
        """
        for block, key in zip(self.tables[request_id], keys):
            if key not in self.block_of and block not in self.key_of:
                self.block_of[key] = block
                self.key_of[block] = key

    def grow(self, request_id, num_blocks):
        """Given: a sequence gets blocks of its own until it has `num_blocks`. True, or False if there are too few."""
        table = self.tables.setdefault(request_id, [])
        missing = num_blocks - len(table)
        if missing > len(self.free_blocks) + len(self.idle):
            return False
        for _ in range(missing):
            block = self.free_blocks.pop(0) if self.free_blocks else self.evict()
            self.num_holders[block] = 1
            table.append(block)
        return True

    def evict(self):
        """Given: give up the block that has been idle the longest, and return it: from now on it cannot be found."""
        block = next(iter(self.idle))
        del self.idle[block]
        del self.block_of[self.key_of.pop(block)]
        return block


# -- 2: guess several tokens, check them in one pass -------------------------------------------------------------------


def propose(token_ids, num_tokens, longest=3):
    """Guess up to `num_tokens` next tokens: those that followed an earlier occurrence of the sequence's last tokens.

    Take the last `longest` tokens and look for the same ones at an earlier place; if there are several, use the
    latest. If there is none, take the last `longest` − 1, and so on down to the last token alone. If that is new too,
    return [].
    """
    # BEGIN SOLUTION 6.4
    for length in range(longest, 0, -1):
        ending = token_ids[-length:]
        for start in range(len(token_ids) - length - 1, -1, -1):
            if token_ids[start : start + length] == ending:
                return token_ids[start + length : start + length + num_tokens]
    return []
    # END SOLUTION


def accept(guesses, choices):
    """Return what a sequence keeps from a pass that checked `guesses`: (its new tokens, how many entries the cache drops).

    `choices` has one token more than `guesses`: choices[j] is what the model says after the first j guesses. Guesses are
    kept up to the first that the model would not have said; there, the model's choice counts. The pass has put keys and
    values of all guesses into the cache, and those of guesses that are not kept have to be dropped.
    """
    # BEGIN SOLUTION 6.5
    num_right = 0
    while num_right < len(guesses) and guesses[num_right] == choices[num_right]:
        num_right += 1
    return choices[: num_right + 1], len(guesses) - num_right
    # END SOLUTION


# -- 3, 4, 5: who goes first, fair to clients, two kinds of machines -------------------------------------------------


def next_in_line(predicted, overtaken, most_overtaken):
    """Return the index (from 0) of the request to admit next. Both lists are in order of arrival.

    `predicted[i]` says how long request i is likely to take: the shortest goes first; in a tie, the one that came first.
    `overtaken[i]` says how often it has been overtaken: how many that came later were admitted before it. No request may
    be overtaken more than `most_overtaken` times; if that is None, there is no limit.
    """
    # BEGIN SOLUTION 6.6
    if most_overtaken is not None and overtaken[0] >= most_overtaken:
        return 0
    return predicted.index(min(predicted))
    # END SOLUTION


class TokenCounters:
    """Virtual token counters: how much service each client has had, and whose turn it is. A client is a name.

    Service is counted in tokens: those of a prompt `prompt_weight` each, those of an answer `output_weight` each.
    """

    def __init__(self, prompt_weight, output_weight):
        self.prompt_weight, self.output_weight = prompt_weight, output_weight
        self.service = {}  # client -> its counter
        self.num_waiting = {}  # client -> its requests in the queue
        self.last_to_leave = None  # the client whose last waiting request left the queue most recently

    def arrive(self, client):
        """One of the client's requests joins the queue.

        If the client has none there yet, its counter is lifted first: to the lowest counter of the waiting clients or, if
        none waits, to that of the client that left the queue last. A counter starts at 0 and is never lowered.
        """
        # BEGIN SOLUTION 6.7
        here = [self.service[other] for other, number in self.num_waiting.items() if number]
        if not self.num_waiting.get(client):
            floor = min(here) if here else self.service.get(self.last_to_leave, 0)
            self.service[client] = max(self.service.get(client, 0), floor)
        self.num_waiting[client] = self.num_waiting.get(client, 0) + 1
        # END SOLUTION

    def next_client(self):
        """Return the client with the lowest counter of those that wait in the queue; ties are broken alphabetically."""
        # BEGIN SOLUTION 6.7
        return min((client for client, number in self.num_waiting.items() if number), key=lambda c: (self.service[c], c))
        # END SOLUTION

    def admit(self, client, num_prompt_tokens):
        """One of the client's requests leaves the queue, and its prompt is processed."""
        # BEGIN SOLUTION 6.7
        self.service[client] += self.prompt_weight * num_prompt_tokens
        self.num_waiting[client] -= 1
        if self.num_waiting[client] == 0:
            self.last_to_leave = client
        # END SOLUTION

    def count_token(self, client):
        """One of the client's requests in flight has received one output token."""
        # BEGIN SOLUTION 6.7
        self.service[client] += self.output_weight
        # END SOLUTION


def split_machines(num_machines, lengths, cost, link, in_flight):
    """Divide machines between prefill and decode: return (prefill machines, decode machines, requests per second).

    `lengths` are pairs (prompt tokens, steps). A prefill machine processes one prompt after another, and meanwhile its
    link sends the keys and values of the one before: its pace is that of the slower of the two. A decode machine runs
    the other steps of `in_flight` requests together. Take the split that completes the most; in a tie, the one with fewer
    prefill machines. `cost` and `link` are dictionaries of nanoseconds. `cost` has prefill_overhead_ns (of a prompt),
    per_prefill_token_ns, step_overhead_ns (of a decode step), per_sequence_ns (of each request in it) and
    per_context_token_ns.
    """
    # BEGIN SOLUTION 6.8
    prompt = sum(tokens for tokens, _ in lengths) / len(lengths)
    decodes = sum(steps - 1 for _, steps in lengths) / len(lengths)
    compute_ns = cost["prefill_overhead_ns"] + cost["per_prefill_token_ns"] * prompt
    send_ns = link["per_request_ns"] + link["per_token_ns"] * prompt
    decode_ns = decodes * (cost["step_overhead_ns"] / in_flight + cost["per_sequence_ns"])
    decode_ns += cost["per_context_token_ns"] * mean_attended(lengths)

    def per_s(num_prefill):
        return 1e9 * min(num_prefill / max(compute_ns, send_ns), (num_machines - num_prefill) / decode_ns)

    best = max(range(1, num_machines), key=per_s)
    return best, num_machines - best, per_s(best)
    # END SOLUTION


def route(way, in_flight, cached_tokens, drawn, most_ahead):
    """Return the index (from 0) of the replica that a request goes to; in a tie, the lowest index.

    `in_flight[i]` is how many requests are inside replica i, `cached_tokens[i]` how many tokens of this prompt its
    cache holds. `way` says how to choose: "least" takes the replica with the fewest in flight; "two" the one with fewer
    of the two in `drawn`, which were drawn at random. "prefix" takes, of the replicas that hold most of the prompt, the
    one with the fewest in flight; but if that has over `most_ahead` more than the least busy of all, it takes the least
    busy one.
    """
    # BEGIN SOLUTION 6.9
    def fewest(places):
        return min(places, key=lambda place: (in_flight[place], place))

    if way == "two":
        return fewest(drawn)
    least = fewest(range(len(in_flight)))
    if way == "least":
        return least
    holder = fewest(place for place, tokens in enumerate(cached_tokens) if tokens == max(cached_tokens))
    return holder if in_flight[holder] <= in_flight[least] + most_ahead else least
    # END SOLUTION


# -- given: loops that call your functions, and a sum from Lab 04 ----------------------------------------------------


def shortest_first_loop(server, predicted, most_overtaken):
    """Serve in the order of your `next_in_line`; `predicted` maps each request_id to a prediction."""
    serve_in_line(server, ByPrediction(next_in_line, predicted, most_overtaken))


def fair_loop(server, client_of):
    """Serve by your `TokenCounters`; `client_of` maps each request_id to its client."""
    serve_in_line(server, ByClient(TokenCounters(prompt_weight=1, output_weight=2), client_of))


def mean_attended(lengths):
    """Return how many tokens the decode steps of a request attend to in all: the mean over the requests.

    Step k = 2 … n attends to prompt + k − 1 of them.
    """
    return sum((steps - 1) * prompt + steps * (steps - 1) / 2 for prompt, steps in lengths) / len(lengths)
