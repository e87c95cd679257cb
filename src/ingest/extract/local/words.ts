import { wordSet } from '../../../util/collections.ts';
import words from './words.json' with { type: 'json' };

/** Words that may open a sentence with a capital without being a name. Closed classes and chat openers only. */
export const OPENERS = wordSet(words.openers);

/** Nouns with too little content to identify anything. */
export const VAGUE_NOUNS = wordSet(words.vagueNouns);

/** Words that only grade; they add neither identity to a noun phrase nor content to a sentence. */
export const GRADING = wordSet(words.grading);

export const VAGUE_VERBS = wordSet(words.vagueVerbs);

export const MODALS = wordSet(words.modals);
export const NEGATIONS = wordSet(words.negations);
export const BE_FORMS = wordSet(words.beForms);

/** Subjects that refer to an earlier sentence. */
export const POINTING = wordSet(words.pointing);

export const UNCERTAIN = wordSet(words.uncertain);
export const INTENTION = wordSet(words.intention);
export const OPINION = wordSet(words.opinion);

export const TITLES = wordSet(words.titles);
export const KIN = wordSet(words.kin);
export const MALE = wordSet(words.male);
export const FEMALE = wordSet(words.female);
/** First names that are also other words. */
export const FIRST_NAMES = wordSet(words.firstNames);
/** Verbs, as they are written, of what a firm or a person does. */
export const FIRM_VERBS = wordSet(words.firmVerbs);
export const PERSON_VERBS = wordSet(words.personVerbs);
/** What only persons and animals are. */
export const ANIMATE_STATES = wordSet(words.animateStates);
/** Nouns without an article for those who act: "Work called me". */
export const UNNAMED_AGENTS = wordSet(words.unnamedAgents);
export const PERSON_BEFORE = wordSet(words.personBefore);
export const PLACE_BEFORE = wordSet(words.placeBefore);
export const MOTION = wordSet(words.motion);
export const PLACE_ENDINGS = wordSet(words.placeEndings);
export const ORGANISATION_ENDINGS = wordSet(words.organisationEndings);

/** Between two capitalised words these are part of the name: "Lord of the Rings". */
export const NAME_LINKS = wordSet(words.nameLinks);

/** First-person openings about the conversation, or about feelings towards the listener. */
export const SMALL_TALK =
  /^(?:so |really |just |totally |also |definitely |completely |absolutely |always |truly |still |never )*(?:agree|hope (?:you|it|that|to hear|everything|all|things)|bet|hear (?:you|that|ya)|see (?:what|why|how|that|you)|know (?:what|how|you|that feeling|right|the feeling)|can (?:see|imagine|tell|relate|feel|only imagine)|could not agree|appreciate (?:it|that|you|your|the)|understand|wish you|will (?:let you|keep you|check|see you|talk|be sure|definitely check|make sure|definitely)|would love to (?:hear|see|know|join|try|check)|look forward|am (?:so |really |very |always |super |just |also |truly |still )*(?:happy for|proud of you|glad|sorry|here for|here if|here to (?:support|help)|looking forward to (?:hear|see)|excited for you|excited to (?:hear|see)|grateful (?:for (?:you|your)|to have you)|rooting|all ears|happy to (?:hear|help|see)|curious|sure|with you|off\b|lucky to have)|have (?:got your|your) back|love (?:that|this|it|how|your|hearing|the way)|do not (?:mention|worry)|get (?:it|that|you)|mean\b|feel (?:you|the same)|guess so|think so|was wondering|can (?:provide|help|offer|suggest|assist)|do not have (?:personal|access)|would (?:suggest|recommend)|think (?:you|that is|it is|that 's)|can not wait to (?:see (?:it|that|you|what|your|how|them)|hear)|have got to|must say|will do|did not know that|remember that)/;
