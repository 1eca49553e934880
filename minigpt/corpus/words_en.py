"""The words of the English grammar: what can be said of whom, in tables."""

from typing import NamedTuple

SINGULAR = (
    "he", "she", "Anna", "Tom", "Ben", "Lucy", "David", "Emma", "my sister", "my brother", "her father",
    "his mother", "the teacher", "the boy", "the girl", "our neighbour", "my friend", "the doctor", "my aunt",
    "the student",
)
PLURAL = (
    "I", "you", "we", "they", "my parents", "the children", "her friends", "the students", "the boys",
    "the girls", "our neighbours", "my cousins", "Tom and Anna", "Ben and Lucy", "the teachers",
)
PEOPLE = SINGULAR + PLURAL

HABIT_TAILS = ("", "every day", "every week", "on Mondays", "on Sundays", "very often")
PAST_TIMES = ("yesterday", "last week", "last night", "last Friday", "last month", "two days ago",
              "last summer")
PERFECT_TAILS = ("", "today", "twice", "many times", "this week")
FUTURE_TAILS = ("", "tomorrow", "today")


class Verb(NamedTuple):
    """The five forms of a verb and what can follow it."""

    base: str
    third: str
    past: str
    participle: str
    gerund: str
    complements: tuple[str, ...]


def _verbs(*rows: tuple[str, str]) -> tuple[Verb, ...]:
    return tuple(Verb(*forms.split(), tuple(complements.split(", "))) for forms, complements in rows)


# Verbs whose past looks like their base (read, put, cut) are left out: "she put it there" has no mistake.
ACTIONS = _verbs(
    ("go goes went gone going", "to the park, to the market, to the library, to work by bus, to school"),
    ("eat eats ate eaten eating", "fish, rice and beans, fresh bread, a big salad"),
    ("drink drinks drank drunk drinking", "green tea, orange juice, a glass of milk"),
    ("write writes wrote written writing", "a letter, an email, a long poem"),
    ("take takes took taken taking", "the bus, the train, a photo"),
    ("see sees saw seen seeing", "a film, an old friend, the doctor"),
    ("give gives gave given giving", "food to the birds, a present to Tom"),
    ("sing sings sang sung singing", "a song, in the choir"),
    ("swim swims swam swum swimming", "in the lake, in the sea"),
    ("run runs ran run running", "in the park, along the beach"),
    ("speak speaks spoke spoken speaking", "to the manager, with the neighbours"),
    ("drive drives drove driven driving", "to the office, to the city"),
    ("ride rides rode ridden riding", "a bike, a horse"),
    ("wear wears wore worn wearing", "a blue coat, a black hat, new shoes"),
    ("make makes made made making", "a cake, dinner, a paper plane"),
    ("buy buys bought bought buying", "a newspaper, some fruit, two tickets"),
    ("bring brings brought brought bringing", "a book, some flowers"),
    ("meet meets met met meeting", "a friend, the new boss"),
    ("sell sells sold sold selling", "old books, vegetables"),
    ("leave leaves left left leaving", "the house early, the office late"),
    ("sleep sleeps slept slept sleeping", "on the sofa, in a tent"),
    ("teach teaches taught taught teaching", "a class, French"),
    ("do does did done doing", "the homework, the shopping"),
    ("feed feeds fed fed feeding", "the cat, the ducks"),
    ("draw draws drew drawn drawing", "a map, a white horse"),
    ("build builds built built building", "a sandcastle, a wooden boat"),
    ("play plays played played playing", "tennis, the piano, chess, football"),
    ("watch watches watched watched watching", "a film, the news, television"),
    ("study studies studied studied studying", "history, for the exam, English"),
    ("cook cooks cooked cooked cooking", "dinner, soup, some pasta"),
    ("clean cleans cleaned cleaned cleaning", "the kitchen, the windows"),
    ("wash washes washed washed washing", "the car, the dishes"),
    ("visit visits visited visited visiting", "a museum, an old castle, a friend"),
    ("walk walks walked walked walking", "to the station, by the river"),
    ("call calls called called calling", "the office, a friend"),
    ("help helps helped helped helping", "the neighbours, an old lady"),
    ("work works worked worked working", "in the garden, at the hospital"),
    ("carry carries carried carried carrying", "a heavy bag, the boxes"),
    ("dance dances danced danced dancing", "with friends, in the kitchen"),
    ("paint paints painted painted painting", "a picture, the fence"),
    ("listen listens listened listened listening", "to the radio, to music"),
    ("repair repairs repaired repaired repairing", "the bike, old clocks"),
    ("try tries tried tried trying", "a new recipe, a new game"),
)
# These are not planned, so they stay out of "can", "wants to" and "every day".
ACCIDENTS = _verbs(
    ("lose loses lost lost losing", "the keys, the match"),
    ("find finds found found finding", "some coins, the lost dog"),
    ("forget forgets forgot forgotten forgetting", "the password, the umbrella"),
    ("break breaks broke broken breaking", "a glass, a plate, the window"),
    ("catch catches caught caught catching", "a cold, a big fish"),
    ("miss misses missed missed missing", "the bus, the last train"),
    ("drop drops dropped dropped dropping", "a cup, the phone"),
    ("hear hears heard heard hearing", "a strange noise, the news"),
)
STATES = _verbs(
    ("like likes liked liked liking", "coffee, cats, old films, spicy food, this song"),
    ("love loves loved loved loving", "chocolate, jazz, the sea"),
    ("know knows knew known knowing", "the answer, the way, the rules"),
    ("need needs needed needed needing", "a new phone, more time, some help"),
    ("want wants wanted wanted wanting", "a dog, a quiet room, some water"),
    ("live lives lived lived living", "in London, near the sea, in a small town"),
    ("speak speaks spoke spoken speaking", "French, two languages, good Spanish"),
    ("understand understands understood understood understanding", "the question, the problem"),
    ("remember remembers remembered remembered remembering", "the story, that day"),
)
# The -ed form that a learner makes of an irregular verb, where it is not simply base + (e)d.
DOUBLED = {"swim": "swimmed", "run": "runned", "forget": "forgetted"}

FEELINGS = ("tired", "hungry", "ready", "very happy", "late", "busy", "angry", "ill", "thirsty", "bored")
PLACES = ("at home", "in the garden", "at school", "in the kitchen", "at the beach", "in the library",
          "on the bus")
ORIGINS = ("from Spain", "from Canada", "very kind", "tall", "good at maths", "afraid of dogs")
POSSESSIONS = (
    "a dog", "a black cat", "a big garden", "three brothers", "a headache", "a new bike", "blue eyes",
    "long hair", "a red car", "a good idea", "an appointment", "a lot of friends", "no time", "two tickets",
    "an old piano", "a small flat",
)
MODALS = ("can", "must", "should", "will", "could", "may")
TO_VERBS = {  # what takes "to": singular, plural
    "wants": "want", "hopes": "hope", "needs": "need", "plans": "plan", "wanted": "wanted",
    "decided": "decided", "hoped": "hoped", "promised": "promised",
}
GERUND_VERBS = {"enjoys": "enjoy", "avoids": "avoid", "enjoyed": "enjoyed", "finished": "finished",
                "suggested": "suggested"}
SKILLS = frozenset("write sing swim run drive ride make teach draw build play cook dance paint".split())
GERUND_PREPOSITIONS = {  # singular, plural, the preposition that is quoted
    "is good at": ("are good at", "at"), "is tired of": ("are tired of", "of"),
    "dreams of": ("dream of", "of"), "thinks about": ("think about", "about"),
    "talks about": ("talk about", "about"), "is fond of": ("are fond of", "of"),
}

# Things: singular, plural. Each group shares its frames in grammar_en.
OBJECTS = (
    "book books", "box boxes", "chair chairs", "key keys", "umbrella umbrellas", "watch watches", "bag bags",
    "knife knives", "picture pictures", "brush brushes", "clock clocks", "lamp lamps", "toy toys",
    "ball balls", "candle candles", "pencil pencils", "map maps", "plate plates", "dress dresses",
    "shirt shirts", "diary diaries", "ticket tickets", "basket baskets", "glass glasses",
)
FOODS = (
    "apple apples", "egg eggs", "orange oranges", "potato potatoes", "tomato tomatoes", "sandwich sandwiches",
    "cherry cherries", "pear pears", "lemon lemons", "onion onions", "carrot carrots", "biscuit biscuits",
    "strawberry strawberries", "peach peaches",
)
ANIMALS = (
    "cat cats", "dog dogs", "horse horses", "fox foxes", "bird birds", "pony ponies", "duck ducks",
    "cow cows", "rabbit rabbits", "lamb lambs", "owl owls", "donkey donkeys", "monkey monkeys", "goat goats",
)
NUMBERS = ("two", "three", "four", "five", "six", "ten", "several", "a few")

AN_OBJECTS = (
    "umbrella", "old map", "empty box", "orange dress", "interesting book", "expensive watch", "envelope",
    "alarm clock", "English book", "ugly lamp", "apple", "egg", "onion", "ice cream",
)
A_OBJECTS = (
    "pencil", "new map", "big box", "yellow dress", "cheap watch", "Spanish book", "school uniform", "lemon",
    "sandwich", "ticket", "blue umbrella", "small egg", "useful tool", "European map",
)
AN_JOBS = ("actor", "artist", "engineer", "architect", "electrician", "English teacher", "honest man",
           "old friend")
A_JOBS = ("doctor", "teacher", "nurse", "painter", "singer", "farmer", "pilot", "university student",
          "good cook")

# singular, the mistaken plural, the right plural, frames
IRREGULAR_PLURALS = (
    ("child", "childs", "children", "people"), ("man", "mans", "men", "people"),
    ("woman", "womans", "women", "people"), ("policeman", "policemans", "policemen", "people"),
    ("fireman", "firemans", "firemen", "people"), ("mouse", "mouses", "mice", "animals"),
    ("goose", "gooses", "geese", "animals"), ("sheep", "sheeps", "sheep", "animals"),
    ("wolf", "wolfs", "wolves", "animals"), ("calf", "calfs", "calves", "animals"),
    ("knife", "knifes", "knives", "things"), ("shelf", "shelfs", "shelves", "things"),
    ("tomato", "tomatos", "tomatoes", "things"), ("potato", "potatos", "potatoes", "things"),
    ("foot", "foots", "feet", "body"), ("tooth", "tooths", "teeth", "body"),
)
PLURAL_FRAMES = {
    "people": (
        "the {} are in the garden", "two {} live next door", "{who} saw three {} in the street",
        "{who} spoke to the {}", "those {} work at night", "many {} came to the party", "{who} helped the {}",
        "{who} waited for the {}", "{who} met two {} at the station",
    ),
    "animals": (
        "the {} are in the field", "two {} live near the river", "{who} saw three {} in the field",
        "{who} heard the {} at night", "{who} drew two {} and a tree", "{who} took a photo of the {}",
        "these {} are very young", "{who} ran from the {}",
    ),
    "things": (
        "the {} are in the kitchen", "there are four {} on the floor", "{who} bought two {} at the market",
        "{who} needed more {}", "these {} are too small", "{who} cleaned the {} yesterday",
        "{who} put the {} on the table", "{who} looked at the {}",
    ),
    "body": (
        "my {} are cold", "the baby has two {}", "my {} hurt a lot", "{who} had very big {}",
        "his {} are white",
        "our dog has dirty {}", "your {} are very clean",
    ),
}
# the uncountable noun, its mistaken plural, what comes before it (after any person)
UNCOUNTABLES = (
    ("information", "informations", "asked for more, needed some, found a lot of, got some, had no"),
    ("advice", "advices", "asked for some, needed more, gave me good, wanted some, listened to the"),
    ("homework", "homeworks", "finished the, had a lot of, forgot the, did all the, had no"),
    ("furniture", "furnitures", "bought new, sold the old, moved the, painted the, needed more"),
    ("luggage", "luggages", "carried the, lost the, had a lot of, packed the, forgot the"),
    ("equipment", "equipments", "bought new, needed more, sold the old, checked the, repaired the"),
    ("music", "musics", "liked the, heard some, played loud, wrote the, listened to the"),
    ("traffic", "traffics", "met heavy, saw a lot of, hated the, heard the, complained about the"),
    ("rice", "rices", "cooked some, ate a lot of, bought more, wanted more, ordered fried"),
    ("bread", "breads", "bought fresh, ate some, needed more, made some, brought hot"),
)
# "has work in the garden" and "needs work" have no mistake: the word is a noun too.
NOUNS_TOO = frozenset({"work"})
MUCH = ("water", "money", "time", "milk", "rice", "bread", "sugar", "furniture", "work", "cheese", "butter",
        "salt")
MANY = (
    "books", "friends", "apples", "chairs", "eggs", "coins", "plates", "toys", "pencils", "bottles", "plants",
    "tickets", "shirts", "potatoes",
)
THING_ADJECTIVES = ("new", "old", "cheap", "very small", "dirty", "beautiful", "in the kitchen", "in the car")

SHORT_COMPARATIVES = {
    "tall": "taller", "old": "older", "young": "younger", "strong": "stronger", "fast": "faster",
    "happy": "happier", "funny": "funnier", "busy": "busier", "kind": "kinder", "short": "shorter",
    "thin": "thinner", "rich": "richer", "quiet": "quieter", "lazy": "lazier",
}
THING_COMPARATIVES = {
    "big": "bigger", "small": "smaller", "cheap": "cheaper", "new": "newer", "heavy": "heavier",
    "clean": "cleaner", "good": "better", "bad": "worse", "light": "lighter", "dirty": "dirtier",
    "large": "larger", "nice": "nicer", "pretty": "prettier",
}
LONG_COMPARATIVES = {  # a long adjective and the -er form that it does not have
    "careful": "carefuler", "patient": "patienter", "famous": "famouser", "curious": "curiouser",
    "helpful": "helpfuler", "generous": "generouser", "serious": "seriouser", "nervous": "nervouser",
}
RIVALS = ("than me", "than Peter", "than his brother", "than before", "than her cousin", "than the others")

PRONOUNS = {"he": "him", "she": "her", "we": "us", "they": "them"}  # subject form, object form
OBJECT_VERBS = ("knows know", "sees see", "helped helped", "called called", "loves love", "met met",
                "visits visit",
                "remembers remember", "saw saw", "invited invited", "likes like", "thanked thanked")
OBJECT_PREPOSITIONS = (  # what comes before, the same with every person
    ("with", "went home, danced, played chess, spoke, worked"),
    ("for", "bought a present, waited, made a cake, cooked dinner"),
    ("to", "spoke, wrote, listened, gave the book"),
    ("about", "asked, talked, wrote a poem"),
)

# what the time is, the right preposition, its examples, the wrong ones
TIMES = (
    ("a day", "on", "Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday", "in at"),
    ("a month", "in", "January, March, April, May, June, July, August, October", "on at"),
    ("a season", "in", "spring, summer, autumn, winter", "on"),
    ("a clock time", "at", "two o'clock, five o'clock, half past six, nine o'clock, midnight, noon", "in on"),
)
SMALL_EVENTS = (
    "the class starts", "the concert is", "the meeting is", "the exam is", "the party starts", "the match is",
    "the film begins", "the shop opens", "the bus leaves", "they arrive", "we start work",
)
LARGE_EVENTS = (
    "the course starts", "the festival is", "her birthday is", "the exams are", "the museum opens",
    "it often rains", "we go on holiday", "they come home", "the roses flower", "the school closes",
    "they got married", "Anna was born", "Tom was in Paris", "we moved house",
)
