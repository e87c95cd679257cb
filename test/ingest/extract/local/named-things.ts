/** Each text names one thing of a kind, in a different form: the text, and the thing that memory should know. */
export const NAMED_ONCE: readonly (readonly [said: string, thing: string])[] = [
  // fabrics
  ['The curtains are made of linen now.', 'linen'],
  ['I sewed a dress out of velvet.', 'velvet'],
  ['My aunt cannot stand polyester.', 'polyester'],
  ['I dyed some silk with beetroot.', 'silk'],
  ['We cut up the old denim for patches.', 'denim'],
  ['It is lined with satin.', 'satin'],
  // trees
  ['We planted a willow when our daughter was born.', 'willow'],
  ['The storm took our birch.', 'birch'],
  ['There is a maple outside my window.', 'maple'],
  ['I fell out of an oak once.', 'oak'],
  ['The neighbours want us to cut down the cypress.', 'cypress'],
  ['Our walnut did not survive the frost.', 'walnut'],
  ['A poplar fell on their garage.', 'poplar'],
  ['It was a sycamore, I think.', 'sycamore'],
  // drinks
  ['I drank too much cider at the fair.', 'cider'],
  ['She spilled espresso on my laptop.', 'espresso'],
  ['We toasted with champagne.', 'champagne'],
  ['Nothing beats lemonade in August.', 'lemonade'],
  ['I have been off whisky since spring.', 'whisky'],
  ['They drowned it in gin.', 'gin'],
  ['He cannot start without cocoa.', 'cocoa'],
  // tools
  ['I broke the chisel on the first try.', 'chisel'],
  ['My dad handed me his hacksaw.', 'hacksaw'],
  ['Someone borrowed my sledgehammer and never returned it.', 'sledgehammer'],
  ['I bought a pair of tongs at the flea market.', 'tongs'],
  ['The axe slipped and I nearly lost a toe.', 'axe'],
  ['He hit his thumb with a mallet.', 'mallet'],
  ['Someone stole our wheelbarrow.', 'wheelbarrow'],
  // flowers
  ['The tulips came up early this year.', 'tulips'],
  ['He brought me peonies.', 'peonies'],
  ['I pressed a violet in my diary.', 'violet'],
  ['My orchid is dying again.', 'orchid'],
  ['The dahlias were eaten by snails.', 'dahlias'],
  ['They gave her lilies.', 'lilies'],
  ['The hydrangea refused to bloom.', 'hydrangea'],
  // games
  ['We played backgammon all night.', 'backgammon'],
  ['My nephew beat me at checkers.', 'checkers'],
  ['I am hooked on solitaire.', 'solitaire'],
  ['Dominoes was what kept grandpa going.', 'dominoes'],
  ['Anyone up for charades?', 'charades'],
  ['Whist was her whole life.', 'whist'],
  ['He lost everything at roulette.', 'roulette'],
  ['They taught me mahjong.', 'mahjong'],
  // furniture
  ['I finally threw out the futon.', 'futon'],
  ['My grandmother left me her rocking chair.', 'rocking chair'],
  ['We squeezed a bunk bed into the small room.', 'bunk bed'],
  ['I sanded the old stool.', 'stool'],
  ['The ottoman has a hole in it.', 'ottoman'],
  ['They assembled the sideboard upside down.', 'sideboard'],
  ['It used to be a washing machine.', 'washing machine'],
  // vehicles
  ['I learned to drive on a tractor.', 'tractor'],
  ['My scooter was stolen.', 'scooter'],
  ['We rented a canoe for the afternoon.', 'canoe'],
  ['I threw up on the ferry.', 'ferry'],
  ['They crossed the strait in a hovercraft.', 'hovercraft'],
  ['He crashed the moped into a hedge.', 'moped'],
  // fruit
  ['I picked three kilos of gooseberries.', 'gooseberries'],
  ['The wasps got into my plums.', 'plums'],
  ['We made jam from apricots, figs and quinces.', 'quinces'],
  // insects
  ['A hornet chased me around the garden.', 'hornet'],
  ['There were cockroaches in the shower.', 'cockroaches'],
  ['A grasshopper sat on my sleeve.', 'grasshopper'],
  ['Those were bumblebees.', 'bumblebees'],
  ['Moths ate all my jumpers.', 'moths'],
  // clothes
  ['I lost a mitten on the chairlift.', 'mitten'],
  ['My old sandals fell apart in the rain.', 'sandals'],
  ['He got married in a kilt.', 'kilt'],
  ['He wore suspenders to the interview.', 'suspenders'],
  ['She knitted me a poncho.', 'poncho'],
  ['This is my third pair of galoshes.', 'galoshes'],
  // illnesses
  ['My brother is down with tetanus.', 'tetanus'],
  ['I had whooping cough as a kid.', 'whooping cough'],
  ['They think it might be gout.', 'gout'],
  ['Migraine kept me in bed.', 'migraine'],
  ['He never got over the diphtheria.', 'diphtheria'],
  ['It was diagnosed as sciatica.', 'sciatica'],
  ['They said it was hay fever.', 'hay fever'],
  ['She has had anemia since March.', 'anemia'],
  // jobs
  ['Before that I worked as a blacksmith.', 'blacksmith'],
  ['My uncle was a beekeeper.', 'beekeeper'],
  ['She trained to be an optician.', 'optician'],
  ['I used to be a dishwasher in a diner.', 'dishwasher'],
  ['They hired her as a plumber.', 'plumber'],
  ['He ended up as a bailiff.', 'bailiff'],
  ['She went from being a typist to being a midwife.', 'midwife'],
  ['Her dream is to become a cartographer.', 'cartographer'],
  // sports
  ['I took up kayaking last spring.', 'kayaking'],
  ['Wrestling ruined my shoulder.', 'wrestling'],
  ['I never got the hang of snowboarding.', 'snowboarding'],
  ['We go bowling on Fridays.', 'bowling'],
  ['Jogging is killing my knees.', 'jogging'],
  ['He quit boxing when he was thirty.', 'boxing'],
  ['She swears by canoeing.', 'canoeing'],
  ['There is nothing like croquet.', 'croquet'],
  // dances
  ['I embarrassed myself at salsa.', 'salsa'],
  ['They taught us the waltz.', 'waltz'],
  ['Tango is not for me.', 'tango'],
  ['They danced the foxtrot till two.', 'foxtrot'],
  // mammals
  ['A fox got into the henhouse.', 'fox'],
  ['We watched otters from the bridge.', 'otters'],
  ['I nearly ran over a badger.', 'badger'],
  ['My first pet was a guinea pig.', 'guinea pig'],
  ['There was a squirrel in the attic.', 'squirrel'],
  ['Something killed our chickens, it was a weasel.', 'weasel'],
  ['As a girl she rode a camel.', 'camel'],
  // gems
  ['He proposed with a sapphire.', 'sapphire'],
  ['I inherited the pearls.', 'pearls'],
  ['It is set with garnets.', 'garnets'],
  // buildings
  ['We slept in a lighthouse.', 'lighthouse'],
  ['They turned the old mill into flats.', 'mill'],
  ['They got married in a chapel.', 'chapel'],
  // cheese
  ['I brought back a wheel of gouda.', 'gouda'],
  ['They served camembert with everything.', 'camembert'],
  ['He is allergic to feta.', 'feta'],
  // sweets
  ['She baked macaroons for the class.', 'macaroons'],
  // toys
  ['My son lost his kite in a tree.', 'kite'],
  ['The trampoline blew away.', 'trampoline'],
  // crafts
  ['I picked up quilting during the winter.', 'quilting'],
  ['She unwinds with crochet.', 'crochet'],
  ['Weaving takes up all her evenings.', 'weaving'],
  // fish
  ['I caught a pike with my bare hands.', 'pike'],
  ['The trout got away.', 'trout'],
  ['He keeps guppies.', 'guppies'],
  ['They fried the mackerel in butter.', 'mackerel'],
  // herbs
  ['Somebody trampled my basil.', 'basil'],
  ['I put thyme in everything.', 'thyme'],
  // nuts
  ['She choked on a pistachio.', 'pistachio'],
  ['There were hazelnuts all over the lawn.', 'hazelnuts'],
  // spices
  ['It needs more cinnamon.', 'cinnamon'],
  ['They ran out of saffron.', 'saffron'],
  // reptiles
  ['It turned out to be a chameleon.', 'chameleon'],
  // music
  ['She picked up the bagpipes at forty.', 'bagpipes'],
  ['He sold the harmonica for beer.', 'harmonica'],
  // dishes
  ['She brought a quiche.', 'quiche'],
  ['There were pancakes on the ceiling.', 'pancakes'],
  // weapons
  ['They found a musket in the wall.', 'musket'],
];

/** Everyday things that nobody would list; the frames below mention them without a fact. */
export const CLUTTER: readonly string[] =
  'door,bed,hour,way,day,feet,idea,problem,phone,street,table,hand,weather,morning,head,noise,window,sky,money,bag,room,glass,water,floor,wall,hair,face,man,heart,piece,point,plan,light,message,link,box,paper,key,line,side,car,house,shop,office,meeting,ticket,letter,neck,meal,animal,tree,bird,fish'.split(
    ',',
  );
