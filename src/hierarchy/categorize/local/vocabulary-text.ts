/**
 * The categories that people browse by. A line is `Name: meanings = words`: it stands below the less indented line
 * before it. A meaning is a noun of the taxonomy (`#2`: its second sense, `way<artifact`: the first
 * one that is a kind of artifact); everything that is a kind of it belongs to
 * the category, unless a category further down is nearer. Words after `=` belong there whatever their first sense is,
 * those with a capital as names only.
 */
export const VOCABULARY_TEXT = `
People: person, people, people#2 = man, woman, boy, girl, guy, lady, member, fan, peep
  Named people:
  Family: relative, kin, kin#2, spouse, ancestor = family, daughter, son, parent, sibling, in-law, bride, groom, fiance, fiancee
  Children: juvenile, baby = kid, child, toddler, teenager, teen, youth, newborn
  Friends: friend, friend#2, friend#3, companion, lover = friend, ally, buddy, pal, mate, bestie, girlfriend, boyfriend, folk, partner
  Colleagues: associate, employer, boss = employee, colleague, coworker, co-worker, workmate, team-mate, teammate, staff
  Students: student, enrollee
  Professions: professional, worker, employee, businessperson, skilled worker, official, attendant, messenger, linguist, horticulturist, cashier#2, agent<person = lawyer, engineer, farmer
    Artists: artist, performer, creator#2 = dancer, designer
    Musicians: musician, musician#2, singer = composer, rapper
    Writers: writer, journalist, writer#2
    Athletes: athlete, contestant = coach, player, runner
    Leaders: leader, ruler, politician, head#4, executive
    Teachers: educator, mentor = mentor, tutor, coach
    Scientists: scientist, intellectual, student#2 = historian, philosopher, scholar
    Health workers: health professional, medical practitioner, therapist = nurse, doctor, counselor, counsellor
    Soldiers: serviceman, veteran, fighter = soldier, veteran, troop
  Believers: religious person, religious leader, clergyman
  Characters: imaginary being, fictional character, spiritual being = hero, character
  Nationalities: inhabitant, ethnic group
Groups: group, social group, gathering, collection, social class
  Organisations: organization, organization#3, institution, agency = organization, organisation, agency, shelter, foundation, crew, personnel, police
    Companies: enterprise<organization, company, firm, company#4 = business, company, startup, start-up, firm, brand, corporation, Google, Microsoft, Apple, Amazon, Meta, Tesla, Netflix, Nvidia, IBM, Samsung, Sony, Toyota, Honda, Nike, Ikea, Starbucks, Walmart, Intel, bank, insurance
    Schools: educational institution, school, class#2 = school, university, college, kindergarten
    Teams: team
    Clubs: association = club, league, union
    Governments: government, polity<organization, government department, administrative unit, court, legislature = government, council
    Religions: religion#2
    Armies: military unit, military service, force#5, armed forces
    Bands: musical organization = band, orchestra, choir
  Communities: community, community#2, neighborhood#2 = community, society
  Audiences: audience, crowd = audience, crowd
Places: location, structure, land#4, facility, geographic point, area#5, way<artifact = site, spot, venue, address
  Regions: region, district, geographical area, administrative district, country#4 = region, state, county, coast, province, district
    Cities: city, municipality, town, city#2, national capital, village = city, town, village
    Countries: country, country#2, country#3, Baltic State
  Landscapes: geological formation, land#4, biome, vegetation, field, desert = forest, canyon, cave, desert, wood, jungle, field, trail, land, scenery, meadow
    Mountains: natural elevation, mountain range = mountain, hill, peak
    Waters: body of water = ocean, sea, lake, river, waterfall
    Beaches: beach, shore = beach, coast, seaside
    Islands: island, archipelago = island
    Parks: park, park#2, garden, tract, national park, playground = park, garden, playground
  Buildings: building, structure, housing = castle, building, tower
    Homes: dwelling, residence, home, home#2 = home, house, apartment, flat
    Rooms: room, floor, area#5 = kitchen, bedroom, office, roof, backyard, yard, hall, hallway, corridor, stair, staircase, entrance, lobby, doorway, ceiling, aisle
    Shops: mercantile establishment, place of business = store, shop, boutique, market, bakery
    Restaurants: restaurant, bar = restaurant, cafe, bar, pub, diner
    Museums: depository, museum = museum, library, gallery
    Churches: place of worship = church, temple, mosque, cathedral
    Hospitals: medical building, medical institution = hospital, clinic
    Workplaces: workplace, studio, factory = studio, workshop, station, office, warehouse
    Sports places: athletic facility, stadium = gym, stadium, pool, arena
    Landmarks: memorial<structure, bridge = memorial, statue, monument, cemetery
  Roads: way<artifact, road = road, street, sidewalk, route, traffic, parking lot
Activities: activity, act#2, action = motion
  Arts: art#2, fine arts, creation, craft, sewing = art, painting, drawing, pottery, craft, sculpture, ceramic, sketch, photography, knitting, mural, scrapbooking, origami, calligraphy, woodworking, crochet, embroidery
  Travel: travel, travel#2, travel#3, journey, journeying = trip, travel, journey, tour, flight, vacation, road trip, adventure, visit, transportation, commute, expedition
  Work: work, job, labor<work, employment = work, job, career, occupation, internship, labor, labour, management, shift, deadline
  Learning: education, learning, training, course, study, reading = class, lesson, course, workshop, education, degree, study, studying, training, reading, exam, test, quiz, grade, scholarship, curriculum
  Helping: aid#2, service, care, support, support#2, gift, helping = charity, volunteering, support, help, donation, fundraiser, counseling, mentorship, service, donation, kindness, volunteer, rescue, advocacy, activism, aid, protection
  Cooking: cooking, baking = cooking, baking, recipe
  Trade: commerce, transaction, marketing, purchase = shopping, marketing, sale, networking, advertising, promotion, exchange, order
  Projects: undertaking, production = project, campaign, program, initiative
  Research: investigation<work, inquiry, analysis = research, experiment
  Achievements: accomplishment, success, victory, award#1 = achievement, success, award, prize, medal, invention, discovery, trophy, honor, honour, recognition
  Hobbies: pastime, hobby, diversion, entertainment = hobby, hobbies, pastime, fun, interest
    Games: game, game#2, game#3, parlor game, computer game, card game = game, puzzle, chess, poker, chess, monopoly, crossword, board game, video game, trivia, dice
    Outdoors: camping, hike, fishing = hiking, camping, hike, picnic, outdoors, campfire, gardening, walk, barbecue
    Sports: sport, athletic game, contact sport = basketball, football, soccer, tennis, surfing, swimming, golf, boxing, skiing, cycling, climbing, martial art, triathlon, marathon, badminton, volleyball, baseball, hockey, rugby, cricket, martial art, karate, rowing, sailing, gymnastics
    Exercise: exercise, exercise#2, exercise#3, calisthenics, athletic training = yoga, workout, gym, fitness, training, stretching, running, jogging, pilates
    Dance: dancing, choreography, dance music = dance, dancing, ballet, choreography
  Rest: rest<inactivity, sleep, leisure = rest, sleep, relaxation, me-time, downtime, nap, meditation
  Conversations: conversation, discussion, speech act, communication#1, interview = talk, conversation, chat, discussion, speech, interview, feedback, presentation, debate, complaint
  Politics: social control, politics, election, group action = politics, election, policy, activism, reform, protest
  Housework: housework, cleaning, household = chore, cleaning, laundry, repair, renovation
  Conflicts: fight, conflict, war, crime, wrongdoing<activity, military action = war, fight, argument, abuse, violence, attack
Events: event, happening, social event
  Parties: party<affair, celebration = party, parties, celebration, birthday party, reunion, housewarming, baby shower, gathering
  Shows: performance, concert, show, show#3, play<show = concert, performance, show, gig, festival, exhibit, exhibition, recital, art exhibition, art show, rehearsal
  Competitions: contest, competition, contest#2 = competition, tournament, race, contest, match, championship
  Meetings: meeting, conference, gathering#2 = meeting, conference, convention, seminar, appointment, retreat, session
  Holidays: vacation, holiday, day#5, feast day = holiday, Christmas, Thanksgiving, Easter, Halloween
  Ceremonies: ceremony, wedding, ritual, funeral = wedding, ceremony, graduation, funeral, parade, christening
  Milestones: birthday, anniversary, birth<happening, death, beginning, ending<happening = birthday, anniversary, milestone, opening, launch, engagement, adoption
  Misfortunes: trouble<happening, misfortune, misfortune<fortune = accident, injury, flood, fire, crash, emergency, incident
  Changes: change, change#3, movement, change#4 = change, transition, move, growth, trend
Things: artifact, object, instrumentality<artifact, commodity, thing<artifact = gift, present
  Household goods: ware, furnishing<instrumentality = blanket, pillow, plate, towel
    Furniture: furniture, furnishing<instrumentality = chair, table, bed, sofa, seat, shelf, bookshelf, couch, mirror, lamp
    Containers: container, box = bowl, vase, cup, bag, box
    Decorations: decoration = decor, decoration, ornament, flag, candle
    Supplies: = supply, supplies, toiletries, kit, gear, resource
  Clothes: clothing, footwear, fabric = clothes, shoe, dress, hoodie, hat, outfit, fashion, boot, skirt
    Jewellery: jewelry, adornment = necklace, ring, jewelry, jewellery, bracelet
  Devices: device, machine, equipment, instrument = technology, tech, plug, disk
    Electronics: computer, electronic equipment, electronic device, telephone, computer hardware = phone, laptop, computer, tablet, console, headphone, e-reader, smartphone, smartwatch, camera, iPhone, iPad, MacBook, Kindle, PlayStation, Xbox, Nintendo, Android, Chromebook, Roomba, Alexa, Fitbit, radio, screen
    Tools: tool, implement, utensil = brush, ladder
    Appliances: home appliance, kitchen utensil, kitchen appliance = oven, fridge
    Weapons: weapon, weaponry
    Instruments: musical instrument = guitar, piano, violin, cello, drum, flute, clarinet, ukulele
  Vehicles: vehicle, conveyance<instrumentality = car, bike, bicycle, truck, van, boat, bus, train, plane
  Toys: plaything, game equipment = toy, doll, puzzle
  Artworks: work of art, art, picture, drawing#2, sculpture, graphic art = painting, sculpture, figurine, mural
  Materials: material, substance, matter#3, building material = clay, wood, metal, wire, gold, rope
  Sports gear: sports equipment
Food: food, food#2, foodstuff<food
  Fruit: fruit, edible fruit = fruit, apple, banana, berry, orange, grape, pear, peach, plum, mango, pineapple, strawberry, blueberry, raspberry, lemon, lime, cherry, melon, watermelon, avocado, kiwi
  Vegetables: vegetable, vegetable#2, legume = vegetable, veggie, veggies, carrot, potato, tomato, spinach, kale, broccoli, cabbage, lettuce, onion, garlic, cucumber, pumpkin, mushroom, bean, corn, pea, cauliflower, zucchini, eggplant
  Desserts: pie, dessert, cake<baked goods, confection, pastry, dainty = dessert, cake, cheesecake, tiramisu, brownie, cookie, ice cream, marshmallow, chocolate, pie, cobbler, sundae
  Drinks: beverage, alcohol = drink, coffee, tea, wine, beer, juice, water, cocktail, smoothie, lemonade, espresso, latte, whiskey, cider, soda
  Meals: meal, course<nutriment = meal, breakfast, lunch, dinner, supper, brunch, snack
  Dishes: dish<nutriment, pasta = pizza, soup, pasta, curry, stew, salad, sushi, chili, taco, burger, ramen, lasagna, noodle, risotto, burrito, omelet, rice, sandwich, kebab, tofu, egg, dish
  Bread: bread, baked goods = bread
  Meat: meat = chicken, beef, pork, turkey, lamb, bacon
  Fish dishes: seafood = salmon, tuna, shrimp, lobster, crab, oyster
  Dairy: dairy product = cheese, milk, yogurt, butter
  Seasonings: flavorer, ingredient = spice, herb, sauce, salt, pepper, basil, cinnamon, ginger
Nature: natural object, natural phenomenon, organism, environment, nature<natural object, physical process = nature, outdoors
  Animals: animal = animal, wildlife
    Pets: pet, domestic dog, domestic cat, guinea pig#2, hamster, kitten, puppy = pet, dog, cat, puppy, pup, kitten, kitty, guinea pig, hamster, rescue dog
    Birds: bird = bird
    Fish: fish
    Insects: insect, arthropod
    Horses: equine = horse, pony
  Plants: plant#2, plant part = plant, seed
    Trees: tree = tree
    Flowers: flower, flower#2 = flower, rose, tulip, sunflower
  Weather: atmospheric phenomenon, weather, storm, wind = weather, rain, snow, storm, wind, breeze, rainbow, thunder
  Sky: celestial body, sky, meteor, meteor shower, sunset#2, sunrise<natural phenomenon = sky, sun, moon, star, sunset, sunrise, planet, meteor, horizon
  Rocks: rock, rock#2, mineral = rock, stone, bone
Health: health, well-being, health#2, physical condition = health
  Illnesses: illness, ill health, disorder, pathological state = illness, flu, cancer, diabetes, anxiety, depression, asthma, allergy, deficiency, insomnia, migraine, infection, high blood pressure
    Injuries: injury, wound = injury, wound, fracture, burn
    Symptoms: symptom, pain#2 = pain, headache, fever, cough, symptom
  Treatments: treatment, medical procedure, medical science = therapy, treatment, surgery, counseling, checkup, check, vaccine, blood test, scan, MRI, X-ray, colonoscopy, dialysis, appointment, checkup, rehab, physiotherapy
    Medicines: drug = medicine, medication, vaccine, antibiotic, insulin, ibuprofen, aspirin, paracetamol, pill, vitamin, supplement
  Body: body part, body#1, body covering, bodily process, human body, body substance = body, heart, hair, ear, head
  Diets: diet = diet
  Wellbeing: well-being, health = mental health, self-care, wellness, wellbeing, well-being, recovery, comfort
Feelings: feeling, feeling#4
  Moods: mood, emotional state, psychological state = stress, mood, burnout, excitement, relief, pressure, boredom, frustration, confusion, energy, vibe
  Love: love, love#2, affection = love, affection, romance
  Joys: joy, happiness, pleasure, amusement, satisfaction = joy, happiness, pride, gratitude, fun, smile, laughter, laugh, joke, humor, humour
  Fears: fear, anxiety, fear<feeling = fear, anxiety, worry, concern, doubt
  Sorrows: sadness, sorrow, grief, anger = grief, loneliness, sadness, anger, loss, despair, disappointment, guilt, heartbreak
  Wishes: desire, hope, hope#2 = hope, dream, ambition, aspiration, passion, wish, need
  Senses: sensation, perception, perception#2 = smell, taste, sound, view, noise, touch, voice, silence, texture, flavor, flavour, scent
Ideas: cognition, idea, content#5, concept, abstraction<cognition, relation = theme, topic, subject
  Goals: goal, purpose, motivation = goal, purpose, motivation, resolution, priority, target, mission, cause, objective
  Plans: plan, plan#2, strategy = plan, strategy, agenda, schedule, step, timeline
  Beliefs: belief, attitude = belief, faith, attitude, mindset, opinion, perspective, outlook, spirituality
  Knowledge: knowledge domain, information, information<cognition = science, knowledge, insight, understanding, data, news, source
  Methods: method, procedure, know-how, practice, practice#2 = method, technique, tip, habit, routine, way, use, solution, approach, trick
  Problems: problem, problem#3, obstacle = problem, challenge, setback, hurdle, struggle, obstacle, issue, difficulty, hardship, mistake, error, failure, fault, crisis, danger, risk, mess
  Values: ideal, value<ideal, principle, morality = value, freedom, equality, justice, compassion, acceptance, inclusion, diversity, honesty, peace, dignity, respect, duty, responsibility, independence
  Memories: memory, memory#2, experience = memory, experience, memories, moment
  Choices: choice, decision = choice, decision, option, alternative, chance, opportunity, possibility, prospect, selection
  Rights: right<concept, law, law#2 = right, rights, law
  Identity: personality, identity, identity#2 = identity, gender, sexuality, self-expression, name, background, heritage
  Skills: ability, skill, talent = skill, talent, creativity, ability, leadership
  Qualities: trait, quality, attribute#2, property#2, appearance = trait, determination, courage, grit, confidence, resilience, commitment, patience, optimism, positivity, grace
  Situations: state#2, condition, situation, status = situation, circumstance, condition, case, matter, scene, requirement, security, safety
  Relationships: relationship, relationship#2, friendship, social relation = relationship, friendship, marriage, connection, bond, bonding, camaraderie, divorce, contact, network, breakup
  Influences: consequence, influence, influence#3 = effect, impact, benefit, influence, result, factor, outcome
  Amounts: measure#2, number, unit of measurement, size = rate, distance, percent, percentage, speed, frequency, ratio, pace, proportion, amount, sum, share, score, range
  Shapes: shape, color, pattern, line#4, visual property = color, colour, shape, pattern, design, square, circle, dot, angle
  Parts: part, part#2, part<thing = section, edge, top, bottom, front
Media: communication#2, medium, written communication = media, social media, content
  Books: book, publication, writing = book, novel, biography, classics, magazine, comic, chapter, newspaper, diary, journal
  Films: movie, television, broadcast = movie, film, documentary, series, tv show, video, clip, vid
  Music: music, song, musical composition, music genre = music, song, tune, album, playlist, melody
  Stories: narrative, fiction, literary composition, dramatic composition = story, poem, poetry, fairy tale, tale, legend, plot, mystery
  Pictures: photograph, representation#2, visual communication = photo, picture, pic, image, video, selfie, pics, photography
  Messages: message, letter = message, letter, email, e-mail, note, text, call, post, tweet, reminder, quote, greeting, reply
  Languages: language = language, English, Spanish, French, word, accent
  Internet: web site, computer network = website, internet, blog, app, online platform, platform, social network, account, podcast, newsletter, channel, TikTok, Instagram, Facebook, Twitter, YouTube, LinkedIn, Reddit, WhatsApp, Spotify, Pinterest, Wikipedia
  Software: software, code = software, app, framework, programming language, database, algorithm, api, Docker, Kubernetes, PostgreSQL, Postgres, MySQL, SQLite, MongoDB, Redis, Linux, Ubuntu, Windows, macOS, GitHub, GitLab, Git, Slack, Zoom, Teams, Python, Java, JavaScript, TypeScript, Rust, Kotlin, Swift, Scala, Ruby, React, Angular, Vue, Node, Django, Flask, Rails, TensorFlow, PyTorch, VS Code, Photoshop, Excel, Notion, Jira, Terraform, Kafka, Elasticsearch, GraphQL, ChatGPT, WordPress, Figma
  Documents: document, document#2, document#3, record#7 = document, certificate, contract, resume, paper, petition, report, page, list, application, form, license, article, essay
  Signs: signal, indication = sign, symbol, flag, logo
  Advice: proposal, guidance = advice, suggestion, guidance, feedback, input, compliment, review
  Questions: question
  Agreements: agreement, promise = agreement, promise
Money: money, money#2, money#3, possession#2, currency, cost, wealth = money, fund, funds, funding, budget, finance, economy, credit, grant
  Income: income, wage, financial gain = income, salary, wage
  Costs: expense, outgo, debt, liabilities = cost, expense, debt, bill, price, tax, rent, fee
  Investments: assets, investment = investment, stock, loan, investor
  Belongings: property = belonging, property
Time: time period, time#2, time unit, time#5, moment = time
  Dates:
  Seasons: season, season#2 = summer, winter, autumn, spring, fall
  Days: day, day#4, clock time, calendar day = morning, evening, night, weekend, day, afternoon
  Years: year, decade, century, month, calendar month
  Life stages: time of life, life<time period = childhood, retirement, youth, future
Topics:
Names:
Miscellaneous:
`;
