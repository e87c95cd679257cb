import type { Speakers } from './speakers.ts';
import { KIN } from './words.ts';

const NAME = "\\p{Lu}[\\p{L}\\p{M}'’-]+(?: \\p{Lu}[\\p{L}\\p{M}'’-]+){0,2}";
const OWNED =
  "(?:[Mm]y|[Oo]ur|[Tt]he user['’]s|\\p{Lu}[\\p{L}\\p{M}-]+['’]s) (?:\\p{Ll}[\\p{L}-]* ){0,2}?\\p{Ll}[\\p{L}-]*";
const VERB =
  '(?=(?:is|was|has|had|will|can|does|did|just|also|recently|never|always|now|got|went|took|made|left|came|\\p{Ll}{2,}(?:s|ed))(?![\\p{L}-]))';

const NAMED_BETWEEN = new RegExp(`^(${OWNED}), (?:called |named )?(${NAME}), ${VERB}`, 'u');
const NAMED_BEFORE = new RegExp(`^(${NAME}), (${OWNED}), ${VERB}`, 'u');
const TO_BE_CALLED =
  /^(?:(?:[Pp]lease|[Jj]ust|[Yy]ou can|[Yy]ou may|[Ee]veryone|[Ee]verybody|[Pp]eople|(?:[Mm]y )?[Ff]riends|[Tt]hey) )*[Cc]alls? me (\p{Lu}[\p{L}\p{M}'’-]*)(?:,? (?:please|from now on|instead|for short))?[.!]*$/u;
const SET =
  /^(?:(?:please|can you|could you|kindly) )*(?:update|change|set|correct) (my [\p{L}][\p{L}\p{N} '’-]{1,40}?) (?:from .{1,60}? )?to (?:be )?(.{1,80}?)(?:,? please)?[.!]*$/iu;

const TOLD =
  /^(?:(?:(?:ok|okay|oh|and|also|so|ah|well|hey),? )?(?:(?:please |can you |could you )?(?:remember|note|keep in mind|do(?:n['’]t| not) forget|save|memorize)(?: that|:|,)|(?:FYI|for the record|just so you know|by the way|btw)[:,]?(?: that)?) )+(?=\p{L})/iu;

/**
 * A statement in the order that the reader knows: "My wife, Eva, is a nurse" as "My wife Eva is a nurse", "Call me Al"
 * and "Update my title to lead" as the attributes that they state.
 */
export function plainForm(text: string, speakers: Speakers): string {
  return withOwner(passive(text.replace(CHATTY, '').replace(KNOWN, '').replace(NEEDED, '')), speakers)
    .replace(TOLD, '')
    .replace(NAMED_BETWEEN, (_, owned: string, name: string) => `${owned} ${name} `)
    .replace(NAMED_BEFORE, (_, name: string, owned: string) => `${owned} ${name} `)
    .replace(TO_BE_CALLED, (_, name: string) => `My nickname is ${name}`)
    .replace(SET, (_, noun: string, value: string) => `${noun} is now ${value}`);
}

/** "If you need it": said to the listener. */
const NEEDED =
  /,? if (?:you|she|he|they|anyone|that|it) (?:needs?|wants?|helps?|asks?|matters)(?: it| that| one)?$/i;
/** What announces a statement in a chat. */
const CHATTY =
  /^(?:(?:ok|so|oh|and|also|right|well),? )?(?:(?:heads up|so basically|basically)[,:!]? |(?:update|other thing|one more thing|another thing|quick one|(?:big |good |bad |more )?news|in other news|fun fact|ps|p\.s\.)(?:[,:!]| -) )(?=\p{L})/iu;
/** "You know that I hate figs": what the listener knows is what is told. */
const KNOWN =
  /^(?:(?:and|but|so|as|well|oh),? )?(?:you(?: already| all)? (?:know|remember)|as you know,?|I told you(?: already)?|did I tell you) that (?=\p{L}+['’]?\p{L}* \p{L}+ )/iu;
const ONE_OF =
  'mum|mom|mama|mamá|papa|papá|mummy|mommy|dad|daddy|mother|father|grandma|grandpa|granny|grandad|nan|hubby|husband|wife|girlfriend|boyfriend';
const MANY = 'kids|boys|girls|twins|parents|in-laws';
const THINGS =
  'rent|car|kitchen|bathroom|flat|dentist|doctor|gp|phone|laptop|bike|boiler|knee|back|wrist|shoulder|ankle|hip|landlord|landlady|therapist|physio|passport|licence|mortgage|commute';
const OTHERS = 'sister|brother|son|daughter|landlord|landlady|boss|partner|fiance|fiancee|flatmate|roommate';
/** Where a word for a relative is no name that one calls and nobody else's relative: "Dad died", "told Mum". */
const UNOWNED = new RegExp(
  `(?<=^(?:(?:and|but|so|ok|oh|well|also|now|btw),? )*|[\\p{L}],? (?:and|with|at|to|for|from|by|of|that|but|since|because|when|where|while|if|told|tell|see|saw|visit|visited|visiting|called|ring|rang|phoned|asked|helped|help|miss|gave|lent|owe|paid|met|took|take|drove) )(${ONE_OF})(?=(?:'s)? \\p{L}|$|[.;!]|, (?:who|and|but|so|that)\\b)`,
  'giu',
);
const UNOWNED_FIRST = new RegExp(
  `^((?:(?:and|but|so|ok|oh|well|also|now|btw),? )*)(${OTHERS})(?=(?:'s| (?:is|was|has|had|will|died|got|said|says|wants|wanted|moved|came|left|just|finally|called|rang|works?|lives|started|can|\\p{L}{3,}ed)) )`,
  'iu',
);
const THING_FIRST = new RegExp(
  `^((?:(?:and|but|so|ok|oh|well|also|now|btw),? )*)(?:(${MANY})(?= (?:are|were|have|had|go|went|love|like|start|started|will|can) )|(${THINGS})(?= (?:is|was|has|had|needs|costs|went|broke|died|moved|says|said|wants|hurts|expires|runs out|goes|will) ))`,
  'iu',
);
const NO_OWNER_NEEDED =
  /\b(?:calls?|called|as|like|being|become|became|hi|hey|hello|thanks|thank|love|bye|dear|happy)$/i;

/** "Dad died" as "my dad died": a relative without an owner is the speaker's, unless it is who speaks. */
function withOwner(text: string, speakers: Speakers): string {
  const own = (all: string, kin: string, at: number, whole: string): string =>
    speakers.called(kin) !== null || NO_OWNER_NEEDED.test(whole.slice(0, at).trimEnd())
      ? all
      : `my ${kin.toLowerCase()}`;
  return text
    .replace(UNOWNED, (all: string, kin: string, at: number, whole: string) => own(all, kin, at, whole))
    .replace(
      THING_FIRST,
      (_, lead: string, many: string | undefined, one: string | undefined) =>
        `${lead}my ${(many ?? one ?? '').toLowerCase()}`,
    )
    .replace(UNOWNED_FIRST, (all: string, lead: string, kin: string) =>
      speakers.called(kin) === null ? `${lead}my ${kin.toLowerCase()}` : all,
    );
}

/** "(she's a chef at the mill)": a sentence of its own. */
const CLAUSE_IN_BRACKETS = / ?\(((?:i|we|she|he|they|my|our)(?:'(?:s|m|ve|re|d|ll))? [^()]{5,140})\)/iu;
/** "My little boy Theo", "my physio, Nuno" at the end: whom the next clause is about. */
const RELATIVE_LAST = new RegExp(
  `(?:[Mm]y|[Oo]ur) (?:\\p{Ll}+ ){0,2}(?:${[...KIN].join('|')}|boy|girl|baby|physio|landlord|landlady|manager|tutor)(?:,? \\p{Lu}\\p{L}+)?$`,
  'u',
);
/** "It used to be coffee, but these days I drink tea". */
const NOW_DIFFERENT =
  /^(.{8,160}?),? but ((?:these days|nowadays|now|since then|lately|today|this year|last \p{L}+),? (?:i|we) .+)$/iu;
/** "Can't come, they've put me on nights". */
const CALLED_UPON =
  /^(.{8,160}?), (?:(?:and|but|so|because|cause) )?(they(?:'ve| have| just| finally)* (?:made|gave|given|offered|invited|promoted|moved|put|sent|hired|fired|diagnosed|transferred) me .+)$/iu;
/** ", she's a nurse": the next sentence, about whom the one before names. */
const SPLICE =
  /(?<=.{12}), (?:(?:and|but|so) )?(?=s?he(?:'s |'ll |'d | is | was | has | had | will | used | moved | works? | lives? | just | got | started | plays? | studies | teaches | wants? | loves? | hates? | needs? ))/iu;

const THEN_TOLD =
  /(?:,| -|;)? (?:because|since|cause|cuz|but) (?=(?:i|we|my|our)(?:'| ))|(?:,| -|;) (?=(?:i|we)(?:'m|'ve|'re| am| are| have| had| got| need| can't| cannot| don't| work| live| hate| love| only| just| already)(?!\p{L})|(?:my|our) (?:[\p{L}'-]+ ){1,4}(?:is|are|has|have|was|can't|loves|hates|likes|needs|turns|lives|works) |(?:it|he|she)(?:'s| is| has) )/iu;

/** "Can you find a gift for my dad, he's into birds?": what is asked, and what is told beside it. */
export function splitQuestion(text: string): { readonly asked: string; readonly told: string | null } {
  const match = THEN_TOLD.exec(text);
  if (match === null || match.index < SHORTEST_QUESTION) return { asked: text, told: null };
  const [asked, next] = [text.slice(0, match.index), text.slice(match.index + match[0].length)];
  const [who] = RELATIVE_LAST.exec(asked) ?? [];
  return { asked, told: who === undefined ? next : withSubject(next, who) };
}

const SHORTEST_QUESTION = 10;
/** It asks the listener to do something. */
export const REQUEST =
  /^(?:(?:also|and|ok|so|now|then|please|next),? )*(?:write|draft|give|make|help|find|suggest|remind|plan|book|add|send|translate|compare|explain|tell|show|put|list|check|note)(?: me| us| it)? /i;
const RELATIVE = new RegExp(
  `\\b([Mm]y|[Oo]ur) ((?:\\p{Ll}+ )?(?:${[...KIN].filter((kin) => kin !== 'partner').join('|')}|manager|physio|landlord|landlady|tutor|therapist|girl|boy|baby))[, ]{1,2}(\\p{Lu}\\p{L}+(?: \\p{Lu}\\p{L}+)?)(?!'s? \\p{Ll}|\\p{L})`,
  'u',
);

/** "A message for my colleague Tomas" tells who Tomas is. */
export function relativeIn(text: string): string | null {
  const [, owner, kin, name] = RELATIVE.exec(text) ?? [];
  return owner === undefined ? null : `${owner.toLowerCase()} ${kin} is ${name}`;
}

const SOMEBODY = "(?:my|our|his|her|their|the|\\p{L}{2,}'s) (?:\\p{L}[\\p{L}'-]* ){0,3}?\\p{L}[\\p{L}-]*";
const WHO = new RegExp(
  `^(.*?\\b(${SOMEBODY}))(?:, who('s|'ve)? | \\(who('s|'ve)? )(?!(?:i|we|you|he|she|they)\\b)([^,()]{3,90}?)(?:\\)|,|$)(.*)$`,
  'iu',
);
/** "It's for my niece Ella who's turning 6". */
const WHO_IS = new RegExp(
  `\\b([Mm]y|[Oo]ur) ((?:\\p{Ll}+ )?(?:${[...KIN].join('|')}|girl|boy|baby)(?: \\p{Lu}\\p{L}+)?) who(?:'s| is) ([^,()]{3,60})$`,
  'u',
);
const IN_BRACKETS = new RegExp(`\\b(${SOMEBODY}) \\(([^()]{2,60})\\)`, 'iu');

/**
 * A sentence and what it tells in asides of somebody: "my boss Ida, who's retiring, helped" as "my boss Ida helped" and
 * "my boss Ida is retiring", "my mum (Deb, lives in Truro) called" as "my mum called", "my mum is called Deb" and "my mum
 * lives in Truro".
 */
export function withoutAsides(text: string): string[] {
  const bracket = CLAUSE_IN_BRACKETS.exec(text);
  if (bracket !== null) return [...withoutAsides(text.replace(bracket[0], '')), bracket[1]!];
  const [, before, after] = NOW_DIFFERENT.exec(text) ?? CALLED_UPON.exec(text) ?? [];
  if (before !== undefined) return [...withoutAsides(before), ...withoutAsides(after!)];
  const splice = SPLICE.exec(text);
  if (splice !== null) {
    const [head, next] = [text.slice(0, splice.index), text.slice(splice.index + splice[0].length)];
    const [who] = RELATIVE_LAST.exec(head) ?? [];
    const tail = who === undefined ? next : withSubject(next, who);
    return [...withoutAsides(head), ...withoutAsides(tail)];
  }
  const [all, lead = '', who = '', first, second, said = '', rest = ''] = WHO.exec(text) ?? [];
  if (all !== undefined && lead.split(' ').length < 14) {
    const be = (first ?? second) === undefined ? '' : /ve$/i.test(first ?? second ?? '') ? 'have ' : 'is ';
    return [`${lead}${rest.replace(/^[,)]*\s*/, ' ')}`.trim(), `${who} ${be}${said}`];
  }
  const [, owner, kin, state] = WHO_IS.exec(text) ?? [];
  if (owner !== undefined) return [text, `${owner.toLowerCase()} ${kin} is ${state}`];
  const inside = IN_BRACKETS.exec(text);
  if (inside === null) return [text];
  const [whole, holder = '', listed = ''] = inside;
  const told = listed.split(/, /).map((each) => aside(holder, each));
  if (told.some((each) => each === null)) return [text];
  return [text.replace(whole, holder), ...told.filter((each) => each !== null)];
}

function aside(owner: string, text: string): string | null {
  if (/^\d{1,2}$/.test(text)) return `${owner} is ${text}`;
  if (
    /^(?:is|was|has|lives|works|studies|plays|runs|comes|died|moved|from|in|also|aged|born|pregnant|retired)\b/i.test(
      text,
    )
  )
    return `${owner} ${/^(?:from|in|aged|also|born|pregnant|retired)\b/i.test(text) ? 'is ' : ''}${text}`;
  if (/^(?:an?|my|our|his|her) /i.test(text)) return `${owner} is ${text}`;
  return /^\p{L}{2,}(?: \p{Lu}\p{L}+)?$/u.test(text)
    ? `${owner} is called ${text.charAt(0).toUpperCase()}${text.slice(1)}`
    : null;
}

const DONE_TO_ME: Readonly<Record<string, string>> = {
  gave: 'given',
  took: 'taken',
  chose: 'chosen',
  drove: 'driven',
  showed: 'shown',
};
const THEY_DID =
  /^((?:and|but|so|also|then|well|today|yesterday),? )?they((?: have|'ve| just| finally| also)*) (made|gave|given|offered|invited|asked|told|hired|promoted|accepted|rejected|sent|put|paid|fired|chose|chosen|picked|took|taken|let|moved|transferred|diagnosed|interviewed) (me|us)(?= )/i;

/** "They made me lead": whoever they are, "I was made lead". */
function passive(text: string): string {
  return text.replace(THEY_DID, (_, lead: string | undefined, aux: string, verb: string, whom: string) => {
    const isPerfect = /have|'ve/i.test(aux);
    const isOne = whom.toLowerCase() === 'me';
    const be = isPerfect ? 'have been' : isOne ? 'was' : 'were';
    return `${lead ?? ''}${isOne ? 'I' : 'we'} ${be} ${DONE_TO_ME[verb.toLowerCase()] ?? verb}`;
  });
}

const HAS_DONE =
  /^(?:just |already |also )?(?:been|got|had|done|gone|made|taken|given|bought|\p{L}{3,}ed (?:the|an?|my|our|his|her|it))\b/u;

/** The clause with its subject in place of "he" or "she". */
function withSubject(clause: string, who: string): string {
  return clause.replace(/^s?he(?:'(s|ll|d))?(?= )/i, (all: string, short: string | undefined) => {
    const rest = clause.slice(all.length + 1);
    const verb =
      short === undefined
        ? ''
        : short === 'll'
          ? ' will'
          : short === 'd'
            ? ' would'
            : HAS_DONE.test(rest)
              ? ' has'
              : ' is';
    return `${who}${verb}`;
  });
}
