"""English nouns, adjectives and places of the tutor's grammar, by what can be said of them. "_" joins words."""

RELATIVES = """brother sister mother father son daughter uncle aunt cousin grandfather grandmother husband wife friend
boyfriend girlfriend neighbour neighbor boss teacher roommate classmate colleague nephew niece"""
JOBS = """teacher doctor nurse student engineer artist lawyer cook driver waiter waitress farmer writer singer actor
actress architect dentist pilot police_officer firefighter painter musician dancer journalist photographer scientist
secretary manager mechanic baker butcher gardener plumber electrician accountant editor designer programmer translator
athlete officer soldier judge librarian hairdresser model player researcher shop_assistant carpenter cleaner tailor
vet engineer economist inspector astronaut author owner receptionist builder fisherman guide chemist"""
PERSONS = """boy girl man woman child person baby student teacher doctor neighbour friend tourist guest customer player
visitor visitor king queen kid driver patient passenger stranger farmer singer worker thief lady gentleman client
policeman captain winner prince princess classmate"""
ANIMALS = """dog cat bird horse cow sheep mouse rabbit fish duck elephant lion tiger monkey bear wolf fox goat pig hen
chicken snake frog bee butterfly spider ant turtle eagle owl whale shark dolphin giraffe zebra camel donkey kitten puppy
parrot crocodile penguin goose deer fly mosquito insect squirrel hamster"""
OBJECTS = """book pen pencil table chair bed lamp phone computer clock watch key bag box cup glass plate bottle knife fork
spoon umbrella camera car bike bicycle bus train plane boat ship truck motorbike ball toy doll kite guitar piano violin
picture painting photo letter newspaper magazine dictionary notebook map ticket card stamp envelope present gift ring
mirror window door wall floor roof garden house flat room kitchen sofa armchair shelf desk fridge oven pan pot basket
blanket pillow towel brush comb candle radio television laptop tablet screen keyboard printer machine tool hammer
ladder rope tent suitcase backpack wallet coin bag flower tree plant leaf branch rose stone rock star bridge tower
statue bench sign battery charger lighter carpet curtain drawer cupboard wardrobe bowl tray jar bucket broom egg_cup
diary calendar poster eraser ruler folder file video song film movie story poem joke game puzzle"""
CLOTHES = """shirt T-shirt dress skirt coat jacket hat cap sweater jumper scarf tie belt sock shoe boot glove suit
uniform raincoat sandal trainer"""
PAIRS = "shoes jeans trousers glasses scissors shorts clothes gloves pyjamas socks boots sunglasses"
FOODS = """apple orange banana pear peach lemon melon strawberry cherry grape tomato potato carrot onion egg sandwich
cake biscuit cookie pizza burger salad sausage pancake pie sweet mushroom pepper olive cucumber bean nut pea ice_cream
meal breakfast snack omelette doughnut hot_dog"""
MASS_FOODS = """milk water coffee tea bread cheese butter rice pasta soup meat fish chicken sugar salt juice wine beer
chocolate honey jam oil fruit flour cereal yoghurt ham toast food lemonade bacon"""
MASS = """money time work music homework information advice furniture luggage traffic help news weather luck space love
noise rain snow paper hair knowledge research equipment experience electricity petrol soap shampoo energy patience
rubbish housework sugar water milk food rice bread coffee air sand gold wood glass"""
UNCOUNTABLE_S = "information advice furniture homework luggage money news research equipment knowledge housework traffic"
IDEAS = """problem question answer idea exam test lesson class course exercise word sentence language subject mistake plan
dream trip holiday party meeting job project report story rule reason secret accident adventure choice decision hobby
sport team match race concert festival wedding birthday letter visit message email price number address name country
city town village street road river lake mountain beach island forest park shop school hospital museum hotel bank church
station airport restaurant library cinema theatre market office factory farm castle square university supermarket bar
café bakery pharmacy field hill valley desert sea ocean planet world"""
BODY = "hand foot leg arm eye ear nose mouth head finger knee back neck tooth shoulder stomach face tongue elbow toe"
TIMES = "minute hour day week month year"

IRREGULAR_PLURALS = {
    "child": "children", "man": "men", "woman": "women", "person": "people", "foot": "feet", "tooth": "teeth",
    "mouse": "mice", "goose": "geese", "sheep": "sheep", "fish": "fish", "deer": "deer", "knife": "knives",
    "wife": "wives", "leaf": "leaves", "wolf": "wolves", "shelf": "shelves", "thief": "thieves", "policeman": "policemen",
    "fireman": "firemen", "fisherman": "fishermen", "gentleman": "gentlemen", "potato": "potatoes", "tomato": "tomatoes",
    "loaf": "loaves", "stomach": "stomachs", "half": "halves", "life": "lives", "scarf": "scarves",
}
WRONG_PLURALS = (  # singular, what learners write, right, what the noun is
    *((one, wrong, "children", "person") for one, wrong in (("child", "childs"), ("child", "childrens"), ("child", "childen"))),
    ("man", "mans", "men", "person"), ("man", "mens", "men", "person"), ("woman", "womans", "women", "person"),
    ("woman", "womens", "women", "person"), ("person", "peoples", "people", "person"), ("foot", "foots", "feet", "body"),
    ("foot", "feets", "feet", "body"), ("tooth", "tooths", "teeth", "body"), ("tooth", "teeths", "teeth", "body"),
    ("mouse", "mouses", "mice", "animal"), ("mouse", "mices", "mice", "animal"), ("goose", "gooses", "geese", "animal"),
    ("sheep", "sheeps", "sheep", "animal"), ("deer", "deers", "deer", "animal"), ("wolf", "wolfs", "wolves", "animal"),
    ("knife", "knifes", "knives", "object"), ("leaf", "leafs", "leaves", "object"), ("shelf", "shelfs", "shelves", "object"),
    ("wife", "wifes", "wives", "person"), ("thief", "thiefs", "thieves", "person"), ("potato", "potatos", "potatoes", "food"),
    ("tomato", "tomatos", "tomatoes", "food"), ("baby", "babys", "babies", "person"), ("city", "citys", "cities", "place"),
    ("box", "boxs", "boxes", "object"), ("watch", "watchs", "watches", "object"), ("party", "partys", "parties", "place"),
    ("country", "countrys", "countries", "place"), ("lady", "ladys", "ladies", "person"), ("bus", "buss", "buses", "object"),
    ("story", "storys", "stories", "object"), ("glass", "glasss", "glasses", "object"), ("dress", "dresss", "dresses", "object"),
)

FEELINGS = """tired happy sad hungry thirsty angry busy ready late sick ill nervous worried bored excited afraid sleepy
alone free sure sorry proud calm surprised lucky scared cold hot fine well better wrong right married single pregnant
awake asleep early confused relaxed upset lonely jealous safe"""
QUALITIES = """tall short young old nice kind friendly funny clever smart intelligent lazy shy quiet strong weak rich
poor famous beautiful pretty handsome polite rude serious honest brave generous crazy strange popular thin fat blond
dangerous patient careful creative talented noisy sensitive stubborn"""
THING_QUALITIES = """big small large little long short new old red blue green yellow black white brown grey pink orange
good bad expensive cheap beautiful ugly clean dirty full empty heavy light hard soft easy difficult important interesting
useful broken open closed hot cold warm wet dry dark nice great wonderful terrible amazing modern strange fast slow round
square thick thin free delicious fresh different perfect famous dangerous quiet noisy safe simple strong boring funny
comfortable popular enormous tiny purple sharp sweet plastic special"""
ATTRIBUTES = """big small new old red blue green yellow black white good bad beautiful nice long short young cheap expensive
little great heavy clean dirty modern huge interesting different lovely strange funny wonderful terrible brown grey"""

PLACES_AT = """at_home at_school at_work in_the_park in_the_garden in_the_kitchen in_the_office in_London in_Madrid in_Paris
in_Spain in_Mexico on_the_beach in_the_car in_the_street in_the_city at_the_bus_stop in_bed in_hospital at_the_airport
in_the_library in_the_living_room in_the_bathroom at_the_party at_the_cinema in_Berlin in_New_York here there upstairs
outside in_the_mountains on_the_train in_the_countryside in_the_shop at_the_station in_Italy in_class next_door"""
PLACES_THING = """on_the_table in_the_fridge on_the_floor in_the_box under_the_bed in_my_bag on_the_shelf in_the_kitchen
behind_the_door next_to_the_window in_the_car on_the_desk in_the_drawer here in_the_garden near_the_station
in_front_of_the_house on_the_wall under_the_chair in_my_room in_the_cupboard at_home over_there in_the_street on_the_sofa"""
PLACES_TO = """to_school to_work to_the_park to_the_cinema to_the_beach to_London to_the_gym to_bed to_the_supermarket
to_the_market to_church to_the_doctor to_the_library to_the_office to_Paris to_the_bank to_the_museum to_the_airport
to_university to_the_party to_the_dentist to_Spain to_the_station to_the_shop to_the_swimming_pool home to_a_concert
to_the_zoo to_the_mountains to_Italy to_the_theatre to_class"""
ORIGINS = """from_Spain from_Mexico from_Italy from_a_small_town from_London from_France from_China from_Brazil from_Peru
from_here from_Scotland from_Japan from_Canada from_Argentina from_Germany from_Madrid from_India from_Poland"""
LANGUAGES = "English Spanish French German Italian Chinese Japanese Russian Portuguese Arabic"
SUBJECTS = "maths math history English physics chemistry art biology geography music science literature medicine law economics"
SPORTS = "football tennis basketball golf rugby volleyball chess cards hockey baseball handball squash cricket"
INSTRUMENTS = "guitar piano violin drums flute trumpet saxophone"
NUMBERS = "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty fifty a_hundred 2 3 4 5 6 10"
