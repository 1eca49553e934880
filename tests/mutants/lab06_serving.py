"""Wrong answers to the second half of Lab 06: order, fairness, two kinds of machines, routing."""

from tests.mutants.mutant import Mutant

BOUND = "    if most_overtaken is not None and overtaken[0] >= most_overtaken:\n        return 0\n"
SHORTEST = "return predicted.index(min(predicted))"
LIFT = "            self.service[client] = max(self.service.get(client, 0), floor)"
FLOOR = "floor = min(here) if here else self.service.get(self.last_to_leave, 0)"
HERE = "here = [self.service[other] for other, number in self.num_waiting.items() if number]"
NEW_HERE = "        if not self.num_waiting.get(client):\n"
TURN = "return min((client for client, number in self.num_waiting.items() if number), key=lambda c: (self.service[c], c))"
PROMPT = "self.service[client] += self.prompt_weight * num_prompt_tokens"
TOKEN = "self.service[client] += self.output_weight"
DECODES = "decodes = sum(steps - 1 for _, steps in lengths) / len(lengths)"
SHARE = 'decodes * (cost["step_overhead_ns"] / in_flight + cost["per_sequence_ns"])'
CONTEXT = '    decode_ns += cost["per_context_token_ns"] * mean_attended(lengths)\n'
SLOWER = "max(compute_ns, send_ns)"
PER_S = "return 1e9 * min(num_prefill / max(compute_ns, send_ns), (num_machines - num_prefill) / decode_ns)"
BEST = "best = max(range(1, num_machines), key=per_s)"
FEWEST = "return min(places, key=lambda place: (in_flight[place], place))"
TWO = "return fewest(drawn)"
HOLDER = "holder = fewest(place for place, tokens in enumerate(cached_tokens) if tokens == max(cached_tokens))"
AFFINE = "return holder if in_flight[holder] <= in_flight[least] + most_ahead else least"

ORDER = (
    Mutant(name="the prediction instead of its place", old=SHORTEST, new="return min(predicted)", check="6.6/shortest",
           hint="not an index"),
    Mutant(name="the longest first", old=SHORTEST, new="return predicted.index(max(predicted))", check="6.6/shortest",
           hint="shortest prediction goes first"),
    Mutant(name="the last of equals", old=SHORTEST, check="6.6/shortest", hint="the one that came first goes first",
           new="return min(range(len(predicted)), key=lambda i: (predicted[i], -i))"),
    Mutant(name="first come, first served", old=BOUND + "    " + SHORTEST, new="    return 0", check="6.6/no_starvation",
           hint="corrections should overtake"),
    Mutant(name="one time too many", old="overtaken[0] >= most_overtaken", new="overtaken[0] > most_overtaken",
           check="6.6/bound", hint="once more would be too many"),
    Mutant(name="a bound of 0 taken for none", old="if most_overtaken is not None and", new="if most_overtaken and",
           check="6.6/bound", hint="Test `is None`"),
    Mutant(name="no bound", old=BOUND, new="", check="6.6/bound", hint="the limit is not kept"),
    Mutant(name="starved all the same", old=BOUND, new="", check="6.6/no_starvation", hint="the limit holds for every request"),
    Mutant(name="the shortest of those at the bound", old="        return 0\n", check="6.6/bound", hint="not the shortest of them",
           new="        return min((i for i, n in enumerate(overtaken) if n >= most_overtaken), key=lambda i: predicted[i])\n"),
)

FAIR = (
    Mutant(name="prompts are free", old=PROMPT, new="pass", check="6.7/counts", hint="prompts count as well"),
    Mutant(name="answers are free", old=TOKEN, new="pass", check="6.7/counts", hint="output counts as well"),
    Mutant(name="one weight for all tokens", old=TOKEN, new="self.service[client] += self.prompt_weight", check="6.7/counts",
           hint="output_weight, not prompt_weight"),
    Mutant(name="a prompt counted once, however long", old=PROMPT, new="self.service[client] += self.prompt_weight", check="6.7/counts",
           hint="a long prompt is more service"),
    Mutant(name="prompts not weighted", old=PROMPT, new="self.service[client] += num_prompt_tokens", check="6.7/counts",
           hint="not always 1"),
    Mutant(name="answers not weighted", old=TOKEN, new="self.service[client] += 1", check="6.7/counts", hint="output_weight, not 1"),
    Mutant(name="the client with most", old=TURN, new=TURN.replace("min(", "max("), check="6.7/counts", hint="not the highest"),
    Mutant(name="the flood goes first", old=TURN, new=TURN.replace("min(", "max("), check="6.7/flood", hint="hardly notice"),
    Mutant(name="clients who do not wait", old=TURN, new="return min(self.service, key=lambda c: (self.service[c], c))",
           check="6.7/lifts", hint="with a request in the queue"),
    Mutant(name="a claim to what was missed", old=LIFT, new="            self.service.setdefault(client, 0)", check="6.7/lifts",
           hint="comes back with a low counter"),
    Mutant(name="no lift where nobody waits", old=FLOOR, new="floor = min(here) if here else 0", check="6.7/lifts",
           hint="that left the queue last"),
    Mutant(name="lifted to the lowest of all", old=FLOOR, new="floor = min(here) if here else min(self.service.values(), default=0)",
           check="6.7/lifts", hint="not to the lowest of all"),
    Mutant(name="lifted to the highest", old=FLOOR, new=FLOOR.replace("min(here)", "max(here)"), check="6.7/lifts",
           hint="to the lowest counter of the waiting clients"),
    Mutant(name="lowered as well", old=LIFT, new="            self.service[client] = floor if here else max(self.service.get(client, 0), floor)",
           check="6.7/lifts", hint="never lowered"),
    Mutant(name="lifted at every arrival", old=HERE + "\n" + NEW_HERE, check="6.7/lifts", hint="nothing in the queue yet",
           new=HERE.replace("if number]", "if number and other != client]") + "\n        if True:\n"),
)

SPLIT = (
    Mutant(name="the first step decoded as well", old=DECODES, new=DECODES.replace("steps - 1", "steps"),
           check="6.8/best_division", hint="n − 1 are left"),
    Mutant(name="a step for each request", old=SHARE, new=SHARE.replace(" / in_flight", ""), check="6.8/best_division",
           hint="all requests in flight share one step"),
    Mutant(name="no context", old=CONTEXT, new="", check="6.8/best_division", hint="the context is missing"),
    Mutant(name="compute, then send", old=SLOWER, new="(compute_ns + send_ns)", check="6.8/best_division", hint="not their sum"),
    Mutant(name="a link that costs nothing", old=SLOWER, new="compute_ns", check="6.8/slow_link", hint="the link is missing"),
    Mutant(name="both kinds added up", old=PER_S, new=PER_S.replace("min(num_prefill / max(compute_ns, send_ns),", "(num_prefill / max(compute_ns, send_ns) +"),
           check="6.8/best_division", hint="not the sum"),
    Mutant(name="the faster kind decides", old=PER_S, new=PER_S.replace("min(", "max("), check="6.8/best_division", hint="not max"),
    Mutant(name="a row for all in flight", old=SHARE, check="6.8/best_division", hint="not multiplied by in_flight",
           new=SHARE.replace('cost["per_seq', 'in_flight * cost["per_seq')),
    Mutant(name="the context once more for each step", old=CONTEXT, new=CONTEXT.replace("* mean", "* decodes * mean"),
           check="6.8/best_division", hint="already adds up"),
    Mutant(name="half and half", old=BEST, new="best = num_machines // 2", check="6.8/replayed", hint="what limits this fleet"),
    Mutant(name="requests a nanosecond", old=PER_S, new=PER_S.replace("1e9 * ", ""), check="6.8/replayed",
           hint="queue is never empty"),
    Mutant(name="requests a nanosecond, on paper", old=PER_S, new=PER_S.replace("1e9 * ", ""), check="6.8/best_division",
           hint="nanoseconds"),
)

ROUTING = (
    Mutant(name="the number instead of the place", old="    if way == \"two\":\n", check="6.9/least", hint="return the index",
           new="    if way == \"least\":\n        return min(in_flight)\n    if way == \"two\":\n"),
    Mutant(name="the last of equals", old=FEWEST, new="return min(places, key=lambda place: (in_flight[place], -place))",
           check="6.9/least", hint="the lowest index"),
    Mutant(name="the busier of two", old=TWO, new="return max(drawn, key=lambda place: in_flight[place])", check="6.9/two",
           hint="with fewer requests in flight"),
    Mutant(name="the first that was drawn", old=TWO, new="return drawn[0]", check="6.9/two", hint="the one with fewer in flight"),
    Mutant(name="of equals, the one drawn first", old=TWO, new="return min(drawn, key=lambda place: in_flight[place])", check="6.9/two",
           hint="whichever was drawn first"),
    Mutant(name="two, but of all", old=TWO, new="return fewest(range(len(in_flight)))", check="6.9/two", hint="asks only the two"),
    Mutant(name="the place in the pair", old=TWO, new="return list(drawn).index(fewest(drawn))", check="6.9/two", hint="drawn[0] or drawn[1]"),
    Mutant(name="affinity without a bound", old=AFFINE, new="return holder", check="6.9/prefix", hint="affinity without a limit"),
    Mutant(name="a bound from the mean", old=AFFINE, check="6.9/prefix", hint="not from the mean",
           new=AFFINE.replace("in_flight[least]", "sum(in_flight) / len(in_flight)")),
    Mutant(name="a bound that is one too tight", old=AFFINE, new=AFFINE.replace("<=", "<"), check="6.9/prefix",
           hint="is still allowed"),
    Mutant(name="the first holder, however busy", old=HOLDER, new="holder = list(cached_tokens).index(max(cached_tokens))",
           check="6.9/prefix", hint="hold the same amount of the prompt"),
    Mutant(name="anybody who holds a piece", old=HOLDER, check="6.9/prefix", hint="not all that hold some of it",
           new="holder = fewest(place for place, tokens in enumerate(cached_tokens) if tokens or not any(cached_tokens))"),
    Mutant(name="caches are not asked", old=HOLDER, new="holder = least", check="6.9/fleet", hint="the replica that has its prefix"),
)

MUTANTS = (*ORDER, *FAIR, *SPLIT, *ROUTING)
