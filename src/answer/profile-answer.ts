import type { Citation, RetrievedEpisode, RetrievedFact, SearchResult } from '../model/retrieved-item.ts';
import { escaped } from '../util/escaped.ts';
import { isQuestion } from '../util/questions.ts';
import { ROLE_WORDS } from '../util/role-words.ts';
import { GENERIC_STATEMENT } from './defaults.ts';
import { type GivenAnswer, listedAnswer } from './given-answer.ts';
import { isAboutName } from './premise.ts';
import { thoughtsOf } from './thoughts.ts';

const ASKS_ABOUT =
  /^\s*(?:(?:and|so)\s+)?(?:who(?:['’]s| is| was| are| am| do)|what (?:all )?(?:do|can|could) (?:you|we|i) (?:know|remember|tell me|have|recall) (?:about|of|on)|what (?:have|did) (?:i|we) (?:told|tell) you about|what is known (?:about|of)|(?:can you )?(?:please )?(?:tell (?:me|us|\S+)(?: everything| all| more| something)?(?: (?:that )?you know)? about|describe))\s+(.+?)[\s?!.]*$/i;
/** In words, and of the question in characters. */
const [LONGEST_NAME, LONGEST_ASKED] = [4, 400];

/** Whose portrait a question asks for: "Who is Gina?", "What do you know about Gina?"; null for other questions. */
export function profileAsked(question: string): string | null {
  if (question.length > LONGEST_ASKED) return null;
  const name = ASKS_ABOUT.exec(question)?.[1]?.replace(/^(?:the|a|an)\s+/i, '');
  return name === undefined || name.split(/\s+/).length > LONGEST_NAME ? null : name;
}

/** A section of a portrait, with the facts that fit the time of the question, each as it is said to the asker. */
export interface ProfileSection {
  readonly title: string;
  readonly facts: readonly { readonly item: RetrievedFact; readonly said: string }[];
  /** Number of its facts, the omitted ones included. */
  readonly total: number;
}

/** Facts of a section, and of all that have none. */
const [MOST_OF_SECTION, MOST_OTHERS] = [3, 8];

/**
 * What memory holds of somebody: a line for each section of the portrait. Of somebody without sections, such as one who
 * is only mentioned, the facts that say most first. Null if no fact says something.
 *
 * @param names Name, aliases, and "Ann’s sister". A fact that begins with one of them says more than one that mentions it.
 */
export function profileAnswer(
  search: SearchResult,
  { sections, ...known }: Known & { readonly sections: readonly ProfileSection[] },
): GivenAnswer | null {
  const lines: Line[] = sections.map(({ title, facts, total }) => {
    const quotes = varied(facts)
      .slice(0, MOST_OF_SECTION)
      .map(({ item, said }) => ofFact(item, said));
    const left = total - quotes.length;
    return { title: `${title}: `, quotes, more: left > 0 ? ` (and ${left} more)` : '' };
  });
  if (lines.length === 0) for (const item of others(known)) lines.push(lineOf(ofFact(item, item.statement)));
  const shown = lines.flatMap(({ quotes }) => quotes);
  const saysWho = saysWhoIs(known.names);
  const isIntroduced = shown.some(({ item }) => item.kind === 'fact' && saysWho(item.statement));
  const introduction = isIntroduced || shown.length === 0 ? undefined : saidOf(search, saysWho, known)[0];
  const more = 0 < shown.length && shown.length < FEW_FACTS ? furtherSaid(search, known, shown) : [];
  if (introduction !== undefined) lines.unshift(lineOf(introduction));
  lines.push(...more.filter(({ quote }) => quote !== introduction?.quote).map(lineOf));
  return listedAnswer(search, numbered(lines));
}

interface Quoted {
  readonly item: RetrievedFact | RetrievedEpisode;
  readonly quote: string;
}

interface Line {
  readonly title: string;
  readonly quotes: readonly Quoted[];
  readonly more: string;
}

function ofFact(item: RetrievedFact, said: string): Quoted {
  return { item, quote: `${said.replace(/\.$/, '')}.` };
}

function lineOf(quoted: Quoted): Line {
  return { title: '', quotes: [quoted], more: '' };
}

/** The lines in words, and their quotes with numbers in the order of the text. */
function numbered(lines: readonly Line[]): {
  readonly lines: readonly string[];
  readonly citations: Citation[];
} {
  const citations: Citation[] = [];
  const words = lines.map(({ title, quotes, more }) => {
    const said = quotes.map(({ item, quote }) => {
      citations.push({ number: citations.length + 1, item, quote });
      return `${quote} [${citations.length}]`;
    });
    return `- ${title}${said.join(' ')}${more}`;
  });
  return { lines: words, citations };
}

/** "Ann’s mother": of whom a statement is. */
const OF_RELATIVE = /^\S+['’]s? \p{Ll}[\p{L}-]*/u;

/** Facts of different relatives before further ones of the same. */
function varied<Fact extends { readonly item: RetrievedFact }>(facts: readonly Fact[]): readonly Fact[] {
  const seen = new Map<string, number>();
  return facts
    .map((fact) => {
      const subject = OF_RELATIVE.exec(fact.item.statement)?.[0] ?? '';
      const before = subject === '' ? 0 : (seen.get(subject) ?? 0);
      seen.set(subject, before + 1);
      return { fact, before };
    })
    .toSorted((a, b) => a.before - b.before)
    .map(({ fact }) => fact);
}

/** Finds "my husband Rasmus", "Rasmus is Ann’s husband", "a sailor named Egon". */
function saysWhoIs(names: readonly string[]): (text: string) => boolean {
  const known = names.filter((name) => name !== '').map(escaped);
  const who = `(?:${known.join('|')})`;
  const own = `(?:my|our|\\p{L}[\\p{L}-]{0,60}['’]s?) (?:[\\p{L}-]{1,30} ){0,2}?(?:${ROLE_WORDS})`;
  const forms = [`${own},? ${who}`, `${who}(?:,? who)?,? (?:(?:is|was) )?${own}`, `(?:named|called) ${who}`];
  const pattern = new RegExp(`(?<![\\p{L}-])(?:${forms.join('|')})(?!['’\\p{L}])`, 'iu');
  return (text) => known.length > 0 && pattern.test(text);
}

interface Known {
  readonly names: readonly string[];
  readonly facts: readonly RetrievedFact[];
}

/** Facts of a portrait that has little; then sentences that name the person are quoted beside them. */
const FEW_FACTS = 4;
const MOST_SAID = 3;
const FEWEST_WORDS = 5;

/** What found turns say of somebody by name, apart from turns that are cited already. */
function furtherSaid(
  search: Pick<SearchResult, 'episodes'>,
  known: Pick<Known, 'names'>,
  shown: readonly Quoted[],
): readonly Quoted[] {
  const cited = new Set<string>(shown.flatMap(({ item }) => item.sources.map(({ episode }) => episode)));
  const isSaid = (text: string) =>
    known.names.some((name) => isAboutName(name, text) || endsWithName(text, name));
  return saidOf(search, isSaid, known)
    .filter(({ item }) => !cited.has(item.id))
    .slice(0, MOST_SAID);
}

/** The first sentence of each found turn by somebody else that says something. */
function saidOf(
  { episodes }: Pick<SearchResult, 'episodes'>,
  isSaid: (text: string) => boolean,
  { names }: Pick<Known, 'names'>,
): readonly Quoted[] {
  return episodes.flatMap((turn) => {
    if (names.includes(turn.speaker)) return [];
    const found = thoughtsOf(turn).find(
      ({ text, isStated }) =>
        isStated &&
        !text.startsWith('[') &&
        !isQuestion(text) &&
        (text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) >= FEWEST_WORDS &&
        isSaid(text),
    );
    return found === undefined ? [] : [{ item: turn, quote: `${turn.speaker}: “${found.text}”` }];
  });
}

/** "An old sailor named Egon.", but not "Thanks, Egon!" */
function endsWithName(text: string, name: string): boolean {
  return [...'.,!'].some((end) => text.includes(` ${name}${end}`) && !text.includes(`, ${name}${end}`));
}

function others({ facts, names }: Known): readonly RetrievedFact[] {
  return byWorth(facts, names)
    .filter(({ statement }) => !GENERIC_STATEMENT.test(statement))
    .slice(0, MOST_OTHERS);
}

/** Facts about somebody, those first that say most; of as much, the newest. */
export function byWorth(facts: readonly RetrievedFact[], names: readonly string[]): readonly RetrievedFact[] {
  const worth = worthOf(names);
  return facts
    .map((fact) => ({ fact, worth: worth(fact.statement) }))
    .toSorted(
      (a, b) => b.worth - a.worth || b.fact.validAt - a.fact.validAt || (a.fact.id < b.fact.id ? -1 : 1),
    )
    .map(({ fact }) => fact);
}

/** "is Ann’s sister", "lives in Basel", "just turned four": what lasts, or who somebody is. */
const LASTING =
  /^(?:also |now |just )*(?:is|are|has|lives|works|teaches|studies|wants|loves|likes|hates|plays|keeps|collects|speaks|moved|started|joined|became|graduated|married|turned)(?!\p{L})/u;
/** What holds for a moment. */
const MOMENT = /^(?:is|are) (?:\p{L}+ing|here|there|back|late|ill|sick|ready)(?!\p{L})/u;

/** How much a statement says of somebody: who that is to others, what lasts, what was done, and where others come first. */
function worthOf(names: readonly string[]): (statement: string) => number {
  const known = names.filter((name) => name !== '').map(escaped);
  const any = `(?:${known.join('|')})`;
  const [subject, related] = [
    new RegExp(`^(?<role>.{1,60}['’]s (?:\\p{Ll}[\\p{L}-]* ){1,3})?${any} `, 'iu'),
    new RegExp(`['’]s [^.,;]{1,40} (?:is|are) (?:[^.,;]{0,40} )?${any}(?!['’\\p{L}])`, 'iu'),
  ];
  const introduced = new RegExp(`(?:named|called) ${any}(?!['’\\p{L}])`, 'iu');
  return (statement) => {
    if (related.test(statement) || introduced.test(statement)) return 4;
    const found = subject.exec(statement);
    if (found === null) return 0;
    if (found.groups!.role !== undefined) return 4;
    const said = statement.slice(found[0].length);
    return LASTING.test(said) && !MOMENT.test(said) ? 3 : 1;
  };
}
