import type { Milliseconds } from '../model/ids.ts';
import { analyze } from '../search/analyzer.ts';
import { dayOf as dayInterval, type Interval, inferTense } from '../time/calendar.ts';
import { readTimes } from '../time/read-times.ts';
import { clockTime } from '../util/speaker-clock.ts';
import { askedSubject } from './asked-subject.ts';
import { DECISIVE_COVERAGE } from './defaults.ts';
import { dayOf, toldTime } from './quote-text.ts';
import type { Reckoning } from './reckoning.ts';
import { endsWhat } from './replaced-quotes.ts';
import type { ScoredQuote, TermKnowledge } from './score-quotes.ts';
import { aboutSpan, isDecisive, verdictOf } from './verdict.ts';
import { isSaid } from './wordings.ts';

type Knowledge = Pick<TermKnowledge, 'isSpeaker' | 'people'> & { readonly now: Milliseconds };

const ASKS_STILL =
  /^\s*(?:(?:and|so|but)\s+)?(?:is|are|am|do|does|has|have|can)\s(?![^?]*\bnot\b)[^?]*\b(?:still|any ?more)\b/i;
const ASKS_SPAN =
  /\b(?:how long|how many (?:years|months|weeks|days)) (?:did|was|were|has|have|had)\b(?! (?:it|this|that)\b)/i;
/** A statement that has the length itself is quoted. */
const SAYS_SPAN =
  /\b(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|few|several|some|many)(?: and a half)? (?:years?|months?|weeks?|days?)\b(?! (?:ago|later|before|after|old))/i;
/** It begins a state, or has it since a day. */
const BEGINS =
  /\b(?:moved (?:to|in)|start(?:ed|s)?|began|begun|join(?:ed|s)|bought|adopted|got|became|become|gone|took up|taken up|signed (?:up|on)|married|met|since|from|hired|went)\b/i;

/** "I have been taking lessons" holds. */
const LASTS = /(?:\bha(?:s|ve)|['’](?:ve|s)) been\b/i;

/**
 * Whether a state that a question asks for lasts ("Does Ann still …?", "… any more?"), by the last statement of it and by
 * what ended it; null where no statement decides.
 */
export function stillSo(
  question: string,
  scored: readonly ScoredQuote[],
  knowledge: Knowledge,
): Reckoning | null {
  if (!ASKS_STILL.test(question)) return null;
  const object = objectOf(question, knowledge);
  const isOfObject = ({ text, asked }: ScoredQuote) => {
    const words = new Set(analyze(text));
    return asked >= DECISIVE_COVERAGE || object.every((term) => words.has(term) || isSaid(term, text));
  };
  const told = scored.filter((quote) => isOfObject(quote) || quote.denies);
  const begun = (quote: ScoredQuote) => startOf(quote, (clause) => endsWhat(clause, object));
  const orderOf = (quote: ScoredQuote) => begun(quote).order;
  const isEnd = (quote: ScoredQuote) => endsWhat(quote.text, object) || verdictOf(question, quote) === 'No';
  const end = latest(told.filter(isEnd), orderOf);
  const lasting = told.filter(
    (quote) => quote !== end && !isEnd(quote) && verdictOf(question, quote) === 'Yes',
  );
  const last = latest(lasting, orderOf);
  if (end !== null && (last === null || orderOf(end) >= orderOf(last))) {
    const { time, isNamed } = begun(end);
    const isAhead = isNamed && time.start > knowledge.now;
    const words = isAhead
      ? `Until ${toldTime(time)}`
      : `No, ${isNamed ? 'since' : 'as of'} ${toldTime(time)}`;
    return reckoning(words, last === null ? [end] : [end, last]);
  }
  // What was so on a day says less than what is so.
  const shown =
    latest(
      lasting.filter((quote) => !isPast(quote)),
      orderOf,
    ) ?? last;
  if (shown === null) return null;
  return reckoning(`${isPast(shown) ? 'Last told on' : 'Yes, as of'} ${dayOf(shown.clock)}`, [shown]);
}

/**
 * How long a state lasted that has ended, from the statement that begins it and the one that ends it: "moved to Bern" and
 * "moved away from Bern". Null where one of them is missing, or a statement has the length.
 */
export function spanOf(
  question: string,
  scored: readonly ScoredQuote[],
  knowledge: Knowledge,
): Reckoning | null {
  if (!ASKS_SPAN.test(question)) return null;
  const object = objectOf(question, knowledge);
  const ofObject = scored.filter(({ text, said, coverageAround }) => {
    const words = new Set(analyze(text));
    return (
      !said?.isReply && coverageAround > 0 && object.length > 0 && object.every((term) => words.has(term))
    );
  });
  if (ofObject.some((quote) => isDecisive(quote) && SAYS_SPAN.test(quote.text))) return null;
  const endOf = (quote: ScoredQuote) => startOf(quote, (clause) => endsWhat(clause, object));
  const end = latest(
    ofObject.filter(({ text }) => endsWhat(text, object)),
    (quote) => endOf(quote).order,
  );
  if (end === null) return null;
  const { time: ended } = endOf(end);
  const isBegin = (clause: string) =>
    BEGINS.test(clause) && analyze(clause).some((term) => object.includes(term));
  const begins = ofObject.filter(
    (quote) => quote !== end && !endsWhat(quote.text, object) && BEGINS.test(quote.text),
  );
  const start = begins
    .map((quote) => ({ quote, ...startOf(quote, isBegin) }))
    .filter(({ time }) => time.start < ended.start)
    .toSorted((a, b) => Number(b.isNamed) - Number(a.isNamed) || a.time.start - b.time.start)[0];
  const words = start === undefined ? null : aboutSpan(ended.start - start.time.start, [start.time, ended]);
  return words === null ? null : reckoning(words, [start!.quote, end]);
}

function isPast({ text }: ScoredQuote): boolean {
  return inferTense(text.split(/[.;!?]/)[0]!) === 'past' && !LASTS.test(text);
}

function reckoning(words: string, leads: readonly ScoredQuote[]): Reckoning {
  return { words, passages: leads.map((lead) => ({ lead, quotes: [lead] })), isList: false };
}

function latest(
  quotes: readonly ScoredQuote[],
  orderOf: (quote: ScoredQuote) => Milliseconds,
): ScoredQuote | null {
  const ordered = quotes.map((quote) => ({ quote, order: orderOf(quote) }));
  return ordered.toSorted((a, b) => b.order - a.order || b.quote.score - a.quote.score)[0]?.quote ?? null;
}

/** Where a clause ends: before one that says more of something in it, or before the next with a subject. */
const CLAUSE_END =
  /[;:!?]|,?\s(?:that|which|who|whom|whose|where|when|while|before|after|because|though|although)\s|,?\s(?:and|but|so|then)\s(?=(?:I|we|he|she|it|they|you|my|our|his|her|their)\s|\p{Lu})/gu;

interface Clause {
  readonly start: number;
  readonly end: number;
}

function clausesOf(text: string): readonly Clause[] {
  const ends = Array.from(text.matchAll(CLAUSE_END), ({ index }) => index);
  return [0, ...ends].map((start, at) => ({ start, end: ends[at] ?? text.length }));
}

interface Begun {
  readonly time: Interval;
  readonly isNamed: boolean;
  /** What orders statements: when it began, or where its times are of something else, when it was said. */
  readonly order: Milliseconds;
}

/**
 * When what a statement says began: the time that its clause names, or else the day on which it was said. "I sold the
 * scooter that I bought in 2019" names none.
 */
function startOf({ item, text, clock, validAt }: ScoredQuote, isIt: (clause: string) => boolean): Begun {
  const clauses = clausesOf(text);
  const clause = clauses.find(({ start, end }) => isIt(text.slice(start, end))) ?? clauses[0]!;
  const times = readTimes(text, { reference: clock });
  const own = times.find(({ index }) => index >= clause.start && index < clause.end)?.interval;
  if (own !== undefined) return { time: own, isNamed: true, order: validAt };
  const event = item.kind === 'fact' && times.length === 0 ? item.event : null;
  if (event !== null) return { time: event, isNamed: true, order: validAt };
  const said =
    item.kind === 'fact' && times.length > 0
      ? clockTime({ validAt: item.saidAt, offset: item.offset })
      : clock;
  return { time: dayInterval(said), isNamed: false, order: times.length > 0 ? said : validAt };
}

const STATE_WORDS: ReadonlySet<string> = new Set(
  analyze('still anymore any more long have has had do did be been being'),
);

/** Index terms of what a state is about: the names in it, else its words without the verb: "the scooter", "Bern". */
function objectOf(question: string, { isSpeaker, people }: Knowledge): readonly string[] {
  const { name = '', noun = null } = people === undefined ? {} : (askedSubject(question, people) ?? {});
  const subject = new Set(analyze(`${name} ${noun ?? ''}`));
  const plain = question.replace(/\bhow (?:long|many \p{L}+)\b/iu, '').replace(/^\s*\p{L}+/u, '');
  const termsIn = (text: string) => [
    ...new Set(
      analyze(text).filter((term) => !subject.has(term) && !isSpeaker(term) && !STATE_WORDS.has(term)),
    ),
  ];
  const names = termsIn((plain.match(/(?<!^)\p{Lu}[\p{L}\p{N}-]+/gu) ?? []).join(' '));
  const all = termsIn(plain);
  return names.length > 0 ? names : all.length > 1 ? all.slice(1) : all;
}
