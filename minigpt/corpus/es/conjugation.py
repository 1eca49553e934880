"""Spanish verbs: six persons of the tenses that the rules need, from infinitives and their stem changes."""

from dataclasses import dataclass
from functools import cache

from minigpt.corpus.es import words_verbs as words
from minigpt.corpus.tables import lines

PRESENT = {"ar": "o as a amos áis an", "er": "o es e emos éis en", "ir": "o es e imos ís en"}
PRETERITE = {"ar": "é aste ó amos asteis aron", "er": "í iste ió imos isteis ieron", "ir": "í iste ió imos isteis ieron"}
SUBJUNCTIVE = {"ar": "e es e emos éis en", "er": "a as a amos áis an", "ir": "a as a amos áis an"}
FUTURE = "é ás á emos éis án"
BOOT = (True, True, True, False, False, True)  # the persons whose stem is stressed
VOWELS = {"ie": ("e", "ie"), "ue": ("o", "ue"), "i": ("e", "i"), "ie_i": ("e", "ie"), "ue_u": ("o", "ue")}
WEAK = {"i": ("e", "i"), "ie_i": ("e", "i"), "ue_u": ("o", "u")}  # third persons of the preterite, gerund


@dataclass(frozen=True, slots=True)
class Verb:
    """The forms of a verb, persons in the order yo, tú, él, nosotros, vosotros, ellos."""

    infinitive: str
    change: str  # of the stem: "", "ie", "ue", "i", "ie_i", "ue_u"
    present: tuple[str, ...]
    preterite: tuple[str, ...]
    subjunctive: tuple[str, ...]
    future: tuple[str, ...]
    participle: str
    gerund: str
    complements: tuple[str, ...]

    @property
    def regular_present(self) -> tuple[str, ...]:
        """What the present would be without a change of its stem."""
        return _forms(self.infinitive[:-2], PRESENT[_ending(self.infinitive)])

    @property
    def regular_preterite(self) -> tuple[str, ...]:
        return _forms(self.infinitive[:-2], PRETERITE[_ending(self.infinitive)])

    @property
    def regular_participle(self) -> str:
        return self.infinitive[:-2] + ("ado" if self.infinitive.endswith("ar") else "ido")

    @property
    def regular_gerund(self) -> str:
        return self.infinitive[:-2] + ("ando" if self.infinitive.endswith("ar") else "iendo")


def _ending(infinitive: str) -> str:
    return infinitive[-2:].replace("í", "i")


def _forms(stem: str, endings: str) -> tuple[str, ...]:
    return tuple(stem + ending for ending in endings.split())


def _changed(stem: str, change: tuple[str, str] | None) -> str:
    """The stem with its last vowel changed: "dorm" becomes "duerm"."""
    if change is None:
        return stem
    before, _, after = stem.rpartition(change[0])
    return before + change[1] + after


def _soft(stem: str, infinitive: str, before_e: bool) -> str:
    """Spelling that keeps the sound: "busc" becomes "busqu" before e, "empez" becomes "empec"."""
    if before_e and infinitive.endswith("ar"):
        for end, new in (("c", "qu"), ("g", "gu"), ("z", "c")):
            if stem.endswith(end):
                return stem[:-1] + new
    return stem


def conjugate(infinitive: str, change: str = "", complements: tuple[str, ...] = ()) -> Verb:
    """All forms of a verb of the tables."""
    stem, ending = infinitive[:-2], _ending(infinitive)
    strong, weak = _changed(stem, VOWELS.get(change)), _changed(stem, WEAK.get(change))
    present = tuple((strong if boot else stem) + end for boot, end in zip(BOOT, PRESENT[ending].split()))
    preterite = tuple(_soft(weak if person in (2, 5) else stem, infinitive, end[0] in "eé") + end
                      for person, end in enumerate(PRETERITE[ending].split()))
    subjunctive = tuple(_soft(strong if boot else weak, infinitive, True) + end
                        for boot, end in zip(BOOT, SUBJUNCTIVE[ending].split()))
    participle, gerund, future = stem + ("ado" if ending == "ar" else "ido"), weak + ("ando" if ending == "ar" else "iendo"), infinitive
    if infinitive in _irregular():
        parts = _irregular()[infinitive].split(" / ")
        present, preterite, participle, gerund, subj, future = (tuple(parts[0].split()), tuple(parts[1].split()), *parts[2:])
        subjunctive = _subjunctive_of(infinitive, subj, ending)
    participle = dict(pair.split() for pair in words.PARTICIPLES.split(",")).get(infinitive, participle)
    return Verb(infinitive, change, present, preterite, subjunctive, _forms(future, FUTURE), participle, gerund, complements)


@cache
def _irregular() -> dict[str, str]:
    """The lines of irregular.txt by infinitive."""
    return dict(line.split(": ") for line in lines("es/irregular.txt"))


def _subjunctive_of(infinitive: str, first: str, ending: str) -> tuple[str, ...]:
    """Six forms from the first: "tenga" gives "tengas", "quiera" gives "queramos"."""
    special = {"estar": "esté estés esté estemos estéis estén", "dar": "dé des dé demos deis den", "querer": "quiera quieras quiera queramos queráis quieran",
               "poder": "pueda puedas pueda podamos podáis puedan", "jugar": "juegue juegues juegue juguemos juguéis jueguen",
               "seguir": "siga sigas siga sigamos sigáis sigan"}
    if infinitive in special:
        return tuple(special[infinitive].split())
    stem = first[:-1]
    return tuple(stem + end for end in "a as a amos áis an".split())


@cache
def verbs_of(table: str) -> tuple[Verb, ...]:
    found = []
    for line in table.strip().splitlines():
        head, _, complements = line.partition(":")
        infinitive, *change = head.split()
        found.append(conjugate(infinitive, change[0] if change else "",
                               tuple(text.strip().replace("_", " ") for text in complements.split(",") if text.strip())))
    return tuple(found)


@cache
def verb(infinitive: str) -> Verb:
    """A verb of the tables by name."""
    return next(each for each in verbs_of(words.ACTIONS) if each.infinitive == infinitive)


@cache
def actions() -> tuple[Verb, ...]:
    """What people do."""
    return tuple(each for each in verbs_of(words.ACTIONS) if each.infinitive not in words.NOT_ACTIONS)
