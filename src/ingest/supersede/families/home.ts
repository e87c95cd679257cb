import { type ClaimPart, type FamilyRules, type Predicate, part } from '../claim.ts';
import { isChange, nameWords, objectOf, rejectedIn, wordsOf } from '../predicate.ts';
import { isRegion } from '../regions.ts';
import { isTown } from '../towns.ts';

const LIVES =
  /^(?:lives|resides|is (?:living|based|settled)|has (?:lived|been living)|settled(?: down)?) (?:back |again |alone |together |mostly |all year )*(?:in|at|near|on) (.+)$/;
const MOVED =
  /^(?:moved|relocated|(?:has|have) (?:just )?(?:moved|relocated)) (?:back |home |out |away |over |down |up |again )*(?:from (.{1,40}?) )?(?:to|into) (.+)$/;
const LEFT =
  /^(?:moved (?:out of|away from)|(?:has )?left|does not live(?: any ?more)? in|no longer lives in) (.+)$/;
/** Of a while, or a manner of speaking: "lives in his car these days, it feels like". */
const PASSING =
  /\b(?:feels? like|seems like|so to speak|as it were|basically|practically|virtually|pretty much|for (?:the|a|this|one|two|three|a few) (?:\p{Ll}+ )?(?:days?|nights?|weeks?|weekends?|months?|summer|winter|holidays?|semester|term|conference|wedding)|until|on (?:holiday|vacation|business)|temporarily|meanwhile|this week(?:end)?|left (?:early|late)|at \d|this morning|tonight|yesterday)\b/iu;
const DWELLING =
  /^(?:an?|the|his|her|their|\S+['’]s)? ?(?:[\p{Ll}-]+ ){0,4}?(?:flat|apartment|house|home|place|studio|condo|cottage|rooms?|villa|farm|loft|townhouse|bungalow|dorm|duplex|penthouse)\b(?! office)/u;
const WITHIN = / (?:in|near|outside|at|on) (\p{Lu}.*)$/u;
const PART_OF =
  /^(?:the |an? )?(?:\p{Ll}+ )?(?:city|town|village|island|suburbs?|outskirts|cent(?:re|er)|north|south|east|west|coast|countryside|hills|heart|middle)(?: part| side)? (?:of|in|near|called|named|outside) /u;
/** One does not take them along into another tool or firm. */
const COMPANY =
  /\b(?:with|to (?:live|be) (?:with|near|close to|closer to)) (?:his|her|their|the|\S+['’]s) (?:whole )?(?:family|wife|husband|kids|children|parents?|mother|father|mum|mom|dad|sons?|daughters?|girlfriend|boyfriend|partner|spouse|dog|cat|grandparents?)\b/;

/** Where somebody lives: in one place at a time. */
export const home: FamilyRules = {
  cues: 'live move home settle relocate reside house flat apartment',
  read(predicate) {
    const { text, statement } = predicate;
    const lives = LIVES.exec(text);
    if (lives !== null) return PASSING.test(statement) ? [] : lived(predicate, lives[1]!);
    const moved = MOVED.exec(text);
    if (moved !== null) return reached(predicate, { from: moved[1], to: moved[2]! });
    const left = LEFT.exec(text);
    if (left === null || PASSING.test(statement)) return [];
    const value = nameWords(objectOf(left[1]!));
    return value.size === 0 ? [] : [part({ family: 'home', phase: 'denies', value })];
  },
};

function lived(predicate: Predicate, said: string): ClaimPart[] {
  const where = placeOf(said);
  const value = nameWords(where);
  if (value.size === 0) return [];
  const isNew = isChange(predicate) || rejectedIn(predicate).size > 0;
  return [
    part({ family: 'home', phase: 'holds', value, kind: kindOf(where), isOnly: true, isChange: isNew }),
  ];
}

/**
 * People move to firms and tools as well, and names alone do not tell which is which: a move is one of home where
 * something says that its end is a place. Of a flat in a town nobody knows whether the former home lay there too.
 */
function reached(predicate: Predicate, { from, to }: { from: string | undefined; to: string }): ClaimPart[] {
  const origin = from ?? / from (.+)$/.exec(objectOf(to))?.[1];
  const flat = DWELLING.test(to) ? WITHIN.exec(objectOf(to))?.[1] : undefined;
  const where = placeOf(flat ?? to);
  const value = nameWords(where);
  if (value.size === 0) return [];
  const isFromPlace = origin !== undefined && isPlace(placeOf(origin));
  const isSure = flat !== undefined || isPlace(where) || isFromPlace || PART_OF.test(to) || saysSo(predicate);
  return [
    part({
      family: 'home',
      phase: 'begins',
      value,
      kind: isSure || origin !== undefined ? kindOf(where) : '',
      from: origin === undefined || (isSure && isFromPlace) ? null : wordsOf(placeOf(origin)),
      isOnly: true,
      isChange: flat === undefined,
    }),
  ].filter(({ kind }) => kind !== '');
}

/** "Ålesund, Norway", or with whom. */
function saysSo({ statement }: Predicate): boolean {
  const within = Array.from(statement.matchAll(/, ((?:the )?\p{Lu}[\p{L} ]*)/gu), ([, name]) => name!);
  return within.some((name) => isRegion(placeOf(name))) || COMPANY.test(statement);
}

function isPlace(name: string): boolean {
  return isRegion(name) || isTown(name);
}

function kindOf(name: string): 'region' | 'town' | 'place' {
  if (isRegion(name)) return 'region';
  return isTown(name) ? 'town' : 'place';
}

/** The name, of "a small flat in Ghent with a view" and of "the north of Spain"; whose a thing is names no place. */
function placeOf(said: string): string {
  const object = objectOf(said).replace(PART_OF, '');
  const inner = DWELLING.test(object) ? (WITHIN.exec(object)?.[1] ?? object) : object;
  return inner
    .replace(/\S+['’]s /g, '')
    .split(/ (?:with|near|for|next to|on|in|from|as|at|by)(?= |$)/)[0]!
    .trim();
}
