/** Things of one kind that one speaker names once each, and the question for all of them. */
export interface EnumerationKind {
  readonly name: string;
  readonly speaker: string;
  /** Names the kind only. */
  readonly question: string;
  /** Sentences that name a member without its kind. {x} is the member, {a} the member with its article. */
  readonly mentions: readonly string[];
  readonly members: readonly string[];
}

/** Everyday kinds; a benchmark uses at least a dozen members of each. */
export const ENUMERATION_KINDS: readonly EnumerationKind[] = [
  {
    name: 'cities',
    speaker: 'Ilan',
    question: 'Which cities has Ilan been to?',
    mentions: [
      'I spent four rainy days in {x} with my aunt.',
      'My suitcase went missing on the way to {x} and turned up three days later.',
      'We got off the night train at {x} and looked for somewhere to sleep.',
      'In {x} I walked along the river until my feet hurt.',
      'I still owe Petra money for the hotel in {x}.',
    ],
    members:
      'Lisbon,Kyoto,Ghent,Krakow,Seville,Dublin,Marrakesh,Toronto,Havana,Istanbul,Prague,Bergen,Lima,Nairobi,Naples,Boston,Vienna,Edinburgh,Riga,Melbourne,Cairo,Athens,Montreal,Hanoi'.split(
        ',',
      ),
  },
  {
    name: 'countries',
    speaker: 'Mara',
    question: 'Which countries has Mara travelled in?',
    mentions: [
      'The guards at the border of {x} stamped my passport twice by mistake.',
      'I drove through {x} for a week and hardly met another car.',
      'I learned to haggle in {x}, badly.',
      'My phone did not work anywhere in {x}.',
      'The coffee in {x} was the best of my life.',
    ],
    members:
      'Portugal,Morocco,Chile,Norway,Vietnam,Georgia,Iceland,Peru,Kenya,Greece,Estonia,Mexico,Jordan,Bolivia,Slovenia,Nepal,Cuba,Hungary,Canada,Ireland,Tunisia,Albania'.split(
        ',',
      ),
  },
  {
    name: 'pets',
    speaker: 'Ilan',
    question: 'Which animals has Ilan kept?',
    mentions: [
      'As a child I hid {a} under my bed for a week.',
      'My {x} used to wake me at five every morning.',
      'The neighbours fed my {x} while I was away.',
      'I cried for days when my {x} died.',
      'I bought {a} from a man on the market square.',
    ],
    members:
      'hamster,parrot,tortoise,goldfish,rabbit,ferret,canary,gecko,kitten,iguana,beagle,cockatoo,hedgehog,lizard,poodle,turtle,pony,donkey,goat,frog'.split(
        ',',
      ),
  },
  {
    name: 'instruments',
    speaker: 'Mara',
    question: 'Which musical instruments has Mara played?',
    mentions: [
      'I practised the {x} until the man upstairs knocked on the floor.',
      'Petra says that my {x} sounds like a kettle.',
      'I sold my old {x} to a student.',
      'I left my {x} on the tram and ran after it.',
      'I rented {a} for three months.',
    ],
    members:
      'cello,oboe,clarinet,trumpet,mandolin,harp,accordion,bassoon,flute,banjo,trombone,viola,ukulele,tuba,xylophone,harpsichord,saxophone,lute,zither,piccolo'.split(
        ',',
      ),
  },
  {
    name: 'dishes',
    speaker: 'Ilan',
    question: 'Which dishes has Ilan cooked?',
    mentions: [
      'I made {x} for six people and burned the bottom.',
      'I got the recipe for {x} from my grandmother, and it took all afternoon.',
      'There was so much {x} left that I froze half of it.',
      'My {x} came out too salty again.',
      'I promised to bring {x} to the birthday of my aunt.',
    ],
    members:
      'paella,lasagna,goulash,risotto,moussaka,ratatouille,gazpacho,borscht,couscous,curry,ravioli,gnocchi,minestrone,falafel,tempura,stroganoff,pilaf,enchiladas,fondue,jambalaya'.split(
        ',',
      ),
  },
  {
    name: 'illnesses',
    speaker: 'Mara',
    question: 'Which diseases has Mara suffered from?',
    mentions: [
      'The doctor said that it was {x} and sent me home for two weeks.',
      'I lay on the sofa with {x} while everybody else went to the lake.',
      'I missed my own birthday because of {x}.',
      'It turned out to be {x}, and I slept through most of March.',
    ],
    members:
      'measles,bronchitis,pneumonia,mumps,asthma,malaria,tonsillitis,scarlet fever,chickenpox,shingles,hepatitis,rubella,appendicitis,sinusitis,eczema,gastritis'.split(
        ',',
      ),
  },
  {
    name: 'sports',
    speaker: 'Ilan',
    question: 'Which sports has Ilan tried?',
    mentions: [
      'I signed up for {x} at the leisure centre and could hardly walk afterwards.',
      'I twisted my ankle at {x} in the first hour.',
      'My cousin talked me into {x}, and I was hopeless.',
      'I gave up {x} after a month because of my knees.',
    ],
    members:
      'fencing,judo,badminton,rowing,archery,squash,volleyball,karate,wrestling,hockey,golf,surfing,basketball,cricket,skiing,boxing,polo,rugby'.split(
        ',',
      ),
  },
  {
    name: 'birds',
    speaker: 'Mara',
    question: 'Which birds has Mara spotted?',
    mentions: [
      'I photographed {a} by the canal before breakfast.',
      'I heard {a} behind the allotments again this morning.',
      'I sat still for an hour, and then {a} landed on the fence.',
      'I drew {a} in my notebook and got the tail wrong.',
    ],
    members:
      'kingfisher,heron,woodpecker,buzzard,nightingale,magpie,osprey,puffin,cormorant,goldfinch,starling,wagtail,swallow,pheasant,raven,sparrow,owl,stork'.split(
        ',',
      ),
  },
  {
    name: 'vegetables',
    speaker: 'Ilan',
    question: 'Which vegetables has Ilan grown?',
    mentions: [
      'I put in two rows of {x} behind the shed.',
      'The slugs ate all my {x}.',
      'I gave Petra a whole bag of {x} over the fence.',
      'My {x} did nothing at all in that soil.',
    ],
    members:
      'carrots,leeks,spinach,turnips,radishes,cabbage,lettuce,onions,beets,celery,broccoli,artichokes,cauliflower,parsnips,asparagus,cucumbers'.split(
        ',',
      ),
  },
  {
    name: 'jobs',
    speaker: 'Mara',
    question: 'Which occupations has Mara tried?',
    mentions: [
      'I was {a} for one summer and hated the shoes.',
      'They took me on as {a}, mostly because I could drive.',
      'For half a year I earned my rent as {a}.',
      'I filled in as {a} for my cousin over the holidays.',
    ],
    members:
      'waiter,gardener,lifeguard,translator,cashier,carpenter,baker,librarian,barber,florist,plumber,teacher,bartender,electrician,nurse,courier,photographer'.split(
        ',',
      ),
  },
];

/** Unrelated sentences: {thing}, {garment}, {tool}, {room}, {person}, {day} and {number} come from the lists. */
export const FILLERS: readonly string[] = [
  'The {thing} in the {room} broke again, and nobody knows how to mend it.',
  '{person} rang on {day} and talked about the weather for an hour.',
  'I need a new {garment} before the wedding.',
  'The rent goes up by {number} euros from next month.',
  'I could not sleep, so I tidied the {room} until {number} in the night.',
  'My {garment} shrank in the wash.',
  '{person} lent me a {tool}, and I promptly lost it.',
  'The meeting on {day} was moved to the {room} because of the noise.',
  'There is a queue of {number} people at the counter every morning.',
  'I painted the {thing} blue, which was a mistake.',
  'The bus was late by {number} minutes, as usual.',
  'I found {number} buttons and a ticket in the pocket of my {garment}.',
  '{person} says that the new {thing} is too loud.',
  'My shoulder hurts from carrying the {thing} up the stairs.',
  'On {day} the lift was out of order for {number} hours.',
  'I read half a novel in the {room} and fell asleep over it.',
  'The {tool} I ordered is the wrong size.',
  'I wrote {number} letters and posted none of them.',
  '{person} wants to borrow my {tool} again.',
  'We argued about the {thing} until it got dark.',
  'The insurance will not pay for the {thing}.',
  'I have an appointment on {day} that I would rather forget.',
  '{person} got a promotion and a terrible new {garment}.',
  'It rained through the ceiling of the {room}.',
  'I lost {number} points in the quiz because of one silly mistake.',
  'The light in the {room} flickers when the {thing} is on.',
  'My sister gave the {thing} away without asking me.',
  'The parcel with the {garment} went back to the shop.',
  'I borrowed {number} euros from {person} and paid them back on {day}.',
  'Somebody left a {tool} on the stairs, and I nearly fell over it.',
];

export const SLOTS: Readonly<Record<string, readonly string[]>> = {
  thing:
    'lamp,radiator,mirror,armchair,bookcase,printer,kettle,curtain,doorbell,dishwasher,mattress,toaster,bicycle,vase,ladder,carpet,wardrobe,heater,clock,shelf,cupboard,fridge,television,umbrella'.split(
      ',',
    ),
  garment:
    'raincoat,scarf,cardigan,jacket,skirt,waistcoat,pullover,dress,blouse,overcoat,shirt,sweater,cap,belt'.split(
      ',',
    ),
  tool: 'screwdriver,hammer,wrench,drill,saw,chisel,pair of pliers,spirit level,stapler,tape measure,paintbrush'.split(
    ',',
  ),
  room: 'kitchen,attic,cellar,hallway,bathroom,library,office,garage,canteen,laundry,corridor,lobby'.split(
    ',',
  ),
  person: 'Petra,Tobias,Nadia,Henrik,Olga,Samuel,Ruth,Farid,Ingrid,Leo'.split(','),
  day: 'Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday'.split(','),
  number: 'three,seven,nine,twelve,fifteen,twenty,forty,sixty'.split(','),
};
