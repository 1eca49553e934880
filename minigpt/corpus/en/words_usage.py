"""English expressions in which learners take the wrong word."""

TIMES = (  # what kind of time, the right preposition, wrong ones, times
    ("a day", "on", "in at", "Monday Tuesday Wednesday Thursday Friday Saturday Sunday Monday_morning Friday_evening 5_May my_birthday Christmas_Day"),
    ("a clock time", "at", "in on", "six_o'clock nine_o'clock ten noon seven half_past_eight 8 midnight five_o'clock eleven three"),
    ("a month or year", "in", "on at", "January March April June July August October December 2010 1999 2020 February May"),
    ("a season", "in", "on at", "summer winter spring autumn"),
    ("a part of the day", "in", "on at", "the_morning the_afternoon the_evening"),
    ('"night"', "at", "in on", "night"),
)
EVENTS = """the_class_starts the_party_is my_birthday_is the_meeting_was the_shop_opens the_train_leaves we_met the_exam_is school_begins he_was_born
she_arrived I_was_born the_film_begins they_got_married the_concert_is"""

ADJECTIVE_PREPOSITIONS = (  # adjective, wrong, right, what follows
    ("good", "in", "at", "maths sports English history tennis chess drawing physics languages"),
        ("bad", "in", "at", "sports maths English football music names chemistry"),
    ("interested", "on", "in", "history art music politics science football"), ("interested", "about", "in", "music films books your_work biology"),
    ("afraid", "from", "of", "dogs spiders snakes the_dark mice flying lions"), ("afraid", "about", "of", "spiders heights the_dark bees"),
    ("married", "with", "to", "a_doctor my_cousin Tom a_teacher her_boss"), ("proud", "about", "of", "her_son you his_work"),
        ("angry", "at", "with", "me his_brother us"),
    ("tired", "from", "of", "this_job waiting the_noise"), ("different", "than", "from", "mine his_brother yours"),
        ("different", "of", "from", "mine the_others her_sister"),
    ("similar", "with", "to", "his_brother mine yours"), ("late", "to", "for", "work school class the_meeting"),
        ("famous", "by", "for", "its_food his_songs her_books"),
    ("full", "with", "of", "people energy ideas"), ("ready", "to", "for", "the_exam school the_trip"), ("kind", "with", "to", "animals me everybody"),
        ("sorry", "about", "for", "him her us"),
    ("responsible", "of", "for", "the_project the_children"), ("crazy", "for", "about", "football music her"),
        ("worried", "for", "about", "the_exam his_mother money"), ("surprised", "of", "by", "the_news the_price"),
)


def _rows(text: str) -> tuple[tuple[str, str, str], ...]:
    """(wrong, right, what may follow)"""
    return tuple(tuple(part.strip() for part in row.split(":")) for row in text.replace("\n", " ").split(","))


VERB_PHRASES = _rows("""depend of:depend on:the_weather you money, wait the bus:wait for the bus:, listen music:listen to music:,
listen the radio:listen to the radio:,
look the photo:look at the photo:, think in:think about:you the_future him, dream with:dream about:her you,
arrive to:arrive at:the_station work the_airport, belong me:belong to me:,
talk me:talk to me:, speak the boss:speak to the boss:, laugh of:laugh at:me him, consist in:consist of:two_parts, pay the meal:pay for the meal:,
search the keys:search for the keys:,
agree to me:agree with me:, listen me:listen to me:, live at:live in:London Madrid Spain, smile to:smile at:the_baby me,
look after of:look after:the_baby, enter in:enter:the_room,
discuss about:discuss:the_plan it, call to:call:my_mother Tom, marry with:marry:her_boss Anna, phone to:phone:his_wife, visit to:visit:my_aunt Rome,
ask to:ask:the_teacher him, help to:help:me us, wait me:wait for me:,
talk with about:talk about:music, think to:think about:it, participate on:participate in:the_game, spend money in:spend money on:clothes,
go at:go to:the_cinema school work, go in:go to:school the_shop, come at:come to:my_house,
travel in:travel to:France Peru, travel at:travel to:Peru, go to home:go home:, come to home:come home:, go to shopping:go shopping:,
go to swim:go swimming:, apologise about:apologise for:the_noise, suffer of:suffer from:headaches,
explain me:explain to me:the_problem the_rules, say me:tell me:the_truth, say him:tell him:a_lie, tell to me:tell me:the_story,
say to her:tell her:the_news, make a photo:take a photo:, do a mistake:make a mistake:, make homework:do homework:,
do a cake:make a cake:, make sport:do sport:, make a party:have a party:, do a question:ask a question:, make the shopping:do the shopping:,
lose the bus:miss the bus:, win money at work:earn money at work:, make exercise:do exercise:,
do coffee:make coffee:, do a noise:make a noise:, make yoga:do yoga:, make the dishes:do the dishes:, do friends:make friends:, say lies:tell lies:,
say jokes:tell jokes:, make a shower:take a shower:, do a decision:make a decision:""")

AGES = "20 18 25 30 16 12 40 35 7 10 50 ten twenty fifteen thirty eight 21 19 33 65 twelve"
NEGATIVES = (  # wrong, right, verbs
    ("nothing", "anything", "know see want eat buy understand say need hear have find do"), ("nothing", "anything", "know see want say"),
        ("nobody", "anybody", "know see"),
    ("no one", "anyone", "see know"), ("nowhere", "anywhere", "go"), ("no money", "any money", "have"), ("no friends", "any friends", "have"),
        ("no time", "any time", "have"),
    ("no milk", "any milk", "have want"), ("none", "any", "have want"), ("never", "ever", "listen go"),
)
ADVERBS = """good well, quick quickly, slow slowly, careful carefully, beautiful beautifully, bad badly, quiet quietly, loud loudly, easy easily,
perfect perfectly,
happy happily, dangerous dangerously, polite politely, nervous nervously, serious seriously, clear clearly, good well, good well""".replace("\n", " ")
DONE_WELL = """sing, dance, drive, speak English, play the piano, work, cook, swim, speak, write, play tennis, play football, explain it, read, do
it, run, play the guitar,
paint, speak Spanish, answer, eat, walk, sleep, drive his car""".replace("\n", " ")
CAUSES = "in_this_class with_the_game by_the_news with_his_job about_the_trip with_school about_the_news today"
FELT_THINGS = "the_film the_book this_game the_class my_job the_news this_story the_trip the_match this_lesson the_exam this_song the_party the_weather"
SPANS = "five_years two_days ten_minutes three_months a_week a_long_time many_years an_hour two_weeks six_months a_year"
POINTS = "2010 Monday last_year yesterday 1999 last_summer May I_was_a_child this_morning"
LASTING = """lived_here worked_here known_him been_ill had_this_car lived_in_Madrid studied_English waited been_married been_here played_the_piano
worked_in_a_bank"""
