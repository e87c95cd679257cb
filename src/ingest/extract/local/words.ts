function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter(Boolean));
}

/** Words a sentence may open with in capitals without being a name. Closed classes and chat openers only. */
export const OPENERS = words(`
  a an the this that these those my your his her its our their i you he she it we they me him us them
  and but or so yet because if when while since although though as after before until unless once whether
  in on at by for from with about to of into over under during between through without around near
  what who whom whose which where why how do does did is are was were am be been have has had can could
  will would shall should may might must not no nor yes yeah yep nope ok okay sure thanks thank please
  hey hi hello wow oh ah aw aww haha lol hmm well also just even still really very too then there here now
  today tomorrow yesterday tonight maybe perhaps actually honestly absolutely definitely totally exactly
  good great nice cool awesome amazing wonderful congrats congratulations sorry glad happy sounds looks
  let lets let's every each some any many most all both another one two three last next first
  everyone everything someone something anyone anything nothing nobody bye cheers welcome wish hope`);

/** Nouns that say too little to be remembered by. */
export const VAGUE_NOUNS = words(`
  thing stuff lot lots way kind sort type bit part time times day days week weeks month months year years
  hour hours minute minutes moment moments morning afternoon evening night weekend today yesterday tomorrow
  tonight people person guy guys one ones someone everyone anyone something anything everything nothing
  everybody nobody somebody place places point points fact idea ideas case example reason reasons result
  problem question answer thanks thank luck fun news world life lives man woman men women folk folks
  couple few bunch ton tons number amount end start top side back front area spot piece matter sense
  deal shot vibe vibes feeling feelings chance look talk chat word words wow haha lol hey hi hello bye
  congrats congratulations pleasure sake while rest middle set love joy happiness hope dream dreams goal
  goals step steps change changes difference experience experiences memory memories journey story
  stories support help care effort mind heart eye eyes hand hands self name age kinda gonna wanna hug hugs
  hour ago sec second seconds awe glad yay yep nah ooh aww cheer cheers smile smiles laugh job work
  passion balance progress opportunity energy strength courage comfort peace beauty value values thought
  thoughts opinion advice tip tips detail details info information level option options choice picture
  pic pics photo photos image video blast others other loads load voice path paths guts check empathy
  awareness reality impact trust belief confidence corner reaction reactions challenge challenges struggle
  struggles purpose role growth pride spirit energy faith respect attention interest control pressure
  environment atmosphere outlet plan plans plus quote saying guess bet need needs focus influence bond
  connection conversation situation approach aspect ability skill skills talent luck blessing gift treat
  escape break chapter success failure issue issues trouble mess mood soul look looks color colors
  colour colours reminder inspiration motivation excitement patience courage honor thinkin doin goin edu
  fam shoutout shout result outcome process state form style note like item items set piece pieces list
  perspective thrill death highs lows rock rocks wobble splashing vibes cheers stake term terms case cases
  hey ya yall bud buddy dude man gosh god goodness heck
  fan aim match glam power warmth count unity
  none nobody neither nor
  share mix touch turn try run go start end catch feel call move push pull rest stop`);

/** Words that only grade; they carry no identity in a noun phrase and no news in a sentence. */
export const GRADING = words(`
  good great nice cool awesome amazing wonderful fantastic incredible beautiful lovely gorgeous stunning
  perfect excellent super special fun funny cute sweet happy glad excited exciting sorry proud thankful
  grateful sure new old own big small little tiny huge large long short same other another such many much
  more most less least few several some any last next first second third final whole entire real true
  right wrong best better worst bad worse hard easy tough important interesting inspiring powerful
  impressive different certain main only full able ready free major total various able crazy wild
  rewarding refreshing relaxing peaceful calming meaningful helpful useful favorite favourite close early
  late recent current previous past upcoming available possible fresh top positive brave strong creative
  vibrant magical touching heartwarming heartfelt delicious yummy tasty unique solid pretty cozy kind warm`);

export const VAGUE_VERBS = words(`
  be have do get go come make take see look sound seem feel know think guess hope hear say tell ask mean
  agree appreciate understand imagine bet wonder let keep try want need like love thank wish believe
  remember forget suppose happen give put find use help become start continue talk chat check
  catch rock deserve inspire matter`);

export const MODALS = words('will would can could may might must shall should');
export const NEGATIONS = words("not never n't");
export const BE_FORMS = words('am is are was were be been being');

/** Subjects that point at something said before. */
export const POINTING = words(`
  it this that these those they he she there here which who what whoever whatever everything anything
  something nothing everyone someone anyone nobody one ones all both some many most others him them`);

export const UNCERTAIN = words(`
  if unless would could might may maybe perhaps probably possibly hopefully whether wish hypothetically
  should supposedly apparently`);
export const INTENTION = words(
  'will shall going plan planning intend want hope hoping thinking consider considering',
);
export const OPINION = words('think believe guess feel seem suppose imagine reckon doubt');

export const TITLES = words(
  'mr mrs ms miss dr prof professor sir madam president doctor aunt uncle coach judge',
);
export const KIN = words(`
  friend buddy pal husband wife partner boyfriend girlfriend fiance fiancee son daughter brother sister mom
  mum mother dad father grandma grandmother grandpa grandfather cousin nephew niece aunt uncle colleague
  coworker boss roommate neighbor neighbour teammate coach teacher mentor`);
export const PERSON_BEFORE = words('with met meet met by named called told tell asked ask invited thank');
export const PLACE_BEFORE = words(`
  in near around visit visited visiting across through outside toward towards via leaving left
  toured explored exploring`);
export const MOTION = words(
  'go come move travel fly drive trip head return back be relocate road flight tour visit walk ride welcome hail',
);
export const PLACE_ENDINGS = words(`
  park street avenue road beach lake river mountain mountains city town village island islands canyon bridge
  hotel cafe café restaurant airport station museum gallery trail forest valley square garden gardens zoo
  county bay falls desert coast country state studio theater theatre stadium library shelter`);
export const ORGANISATION_ENDINGS = words(`
  inc ltd llc corp corporation company university college school academy institute foundation association
  club team group council agency church hospital bank band organization organisation committee league
  union ministry department startup firm society charity community`);

/** Between two capitalised words these belong to the name: "Lord of the Rings". */
export const NAME_LINKS = words('of the de la van von der du da del di and & for');

/** First-person openings that are talk about the talk, or about feelings towards the listener. */
export const SMALL_TALK =
  /^(?:so |really |just |totally |also |definitely |completely |absolutely |always |truly |still |never )*(?:agree|hope (?:you|it|that|to hear|everything|all|things)|bet|hear (?:you|that|ya)|see (?:what|why|how|that|you)|know (?:what|how|you|that feeling|right|the feeling)|can (?:see|imagine|tell|relate|feel|only imagine)|could not agree|appreciate (?:it|that|you|your|the)|understand|wish you|will (?:let you|keep you|check|see you|talk|be sure|definitely check|make sure|definitely)|would love to (?:hear|see|know|join|try|check)|look forward|am (?:so |really |very |always |super |just |also |truly |still )*(?:happy for|proud of you|glad|sorry|here for|here if|here to (?:support|help)|looking forward to (?:hear|see)|excited for you|excited to (?:hear|see)|grateful (?:for (?:you|your)|to have you)|rooting|all ears|happy to (?:hear|help|see)|curious|sure|with you|off\b|lucky to have)|have (?:got your|your) back|love (?:that|this|it|how|your|hearing|the way)|do not (?:mention|worry)|get (?:it|that|you)|mean\b|feel (?:you|the same)|guess so|think so|was wondering|can (?:provide|help|offer|suggest|assist)|do not have (?:personal|access)|would (?:suggest|recommend)|think (?:you|that is|it is|that 's)|can not wait to (?:see (?:it|that|you|what|your|how|them)|hear)|have got to|must say|will do|did not know that|remember that)/;
