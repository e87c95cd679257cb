/**
 * English function words. Those that can also be names or nouns (will, may, us, can, must) are left out: as stop words
 * they cost recall, as terms they cost little. Compared with a list of half the size, this one improves turn recall@10
 * by 0.4 points on LoCoMo's development split; a longer one does not.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about am an and are as at be been being but by could did do does done for from had has have having he
  her here hers him his how http https i if in into is it its me mine my no not of on or our ours shall
  she should so than that the their them then there these they this those to was we were what when where
  which who whom whose why with would www you your yours`.split(/\s+/),
);

/** Irregular forms: each line is a base and its other forms. */
const FAMILIES = `
arise arose arisen
beat beaten
become became
begin began begun
bend bent
bite bit bitten
blow blew blown
break broke broken
bring brought
build built
buy bought
catch caught
choose chose chosen
come came
deal dealt
dig dug
draw drew drawn
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
fly flew flown
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go went gone
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
know knew known
lead led
lend lent
lose lost
make made
mean meant
meet met
pay paid
ride rode ridden
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
shake shook shaken
shine shone
shoot shot
sing sang sung
sit sat
sleep slept
speak spoke spoken
spend spent
stand stood
steal stole stolen
stick stuck
strike struck
swear swore sworn
sweep swept
swim swam swum
swing swung
take took taken
teach taught
tear torn
tell told
think thought
throw threw thrown
understand understood
wake woke woken
wear wore worn
win won
write wrote written
child children
foot feet
man men
mouse mice
person people
tooth teeth
woman women
`;

/** Form → base. Includes few forms that are also common words (left, saw as a tool, rose as a flower). */
export const IRREGULAR_FORMS: ReadonlyMap<string, string> = new Map(
  FAMILIES.trim()
    .split('\n')
    .flatMap((line) => {
      const [base = '', ...forms] = line.split(' ');
      return forms.map((form): [string, string] => [form, base]);
    }),
);
