import type { Family } from '../ingest/supersede/compare-claims.ts';
import { ClaimReading } from '../ingest/supersede/read-claims.ts';
import type { JudgedFact } from '../ingest/supersede/superseder.ts';
import type { EntityId, Milliseconds } from '../model/ids.ts';
import { escaped } from '../util/escaped.ts';

/** The sections of a portrait, in its order. */
export const SECTIONS = {
  family: 'Family and friends',
  home: 'Home and places',
  work: 'Work and study',
  health: 'Health',
  tastes: 'Likes and dislikes',
  things: 'Things and animals',
  ahead: 'Plans and dates ahead',
  open: 'Promises and open questions',
  changed: 'Lately changed',
} as const;
/** The name of a section. */
export type SectionKey = keyof typeof SECTIONS;

/**
 * One way into a section. A fact belongs to the section of the first rule with a claim of the person in one of the
 * families, or whose words fit the statement.
 */
interface SectionRule {
  readonly section: Exclude<SectionKey, 'changed'> | null;
  readonly families?: readonly Family[];
  /** Matched against the statement with "@" in place of the person's names. */
  readonly says: string;
  /** Kinds or categories: the fact has to have an entity of one of them besides the person. */
  readonly about?: string;
}

const ADVERB =
  '(?:(?:also|still|just|finally|really|actually|already|currently|recently|always|usually|often|now|never|both|even|only|so|very|totally|absolutely|definitely|mostly|regularly) )*';
/** The person as a subject, with auxiliaries. */
const WHO = `@ ${ADVERB}(?:(?:has|have|had|does|did|is|was|will|got|would) (?:not )?)?${ADVERB}(?:been )?${ADVERB}`;
const OWN = "(?:@'s|(?<!and )(?:his|her|their))";
const DESCRIBED = '(?:[\\p{L}-]+ ){0,2}';
const KIN =
  '(?:wife|husband|spouse|partner|fianc[ée]e?|boyfriend|girlfriend|missus|mother|mom|mum|father|dad|parents?|sons?|daughters?|bab(?:y|ies)|toddler|brothers?|sisters?|siblings?|twins?|cousins?|nephews?|nieces?|aunts?|uncles?|grand(?:mother|ma|father|pa|parents?|son|daughter|child|children|kids?)|gran|nana|in-laws?|(?:mother|father|sister|brother)-in-law|relatives|ancestors|best friends?|friends?|buddy|buddies|roommates?|flatmates?|godson|goddaughter)';
const BROOD = '(?:kids?|child|children|little ones?|family|fam|families|one-year-old)';
const SOME = '(?:an?|one|two|three|four|five|six|several|some|no|many|\\d+|the|another)';
const PET =
  '(?:dogs?|cats?|pupp(?:y|ies)|pups?|kittens?|pets?|hamsters?|rabbits?|parrots?|horses?|pon(?:y|ies)|turtles?|tortoises?|guinea pigs?|birds?|fish|chickens|goats?)';
const FEELING =
  '(?:thinks?|thought|feels?|felt|believes|guesses|agrees|thanks?|is (?:so |really |super |truly |very )*(?:glad|happy|sorry|excited|proud|grateful|thankful|amazed|impressed|inspired|thrilled|stoked|sure|pumped|over the moon)|shared? (?:an?|the|some|this) (?:photo|picture|pic|image|video))';

/** What holds for a moment, and so is no state of a person: "is waiting", "is on the bus". */
const MOMENT =
  '(?:(?:waiting|sitting|standing|lying|calling|ringing|crying|laughing|smiling|shouting|staring|typing|begging|praying|asleep|awake|hungry|thirsty|bored|speechless|jealous|drunk|late|ready|here|there|outside|upstairs|downstairs|back|in mourning|(?:so |too |very )?tired)(?! (?:for|to|of|on|until|till))\\b|on (?:the|his|her|their) (?:phone|bus|train|tram|way|sofa|toilet|couch)\\b|at the (?:door|station|till)\\b|running late\\b|(?:eating|cooking|driving|walking|leaving|coming|arriving|sleeping)[.!]?$)';

/**
 * Which facts about a person are in which section. The first rule that applies decides; a fact without one, or with one
 * of no section, stays among the facts of the entity. Dates and plans come before all (`placeOf`).
 */
const TABLE: readonly SectionRule[] = [
  { section: null, says: `^(?:[^@]*, )?@(?:'s ${DESCRIBED}[\\p{L}-]+)? (?:is|was) ${ADVERB}${MOMENT}` },
  { section: null, says: `^(?:[^@]*, )?@ ${ADVERB}${FEELING}\\b` },
  {
    section: 'ahead',
    says: `@ ${ADVERB}(?:is|has been) ${ADVERB}(?:planning|hoping|thinking of|looking forward to|considering|about to|preparing|saving (?:up )?for|organi[sz]ing|getting ready) (?!it\\b|that\\b|this\\b)|@ ${ADVERB}(?:plans|hopes|intends) `,
  },
  {
    section: 'open',
    says: `@ ${ADVERB}(?:ha[sd] )?(?:promise[sd]?|owes|vowed|pledged|swore|agreed to|committed to|offered to|borrowed|lent|must|wonders (?:whether|if|how|what)|wants to know|has to (?:pay|return|send|call|submit|finish|renew|book|reply|decide|buy|bring|fix|hand)|needs to (?:pay|return|send|call|submit|finish|renew|book|reply|decide|buy|bring|hand)|asked (?:[\\p{L}'@]+ ){1,5}(?:for|to|whether|if)\\b)|@ (?:is|was|has) ${ADVERB}(?:undecided|unsure|not sure|deciding|wondering|not (?:yet )?decided|not heard|waiting (?:for|on|to))\\b`,
  },
  {
    section: 'things',
    says: `${OWN} ${DESCRIBED}${PET}\\b|${WHO}(?:has|have|got|gets|adopt\\w*|bought|keeps?|rescued|fosters?) ${SOME} ${DESCRIBED}${PET}\\b`,
  },
  {
    section: 'family',
    families: ['partner', 'age'],
    says: `${OWN} ${DESCRIBED}(?:${KIN}|${BROOD})\\b|@[^;]*\\b(?:the|an?|old|close) (?:${KIN}|wife and kids)\\b|${WHO}(?:has|have|had|adopt\\w*|raising|expecting) ${SOME} ${DESCRIBED}(?:${KIN}|${BROOD})\\b|@ (?:is|was|became) ${ADVERB}(?:an? |the )?(?:single |proud |older |younger |only )*(?:${KIN}|child)\\b|\\b(?:with|for) (?:the )?(?:family|friends|kids)\\b|\\b(?:family and friends|friends and family)\\b`,
  },
  {
    section: 'tastes',
    families: ['attitude'],
    says: `@ ${ADVERB}(?:has (?:always )?)?(?:been )?(?:is )?(?:loves?|likes?|enjoy(?:s|ing)?|adores?|hates?|dislikes?|prefers?|cannot stand|does not (?:like|enjoy|eat|drink)|(?:mostly |not )?(?:really )?into|fond of|(?:all |really )?passionate about|(?:an? )?(?:big |huge )?fan of|crazy about|keen on|interested in|obsessed with|hooked on) (?!(?:it|that|this|them|how|when|what)\\b)|${OWN} ${DESCRIBED}(?:favou?rites?|faves?|hobby|hobbies|passion|thing)\\b|\\bone of @'s (?:favou?rites?|faves?)\\b`,
  },
  {
    section: 'work',
    families: ['job'],
    says: `${OWN} ${DESCRIBED}(?:job|work|boss|manager|colleagues?|workmates?|co-?workers?|company|business|career|office|team|stud(?:y|ies)|degree|school|university|thesis|teacher|professor|class|classes|store|shop|studio|start-?up|salary|promotion|employees?|clients?|customers?|grades|course)\\b|@[^;,]*\\b(?:jobs?|works? (?:at|for|as|on|in|with|part|full)|working (?:at|for|as|on|in|with)|hired|laid off|fired|promot(?:ed|ion)|retires?|retired|intern(?:ship)?|freelanc\\w+|employ\\w+|with (?:an?|the) (?:[\\p{L}-]+ ){0,2}(?:office|firm|company|studio|agency|practice)|salary|career|(?:run(?:s|ning)? for|in) office|volunteer\\w*|stud(?:y|ies|ied|ying)|graduat\\w+|degree|college|university|exams?|thesis|scholarship|enrol\\w+|semester|major(?:s|ed|ing) in|speaks (?:fluent |some |a little )?(?:\\p{L}+(?:ish|ese|ian|man|ic)|dutch|french|greek|czech|hindi|urdu|thai|hebrew|swahili|welsh|basque)\\b|learn(?:s|ed|ing|t) (?:to|an?|how)|certificat\\w+|internship|brigade|charity|fund-?rais\\w+|petition|local politics|joined (?:an?|the)|member of|part of (?:an?|the))\\b|@ (?:is|was|became) ${ADVERB}an? ${DESCRIBED}(?:engineer|teacher|nurse|doctor|lawyer|student|developer|designer|writer|artist|chef|manager|accountant|mechanic|photographer|musician|dancer|actor|driver|farmer|builder|researcher|mentor|\\p{L}{3,}(?:ist|ian))\\b`,
  },
  {
    section: 'health',
    says: `@[^;]*\\b(?:ill|illness|sick(?! (?:pay|note|leave)\\b)|flu|fever|allerg\\w+|asthma|diabet\\w+|cancer|injur\\w+|broke ${OWN} (?:arm|leg|foot|ankle|wrist|hand|nose|rib)|hurt ${OWN}|sprain\\w*|surgery|in hospital|hospitali[sz]\\w+|dentist|therap(?:y|ist)|medication|diagnos\\w+|blood pressure|migraines?|headaches?|insomnia|anxiety|depress\\w+|mental health|burn(?:t|ed)? ?out|stressed|diet|vegan|vegetarian|gluten|lactose|in shape|work(?:s|ed|ing)? out|workouts?|gym|fitness|yoga|boot ?camps?|marathon|weight|stretching|exercis\\w+(?! on\\b)|meditat\\w+|sleeps?|insurance)\\b|${OWN} (?:doctor|health|wellbeing|asthma|knee|back|shoulder|heart|diet|workouts?)\\b`,
  },
  {
    section: 'home',
    families: ['home'],
    says: `${WHO}(?:lives?|living|lived|moved (?:to|from|in|into|out|back)|grew up|born|from|comes from|resid\\w+|rent(?:s|ed|ing)?|based|renovat\\w+)\\b|${OWN} ${DESCRIBED}(?:home|house|flat|apartment|home ?town|neighbou?rhood|city|town|village|address|garden|yard|kitchen|bedroom|landlord|roots|area)\\b`,
  },
  {
    section: 'home',
    says: `${WHO}(?:visit\\w*|travel\\w*|went|goes|go(?:ing)?|flew|drove|explor\\w+|been|trip|vacation\\w*|stay\\w*|camp\\w*|toured|hik\\w+)\\b`,
    about: 'place',
  },
  {
    section: 'things',
    says: `${WHO}(?:owns?|drives?|rides?|bought|buy|purchased|sold|collects?|inherited|ordered|built|gave away)\\b(?! (?:it|them|that|this)\\b)|${OWN} ${DESCRIBED}(?:car|bike|bicycle|phone|laptop|computer|guitar|piano|violin|camera|boat|van|truck|motorbike|watch|necklace|ring|bracelet|bookshel\\w+|console|collection|instrument)\\b`,
  },
  {
    section: 'things',
    says: `${WHO}(?:has|have|got|uses?|lost) ${SOME} `,
    about: 'Things Pets Vehicles Devices',
  },
  { section: 'things', says: `^(?:[^@]*, )?@ `, about: 'Pets' },
  {
    section: 'tastes',
    says: `${WHO}(?:drinks?|eats?|started (?:[\\p{L}-]+ )?(?:lessons|classes)|tak(?:es|en) up (?:[\\p{L}-]+ )?\\p{L}+ing|took up (?:[\\p{L}-]+ )?\\p{L}+ing)\\b(?! (?:it|them|that|this)\\b)`,
  },
  // Trades: what somebody does for a living, told as a habit.
  {
    section: 'work',
    says: `^@ ${ADVERB}(?:teaches|restores|repairs|tunes|sells|designs|manages|coaches|edits|translates|runs (?:an?|the) (?!(?:half|mile|marathon|race|risk)\\b))`,
  },
  {
    section: 'tastes',
    says: `${WHO}(?:play(?:s|ed|ing)?|paint(?:s|ed|ing)?|read(?:s|ing)?|cook(?:s|ed|ing)?|bak(?:es|ed|ing)|sing(?:s|ing)?|danc(?:es|ed|ing)|draw(?:s|ing)?|writ(?:es|ing)|garden(?:s|ing)|knit(?:s|ting)?|hik(?:es|ed|ing)|surf(?:s|ed|ing)?|climb(?:s|ed|ing)?|swim(?:s|ming)?|run(?:s|ning)|ski(?:s|ed|ing)?|fish(?:es|ing)|cycl(?:es|ed|ing)|practi[cs](?:es|ed|ing)|blog(?:s|ging)|watch(?:es|ed|ing)?|took up|picked up|start(?:s|ed|ing)? (?:playing|\\p{L}+ing)|tr(?:ies|ied|ying) (?:out )?\\p{L}+ing)\\b`,
    about:
      'Hobbies Arts Music Books Films Games Sports Exercise Outdoors Cooking Instruments Stories Food Media Dance',
  },
];
const RULES = TABLE.map((rule) => ({ ...rule, words: new RegExp(rule.says, 'iu') }));

/** What a section is decided by, besides the statement. */
export interface Placing {
  readonly person: EntityId;
  /** Name and aliases of the person. */
  readonly names: readonly string[];
  readonly now: Milliseconds;
  /** Undated plans told before this are over. */
  readonly planned: Milliseconds;
  /** Kinds, and names of the categories, of the fact's entities besides the person. */
  readonly aboutOf: (fact: JudgedFact) => ReadonlySet<string>;
}

/** Where a fact stands in a portrait: `past` is a plan or an appointment whose time is over. */
export interface Place {
  readonly section: Exclude<SectionKey, 'changed'> | 'past' | null;
  /** How much it says: `STATE` of a state, such as a home or a liking; 1 of what happened; 0 of what does not stand alone. */
  readonly weight: number;
}

export const STATE = 2;
/** Words for what another sentence names. */
const POINTING = /\b(?:it|they|them|this|these|those|one)\b|\bthat\b(?! \p{L})/iu;

/** Who somebody is to the person: "@'s mother is called Hilde", "Mia is @'s daughter", "@ has two sons". */
const RELATION = new RegExp(
  `^(?:@ (?:is|was) (?:[^@]* )?${KIN} (?:of|to)\\b|@ has (?:also )?${SOME} ${DESCRIBED}(?:${KIN}|${BROOD})\\b|\\p{Lu}[^@]{0,40} (?:is|are) @'s ${DESCRIBED}(?:${KIN}|${BROOD})\\b|@'s ${DESCRIBED}(?:${KIN}|${BROOD})(?:'s name)?(?: \\p{Lu}[\\p{L}-]*| and){0,4} (?:is|are|lives?|works?|teaches|stud(?:ies|y)) (?!(?:in love|ill|sick|back|here|there|late|\\p{L}+ing)\\b))`,
  'u',
);

/** "From the first of April …": a state with the day on which it begins. */
const BEGINS = /^(?:from|as of|starting) (?!.* (?:to|till|until) )/iu;

const [SHORTEST, LONGEST] = [12, 220];

/** The section of a fact about a person, by the table above. */
export function placeOf(fact: JudgedFact, placing: Placing): Place {
  const { person, names, now, planned } = placing;
  const { statement, event, told } = fact;
  const reading = new ClaimReading(fact);
  const claims = READ.flatMap((family) => reading.claims(family)).filter(({ holder }) => holder === person);
  const said = marked(statement, names);
  const isState = RELATION.test(said) || claims.some(({ family }) => family !== 'plan');
  const weight = POINTING.test(statement) ? 0 : isState ? STATE : 1;
  if (statement.length < SHORTEST || statement.length > LONGEST) return { section: null, weight };
  const isPlan = claims.some(({ family, phase }) => family === 'plan' && phase === 'holds');
  // Of what lay ahead when it was told, the time may be over; what begins then goes on.
  const isDated = event !== null && (isPlan || event.start > told.at) && said.includes('@');
  const hasBegun = event !== null && event.end <= now && BEGINS.test(statement);
  if (isDated && !hasBegun) return { section: event.end > now ? 'ahead' : 'past', weight };
  const rule = RULES.find(({ families, words, about }) => {
    const isSaid = claims.some(({ family }) => families?.includes(family) ?? false) || words.test(said);
    return (
      isSaid && (about === undefined || about.split(' ').some((name) => placing.aboutOf(fact).has(name)))
    );
  });
  const section = isPlan ? 'ahead' : (rule?.section ?? null);
  return { section: section === 'ahead' && told.at < planned ? 'past' : section, weight };
}

/** Families whose claims are states. */
const STATES = ['home', 'job', 'partner', 'age', 'attitude', 'possession', 'attribute'] as const;
const READ: readonly Family[] = [...STATES, 'plan'];

function marked(statement: string, names: readonly string[]): string {
  const known = names.filter((name) => name !== '').toSorted((a, b) => b.length - a.length);
  return known.reduce((said, name) => {
    const person = new RegExp(`(?<![\\p{L}\\p{N}@])${escaped(name)}(?![\\p{L}\\p{N}])`, 'gu');
    return said.replace(person, '@').replace(/@['’](?:s\b)?/gu, "@'s");
  }, statement);
}
