"""Names of people for the sentences of both languages: known ones, and invented ones, which can only be copied."""

from minigpt.corpus.dice import Dice

WOMEN = """Ana María Marta Lucía Elena Carmen Laura Isabel Sofía Paula Julia Sara Irene Inés Rosa Teresa Pilar Clara Eva
Alicia Andrea Beatriz Cristina Diana Emma Gloria Helena Nuria Olga Patricia Raquel Rocío Silvia Susana Valeria Verónica
Camila Daniela Gabriela Luisa Marina Natalia Noelia Lorena Victoria Claudia Alba Berta Mónica Sonia Maria Mary Anna Kate
Emily Lucy Jane Alice Susan Linda Nancy Betty Grace Olivia Amy Rachel Jessica Jennifer Megan Chloe Sophie Charlotte Amelia
Lisa Karen Sally Molly Ruth Maya Fatima Yuki Mei Priya Aisha Ingrid Nina Lena Zoe""".split()
MEN = """Luis Pablo Pedro Juan Carlos Jorge José Miguel Javier Antonio Manuel Francisco Diego Andrés Sergio Alberto Raúl
Rubén Mario Marcos Fernando Ricardo Roberto Alejandro Tomás Ignacio Iván Óscar Hugo Álvaro Daniel David Víctor Jaime Ramón
Enrique Adrián Felipe Gabriel Gonzalo Martín Mateo Nicolás Rafael Simón Jose Tom Peter John Paul Mark James Jack Harry
George Kevin Sam Ben Tim Steve Mike Bill Bob Joe Nick Alex Chris Andrew Henry William Charlie Oliver Thomas Robert Richard
Brian Eric Frank Greg Adam Max Leo Omar Ali Ahmed Hans Ivan Kenji Wei Raj Lars Pierre Marco Igor""".split()

INVENTED_SHARE = 0.1  # of the names: enough to learn to copy a name that was never seen

_ONSETS = "b c d f g h j k l m n p r s t v z br cl dr fr gr kl pr tr sh th st bl m n l r s t".split()
_VOWELS = "a e i o u a e i o ai ei ia io".split()
_ENDS = "n r l s m k x nd th rt".split()


def invented(dice: Dice, ending: str | None = None) -> str:
    """A word that no language has, in small letters; it ends in `ending`, if one is given."""
    syllables = "".join(dice.pick(_ONSETS) + dice.pick(_VOWELS) for _ in range(1 + dice.below(2)))
    if ending is not None:
        return syllables + dice.pick(_ONSETS) + ending
    return syllables + (dice.pick(_ENDS) if dice.chance(0.6) else dice.pick(_ONSETS) + dice.pick("aeio"))


def woman(dice: Dice) -> str:
    return invented(dice, "a").capitalize() if dice.chance(INVENTED_SHARE) else dice.pick(WOMEN)


def man(dice: Dice) -> str:
    return invented(dice, "o").capitalize() if dice.chance(INVENTED_SHARE) else dice.pick(MEN)


def anybody(dice: Dice) -> str:
    """For sentences in which it does not matter whether a woman or a man is meant."""
    if dice.chance(INVENTED_SHARE):
        return invented(dice).capitalize()
    return dice.pick(WOMEN if dice.chance(0.5) else MEN)
