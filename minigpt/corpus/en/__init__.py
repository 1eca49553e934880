"""English: the tutor's grammar and words."""

from minigpt.corpus.en import grammar_missing, grammar_nouns, grammar_usage, grammar_verbs

OK = "ok"
NOTHING_WRONG = "Nothing is wrong here: the sentence is correct."
UNKNOWN = "I only know short sentences."
RULES = grammar_verbs.RULES | grammar_nouns.RULES | grammar_usage.RULES | grammar_missing.RULES
LISTED = grammar_usage.LISTED
JOINERS = ("and", "but", "because", "so", "and then")
GREETINGS = ("well,", "yes,", "no,", "hello,", "hi,", "look,", "look!", "oh,", "I'm sorry,", "please,", "listen,", "sorry,", "okay,")
TAILS = ("with my friends", "with her mother", "in the park", "at home", "in Madrid", "in the city", "near the river", "with me", "together",
         "in our town", "at the office", "with Tom", "too", "in this country", "on the beach")
# Words that cannot stand at the end, nor in such pairs.
DETERMINERS = ("the", "a", "an", "my", "his", "her")
HINGES = (*DETERMINERS, "their", "our", "in", "at", "on", "to", "of", "with", "from", "and", "very", "is", "are", "this", "every")
