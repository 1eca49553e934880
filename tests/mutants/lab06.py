"""Wrong answers to Lab 06, each with a mistake that is easy to make."""

from tests.mutants import by_hand, first_message, fresh, lab06_serving
from tests.mutants.mutant import Mutant

CHAIN = "key = hash((key, *token_ids[start : start + block_size]))"
SHARED = """            self.num_holders[block] += 1
            self.idle.pop(block, None)
"""
NOT_FOUND = """            if key not in self.block_of:
                break
"""
LEAVING = """        for block in reversed(self.tables.pop(request_id)):
            self.num_holders[block] -= 1
            if self.num_holders[block] == 0 and block in self.key_of:
                self.idle[block] = None
            elif self.num_holders[block] == 0:
                self.free_blocks.append(block)
"""
LENGTHS = "for length in range(longest, 0, -1):"
STARTS = "for start in range(len(token_ids) - length - 1, -1, -1):"
FOLLOWING = "return token_ids[start + length : start + length + num_tokens]"
RIGHT = "while num_right < len(guesses) and guesses[num_right] == choices[num_right]:"
KEPT = "return choices[: num_right + 1], len(guesses) - num_right"
FULL_BLOCKS = "range(0, len(token_ids) - block_size + 1, block_size)"

MUTANTS = (
    Mutant(
        name="a partial block gets a key", old=FULL_BLOCKS, new="range(0, len(token_ids), block_size)",
        check="6.1/full_blocks_only", hint="do not fill a block",
    ),
    Mutant(
        name="the last full block left out", old=FULL_BLOCKS, new="range(0, len(token_ids) - block_size, block_size)",
        check="6.1/full_blocks_only", hint="one key for each full block",
    ),
    Mutant(
        name="a block hashed by its own tokens alone", old=CHAIN,
        new="key = hash(tuple(token_ids[start : start + block_size]))", check="6.1/other_beginning", hint="chain the keys",
    ),
    Mutant(
        name="tokens added up, in any order", old=CHAIN,
        new="key = hash((key, sum(token_ids[start : start + block_size])))", check="6.1/other_beginning",
        hint="all tokens of its block",
    ),
    Mutant(
        name="the first token of a block alone", old=CHAIN, new="key = hash((key, token_ids[start]))",
        check="6.1/other_beginning", hint="all tokens of its block",
    ),
    Mutant(
        name="the whole prompt in every key", old=CHAIN, new="key = hash((start, *token_ids))",
        check="6.1/same_beginning", hint="not on what comes after",
    ),
    Mutant(
        name="all tokens spelled out", old=CHAIN, new='key = f"{key},{token_ids[start : start + block_size]}"',
        check="6.1/stay_small", hint="grows with them",
    ),
    Mutant(
        name="a gap is skipped", old=NOT_FOUND, new=NOT_FOUND.replace("break", "continue"), check="6.2/stops_at_a_gap",
        hint="at the first key that is not found",
    ),
    Mutant(
        name="the first block alone is shared", old="            table.append(block)\n        self.tables[request_id] = table",
        new="            table.append(block)\n            break\n        self.tables[request_id] = table",
        check="6.2/shares_the_beginning", hint="while they are found",
    ),
    Mutant(
        name="all keys counted, not those found", old="        self.tables[request_id] = table\n        return len(table)",
        new="        self.tables[request_id] = table\n        return len(keys)", check="6.2/shares_the_beginning", hint="how many",
    ),
    Mutant(
        name="nobody counts a new holder", old="            self.num_holders[block] += 1\n", new="", check="6.2/counts_holders",
        hint="one more holder",
    ),
    Mutant(
        name="one holder, however many", old="self.num_holders[block] += 1", new="self.num_holders[block] = 1",
        check="6.2/counts_holders", hint="counts the tables",
    ),
    Mutant(
        name="no table where nothing is shared", old="        self.tables[request_id] = table\n        return len(table)",
        new="        if table:\n            self.tables[request_id] = table\n        return len(table)",
        check="6.2/stops_at_a_gap", hint="has an empty table",
    ),
    Mutant(
        name="one dict of idle blocks for all caches", check="6.2/takes_out_of_idle", hint="is shared by all objects",
        old="        self.idle = {}  #", new="\n    idle = {}  #",
    ),
    Mutant(
        name="shared and still idle", old=SHARED, new="            self.num_holders[block] += 1\n",
        check="6.3/found_while_idle", hint="share removes each block",
    ),
    Mutant(
        name="idle with its last but one holder", old=LEAVING, check="6.3/until_the_last_leaves", hint="without holders",
        new=LEAVING.replace("== 0 and", "<= 1 and"),
    ),
    Mutant(
        name="counts not lowered", old=LEAVING, check="6.3/until_the_last_leaves", hint="by one",
        new=LEAVING.replace("self.num_holders[block] -= 1", "self.num_holders[block] = 0"),
    ),
    Mutant(
        name="all blocks are free when a sequence leaves", old=LEAVING, check="6.3/found_while_idle", hint="go to idle",
        new=LEAVING.replace("and block in self.key_of", "and False"),
    ),
    Mutant(
        name="all blocks are idle when a sequence leaves", old=LEAVING, check="6.3/until_the_last_leaves",
        hint="or free (if it has none)", new=LEAVING.replace("and block in self.key_of", ""),
    ),
    Mutant(
        name="the last to leave evicted first", old=LEAVING, check="6.3/longest_unused_first", hint="goes to the end",
        new=LEAVING.replace("self.idle[block] = None", "self.idle = {block: None, **self.idle}").replace(
            "reversed(self.tables.pop(request_id))", "self.tables.pop(request_id)"),
    ),
    Mutant(
        name="the beginning goes first", old=LEAVING, check="6.3/end_first", hint="the last becomes idle first",
        new=LEAVING.replace("reversed(self.tables.pop(request_id))", "self.tables.pop(request_id)"),
    ),
    Mutant(
        name="a block without a key is lost", old=LEAVING, check="6.3/conserved", hint="free, idle or held",
        new=LEAVING.replace("                self.free_blocks.append(block)", "                pass"),
    ),
    Mutant(
        name="finds the ending itself", old=STARTS, new="for start in range(len(token_ids) - length, -1, -1):",
        check="6.4/what_followed", hint="earlier places only",
    ),
    Mutant(
        name="the first place, not the latest", old=STARTS, new="for start in range(len(token_ids) - length):",
        check="6.4/what_followed", hint="take the latest",
    ),
    Mutant(
        name="the longest ending only", old=LENGTHS, new="for length in [longest]:", check="6.4/what_followed",
        hint="look only for the last `longest`",
    ),
    Mutant(
        name="the shortest ending first", old=LENGTHS, new="for length in range(1, longest + 1):", check="6.4/what_followed",
        hint="begin with `longest`",
    ),
    Mutant(
        name="the last token guessed again", old=FOLLOWING, check="6.4/what_followed", hint="repeat the last token",
        new="return token_ids[start + length - 1 : start + length - 1 + num_tokens]",
    ),
    Mutant(
        name="guesses to the end of the text", old=FOLLOWING, new="return token_ids[start + length :]",
        check="6.4/at_most", hint="no more guesses than that",
    ),
    Mutant(
        name="the last token where nothing repeats", old="    return []\n", new="    return token_ids[-1:]\n",
        check="6.4/nothing", hint="return []",
    ),
    Mutant(
        name="every guess kept", old=RIGHT, new="while num_right < len(guesses):", check="6.5/up_to_the_first_wrong",
        hint="keep every choice",
    ),
    Mutant(
        name="guesses kept unseen", old=KEPT, new="return [*guesses, choices[-1]], 0", check="6.5/up_to_the_first_wrong",
        hint="keep every guess",
    ),
    Mutant(
        name="the model's own token forgotten", old=KEPT, new="return choices[:num_right], len(guesses) - num_right",
        check="6.5/at_least_one", hint="own token",
    ),
    Mutant(
        name="no rollback", old=KEPT, new="return choices[: num_right + 1], 0", check="6.5/dropped",
        hint="still in the cache",
    ),
    Mutant(
        name="one entry too many dropped", old=KEPT, new="return choices[: num_right + 1], len(guesses) - num_right + 1",
        check="6.5/dropped", hint="one too many",
    ),
    Mutant(
        name="the number kept, not the number dropped", old=KEPT, new="return choices[: num_right + 1], num_right",
        check="6.5/same_answer", hint="does not match the tokens",
    ),
    Mutant(
        name="agreement behind a wrong guess", old=KEPT, check="6.5/up_to_the_first_wrong", hint="says nothing",
        new="""right = [guess for guess, choice in zip(guesses, choices) if guess == choice]
    return [*right, choices[len(right)]], len(guesses) - len(right)""",
    ),
    *lab06_serving.MUTANTS,
    *fresh.BY_LAB["06"],
    *first_message.BY_LAB["06"],
    *by_hand.BY_LAB["06"],
)
