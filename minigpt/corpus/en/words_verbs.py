"""English verbs of the tutor's grammar with what follows them. "@" names a kind of object; "_" joins words."""

ACTIONS = """
eat ate eaten: @food, @massfood, a_sandwich, meat, fish, at_home, too_much, in_the_kitchen, breakfast, lunch, dinner
drink drank drunk: @drink, water, milk, coffee, a_lot_of_tea, a_glass_of_wine
read read read: @readable, a_book, the_newspaper, magazines, books, in_bed
write wrote written: @readable, letters, emails, a_poem, stories, to_her_friend
go went gone: @to, @to, @to, shopping, swimming, out_with_friends
come came come: home, to_class, to_the_party, here, from_work, by_bus, back
run ran run: in_the_park, five_kilometres, very_fast, a_marathon, to_school
swim swam swum: in_the_pool, in_the_sea, in_the_lake, very_well
speak spoke spoken: @language, @language, two_languages, very_fast, with_my_teacher, to_the_boss
take took taken: @object, the_bus, a_shower, photos, the_train, a_taxi, the_dog_to_the_park
make made made: @makeable, a_cake, breakfast, the_bed, dinner, a_lot_of_noise, coffee
do did done: the_dishes, the_shopping, the_housework, yoga, exercise, his_homework
see saw seen: @person, @animal, @object, a_film, the_doctor, the_sea
buy bought bought: @object, @food, @clothing, bread, a_car, new_shoes, flowers, milk, a_newspaper
sell sold sold: @object, @food, cars, flowers, fruit, their_house
give gave given: flowers_to_his_wife, money_to_the_poor, a_present_to_Ana, food_to_the_dog, good_advice
get got got: up_early, a_letter, a_present, good_marks, home_late, up_at_seven, angry
find found found: @object, a_job, the_keys, a_wallet, a_coin_in_the_street
lose lost lost: @object, her_keys, his_phone, the_match, money, the_umbrella
leave left left: home_at_eight, the_house, work_early, the_office, the_door_open
meet met met: @person, her_friends, his_girlfriend, at_the_station, new_people
teach taught taught: @subject, children, at_a_school, English_to_adults
learn: @language, @subject, to_swim, the_piano, new_words
think thought thought: about_the_future, about_you, a_lot, of_his_family
sleep slept slept: eight_hours, on_the_sofa, very_well, late, in_a_tent, a_lot
sing sang sung: in_a_choir, a_song, in_the_shower, very_well, beautiful_songs
drive drove driven: a_bus, to_work, a_red_car, very_fast, a_taxi, carefully
ride rode ridden: a_bike, a_horse, to_school, his_motorbike
fly flew flown: to_Paris, to_London, a_plane, very_high, kites
sit sat sat: on_the_sofa, in_the_garden, next_to_me, down, by_the_window
stand stood stood: at_the_door, near_the_window, up
wear wore worn: @clothing, a_blue_dress, glasses, jeans, a_hat
bring brought brought: @object, a_cake, some_wine, her_dog, the_books
break broke broken: @object, the_window, his_leg, a_glass, the_rules
catch caught caught: the_bus, a_cold, a_fish, the_ball
draw drew drawn: a_house, pictures, a_map, an_elephant, very_well
feed fed fed: the_cat, the_dog, the_birds, the_baby
hide hid hidden: the_key, behind_the_door, under_the_bed, the_presents
build built built: houses, a_bridge, a_boat, a_wall, a_castle
send sent sent: emails, a_letter, a_message, flowers, a_postcard
spend spent spent: a_lot_of_money, the_weekend_at_home, two_hours_there, the_summer_in_Spain
tell told told: stories, the_truth, jokes, lies, me_everything
say said said: hello, goodbye, sorry, thank_you, that_it_is_late
win won won: the_race, the_match, a_prize, the_game
throw threw thrown: the_ball, a_stone, the_paper_away
grow grew grown: vegetables, flowers, tomatoes, very_fast
wake woke woken: up_early, up_at_six, up_late
begin began begun: at_nine, to_cry, to_laugh, the_lesson
choose chose chosen: @clothing, a_book, the_red_one, the_best_seat
forget forgot forgotten: her_keys, my_name, the_umbrella, his_passport, the_number
steal stole stolen: a_car, money, an_apple, the_ring
fall fell fallen: asleep, off_the_bike, in_love, on_the_ice
pay paid paid: the_bill, for_dinner, the_rent, in_cash
hear heard heard: a_noise, the_news, music, a_strange_sound
put put put: the_book_on_the_table, on_a_coat, sugar_in_the_tea, the_toys_away
cut cut cut: the_bread, the_grass, paper, her_hair
bite bit bitten: people, the_apple, his_nails
keep kept kept: a_diary, the_door_closed, a_secret
lend lent lent: me_money, her_car, books_to_students
play: @sport, @sport, @instrument, with_the_children, in_the_garden, video_games, outside, in_a_band
work: in_a_bank, at_home, in_a_hospital, hard, in_an_office, for_a_big_company, on_Saturdays, with_my_father, here
live: in_London, in_a_small_flat, in_Madrid, with_his_parents, near_the_sea, alone, in_Spain, in_a_big_house, here, next_door
study: @subject, @language, at_home, in_the_library, medicine, a_lot, for_the_exam, at_university
watch: television, TV, films, a_film, the_match, the_news, the_birds, a_series
cook: dinner, lunch, pasta, for_the_family, very_well, rice, fish
clean: the_house, the_kitchen, his_room, the_windows, the_car
wash: the_dishes, the_car, her_hair, the_clothes, his_hands
walk: to_school, in_the_park, the_dog, home, on_the_beach, to_work
dance: at_the_party, salsa, very_well, with_his_wife, all_night
listen: to_music, to_the_radio, to_her_mother, to_the_teacher
talk: to_her_mother, about_football, on_the_phone, a_lot, too_much, with_the_neighbours
help: @person, her_mother, me, his_friends, at_home, with_the_homework
visit: @person, her_grandmother, museums, the_city, his_parents, Rome, us
travel: to_Italy, by_train, alone, around_the_world, a_lot, by_plane
call: @person, her_mother, a_taxi, the_police, me, the_doctor
phone: her_mother, his_boss, the_office
open: the_window, the_door, a_bottle, the_shop, the_letter
close: the_door, the_shop, the_window, his_eyes, the_book
start: work_at_nine, a_new_job, to_cry, at_eight, the_car
finish: work_at_five, the_book, dinner, the_project, late
wait: for_the_bus, for_me, outside, at_the_corner, for_his_wife
ask: a_question, for_help, the_teacher, many_questions, the_price
answer: the_phone, the_question, my_email, all_the_questions
carry: @object, a_heavy_bag, the_boxes, an_umbrella
paint: the_wall, pictures, the_door, a_portrait
smoke: ten_cigarettes, a_pipe, outside, too_much
cry: all_night, a_lot, in_the_cinema
laugh: a_lot, at_my_jokes, very_loudly
smile: at_me, all_the_time, at_the_baby
jump: very_high, on_the_bed, over_the_wall
stay: at_home, in_bed, in_a_hotel, here, with_her_aunt
stop: at_the_shop, the_car, here
try: to_sleep, a_new_dish, on_the_dress, again
use: @object, the_computer, a_pencil, the_car, my_phone
explain: the_lesson, the_problem, the_rules, everything
practise: the_piano, yoga, every_word, her_English
repair: cars, the_bike, computers, the_roof
fix: the_car, the_computer, bikes, the_roof
collect: stamps, coins, shells, old_books
arrive: late, at_nine, at_the_station, home, in_London, early, on_time
enjoy: the_party, the_film, his_job, the_music
love: @massfood, @animals, his_wife, music, chocolate, my_city, this_song
like: @massfood, @animals, @sport, pizza, music, this_song, chocolate, coffee, cats, rock_music, my_car
hate: @massfood, spiders, Mondays, this_song, the_rain, carrots
want: @object, @food, @drink, a_new_phone, a_dog, more_time, to_sleep, some_water, to_go_home
need: @object, some_help, a_new_car, money, a_doctor, more_time, a_pen, to_rest
prefer: tea, the_red_one, the_beach, coffee_to_tea
remember: my_name, the_party, her_birthday, everything
know knew known: the_answer, my_brother, a_good_restaurant, the_truth, his_name, that_man, everything
understand understood understood: the_problem, English, the_question, the_lesson, everything
believe: in_God, the_story, her_friend, me
hope: to_win, to_see_you_soon
look: for_the_keys, happy, at_the_picture, tired, like_his_father, out_of_the_window
feel felt felt: tired, better, sick, cold, happy, bad
miss: the_bus, her_family, his_country, the_train
change: the_subject, his_mind, jobs, clothes
move: to_a_new_house, the_table, to_Berlin
plan: a_trip, the_party, the_holidays
invite: @person, her_friends, us_to_dinner, all_the_neighbours
rent: a_flat, a_car, films
borrow: books, my_pen, money_from_the_bank
push: the_door, the_car
pull: the_rope, the_door
hold held held: the_baby, my_hand, the_umbrella
order: a_pizza, two_coffees, the_soup
share: a_room, the_food, a_flat
save: money, the_file, a_lot
check: the_email, the_answers, the_oil
prepare: dinner, the_lesson, the_bags
plant: trees, flowers, tomatoes
kiss: the_baby, his_wife
marry: a_doctor, her_boyfriend
follow: the_rules, me, the_map
park: the_car, outside, here
bake: bread, a_cake, cookies
climb: the_mountain, a_tree, the_stairs
fight fought fought: with_his_brother, every_day, for_freedom
shout: at_the_children, very_loudly
thank: the_teacher, me, everybody
wish: you_luck, to_leave
turn: left, off_the_light, on_the_radio
join: the_club, the_team, us
complain: about_the_food, about_the_noise, a_lot
worry: about_money, too_much, about_the_exam
rain: a_lot, here
"""
HABITS = """every_day every_morning every_week on_Sundays on_Mondays in_the_evening at_night after_work after_school before_dinner
every_summer at_the_weekend every_year in_summer twice_a_week once_a_month every_Friday in_the_morning with_friends all_day"""
OFTEN = "always never often usually sometimes really also rarely still"
PAST_TIMES = """yesterday last_night last_week last_year last_month last_summer last_Monday last_Friday two_days_ago
a_week_ago an_hour_ago yesterday_morning in_2010 in_2019 three_years_ago last_weekend this_morning last_Saturday a_month_ago
when_I_was_young in_1998 yesterday_evening the_day_before_yesterday"""
NOW = "now right_now at_the_moment today this_week tonight"
FUTURE = "tomorrow next_week next_year soon tonight later next_summer on_Monday"
PERFECT = "already never just twice"
MODALS = "can must should will could may might would"
THING_VERBS = """cost: a_lot, ten_euros, too_much, fifty_pounds
work: well, very_badly, again
smell: good, of_coffee, terrible
look: new, expensive, beautiful, old, good
belong: to_me, to_my_uncle, to_Anna
break: easily
open: at_nine, easily, very_early
close: at_six, on_Sundays, late
start: at_eight, at_ten, on_Monday
need: a_new_roof, water, repairs
stop: here, at_the_corner
make: a_lot_of_noise
seem: easy, very_old, broken
weigh: ten_kilos, a_lot
arrive: at_six, late, on_time
taste: good, delicious, sweet, strange"""
TO_VERBS = "want need hope decide plan learn promise agree refuse offer expect try would_like"
GERUND_VERBS = "enjoy finish avoid mind suggest miss keep dislike practise"
GERUND_AFTER = """good_at afraid_of tired_of interested_in bad_at thinking_of fond_of"""
LIKED = """pizza music football this_city coffee your_house chocolate cats this_song my_job swimming tea Italian_food dogs films the_sea reading
my_family this_book rice"""
IT_IS = """raining very_cold_today late cold hot_in_here snowing very_important windy sunny_today a_nice_day difficult_to_explain my_birthday Monday
a_good_idea ten_o'clock very_late dark not_true not_possible very_hot time_to_go a_beautiful_city easy not_far too_late a_big_problem impossible
my_favourite_song very_far a_good_film cloudy_today"""
