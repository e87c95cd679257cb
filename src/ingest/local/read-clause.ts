import { type Clause, startsClause, subjectEnd } from './split-clauses.ts';
import type { Token } from './tagger.ts';
import { isGerund, isPast, isVerb } from './tokens.ts';
import { BE_FORMS, GRADING, MODALS, NEGATIONS } from './words.ts';

/** The parts of a clause, by token positions of its sentence. */
export interface ClauseParts {
  /** Position of the subject's last word; null when it is left out ("Went to the beach"). */
  readonly subject: number | null;
  /** Where the verb phrase begins and ends. */
  readonly verb: number;
  readonly verbEnd: number;
  /** Lemmas of the verb phrase, such as "want to go"; "be" for a copula. */
  readonly relation: string;
  readonly isNegated: boolean;
  readonly isPast: boolean;
}

const OPENING_ADVERBS: ReadonlySet<string> = new Set(
  'just also recently finally even actually really then already still definitely always'.split(' '),
);
const COMMENTS: ReadonlySet<string> = new Set(
  'love loved loving hope hoping sounds looks feels seems glad happy sorry thank thanks congrats wish let guess bet agreed'.split(
    ' ',
  ),
);
const DEPENDENT: ReadonlySet<string> = new Set(
  'if when whenever because since although though while after before until unless as once whether that which who what how why where whatever'.split(
    ' ',
  ),
);

const NEGATIVE: ReadonlySet<string> = new Set(
  'no neither nor none nobody nothing without zero nowhere'.split(' '),
);

/** Null when it is no statement: an imperative, a fragment, a dependent clause by itself. */
export function readClause(tokens: readonly Token[], clause: Clause): ClauseParts | null {
  const from = mainStart(tokens, clause);
  if (from === null) return null;
  if (isOwnGerund(tokens, clause))
    return {
      subject: null,
      verb: clause.start,
      ...verbPhrase(tokens, clause.start, { from: clause.start, end: clause.end }),
    };
  const verb = finiteVerb(tokens, from, clause.end);
  if (verb === null) return null;
  const subject = subjectBefore(tokens, from, verb);
  if (subject === null && !isElliptic(tokens, clause.start, verb)) return null;
  if (subject !== null && opensWithComment(tokens, clause.start, subject)) return null;
  return { subject, verb, ...verbPhrase(tokens, verb, { from, end: clause.end }) };
}

/** Past an opening "When I got home," or "Last week,", or "As a child" with no comma. */
function mainStart(tokens: readonly Token[], { start, end }: Clause): number | null {
  if (!DEPENDENT.has(tokens[start]?.lower ?? '')) return start;
  const phrase = tokens[start]!.lower === 'as' ? subjectEnd(tokens, start + 1) : start;
  if (phrase > start + 1 && tokens[phrase]?.pos === 'PRON' && startsClause(tokens, phrase)) return phrase;
  for (let at = start + 1; at < end - 1; at += 1) {
    if (tokens[at]!.text === ',' && subjectBefore(tokens, at + 1, firstVerb(tokens, at + 1, end)) !== null)
      return at + 1;
  }
  return null;
}

function firstVerb(tokens: readonly Token[], from: number, end: number): number {
  let at = from;
  while (at < end && !isVerb(tokens[at])) at += 1;
  return at;
}

function finiteVerb(tokens: readonly Token[], from: number, end: number): number | null {
  for (let at = from; at < end; at += 1) {
    const [token, before] = [tokens[at]!, tokens[at - 1]];
    if (!isVerb(token) || isGerund(token)) continue;
    if (at > from && before?.lower === 'to') continue;
    return at;
  }
  return null;
}

/** The last word of the noun phrase right before the verb. */
function subjectBefore(tokens: readonly Token[], from: number, verb: number): number | null {
  let at = verb - 1;
  while (at >= from && (tokens[at]!.pos === 'ADV' || ['all', 'both'].includes(tokens[at]!.lower))) at -= 1;
  const token = tokens[at];
  if (at < from || token === undefined) return null;
  if (token.pos === 'ADP') return at > from + 1 ? at : null;
  if (token.pos === 'VERB') return at === from && isGerund(token) ? at : null;
  return ['NOUN', 'PROPN', 'PRON', 'NUM', 'ADJ', 'DET'].includes(token.pos) || token.text === '"' ? at : null;
}

/** "Great that you …", "Glad I …": a reaction, not a statement. */
function opensWithComment(tokens: readonly Token[], start: number, subject: number): boolean {
  const [first, second] = [tokens[start]!, tokens[start + 1]!];
  const [opening, next] = first.pos === 'ADV' ? [second, tokens[start + 2]] : [first, second];
  if (subject <= start || COMMENTS.has(opening.lower)) return subject > start;
  return (
    GRADING.has(opening.lower) && ['PRON', 'SCONJ', 'DET', 'PROPN', 'PART', 'ADP'].includes(next?.pos ?? '')
  );
}

/** "Researching adoption agencies", with no verb of its own and nobody addressed: said of oneself. */
function isOwnGerund(tokens: readonly Token[], { start, end }: Clause): boolean {
  const first = tokens[start];
  if (first === undefined || !isGerund(first) || first.lower === 'speaking') return false;
  for (let at = start + 1; at < end; at += 1) {
    const { text, lower } = tokens[at]!;
    if (lower.startsWith('you') || lower === 'me' || lower === 'matters') return false;
    if (text === ',' && tokens[at + 1]?.lower !== 'which') return false;
    if (text === ',' || text === '-') return at > start + 2;
    if (isVerb(tokens[at]) && !isGerund(tokens[at]!) && tokens[at - 1]!.lower !== 'to') return false;
  }
  return end > start + 2 && !tokens.some(({ lower }) => lower === 'you');
}

/** "Went to the beach", "Just finished it", "Been busy", "Going to paint": chat leaves out "I". */
function isElliptic(tokens: readonly Token[], start: number, verb: number): boolean {
  const lead = tokens
    .slice(start, verb)
    .every((token) => token.pos === 'ADV' && OPENING_ADVERBS.has(token.lower));
  const next = tokens[verb + 1];
  const aboutMe = tokens.slice(verb + 1, verb + 3).some(({ lower }) => lower === 'me');
  return (
    lead &&
    isPast(tokens[verb]!) &&
    !aboutMe &&
    next !== undefined &&
    !BE_FORMS.has(tokens[verb]!.lower.replace('been', ''))
  );
}

function verbPhrase(
  tokens: readonly Token[],
  verb: number,
  { from, end }: { from: number; end: number },
): Omit<ClauseParts, 'subject' | 'verb'> {
  let at = verb;
  while (at < end && isPhrasePart(tokens, at, verb)) at += 1;
  while (at > verb + 1 && ['ADV', 'PART'].includes(tokens[at - 1]!.pos) && tokens[at - 1]!.lower !== 'not')
    at -= 1;
  const words = tokens.slice(verb, at);
  const isNegated = [...tokens.slice(from, at), ...tokens.slice(at, at + 1)].some(isNegation);
  return {
    verbEnd: at,
    relation: `${isNegated ? 'not ' : ''}${lemmas(words)}`,
    isNegated,
    isPast: isPastPhrase(words),
  };
}

/** Of subject, verb or what follows it at once: "nobody", "never", "have no". */
function isNegation({ lower }: Token): boolean {
  return NEGATIONS.has(lower) || NEGATIVE.has(lower);
}

function isPhrasePart(tokens: readonly Token[], at: number, verb: number): boolean {
  const token = tokens[at]!;
  if (at === verb || token.pos === 'AUX' || token.pos === 'ADV') return true;
  if (token.lower === 'not' || token.lower === 'never') return true;
  if (token.lower === 'to') return isVerb(tokens[at + 1]);
  return token.pos === 'VERB' && (isVerb(tokens[at - 1]) || ['ADV', 'PART'].includes(tokens[at - 1]!.pos));
}

function isPastPhrase(words: readonly Token[]): boolean {
  const first = words[0]!;
  if (['have', 'has'].includes(first.lower)) return words.length > 1 && isVerb(words[1]);
  return isPast(first) && !MODALS.has(first.lower);
}

/** Helping verbs and adverbs say when and how, not what; "to", "not" and a passive's "be" are part of what. */
function lemmas(words: readonly Token[]): string {
  const core = withoutFuture(words);
  const kept = core.flatMap((word, at) => {
    if (word.lower === 'to') return at > 0 && at < core.length - 1 ? ['to'] : [];
    if (word.pos === 'AUX') return at === core.length - 1 || isPassive(core, at) ? [word.lemma] : [];
    if (word.pos !== 'VERB') return [];
    if (word.lower === 'used' && core[at + 1]?.lower === 'to') return ['used'];
    return [
      isPassive(core, at - 1) || (at > 0 && isGerund(word) && core[at - 1]!.pos === 'VERB')
        ? word.lower
        : word.lemma,
    ];
  });
  return kept.join(' ').replace(/^to /, '');
}

/** "Is going to visit" is "visit". */
function withoutFuture(words: readonly Token[]): readonly Token[] {
  const verbs = words.filter(({ pos, lower }) => pos === 'VERB' || pos === 'AUX' || lower === 'to');
  const going = verbs.findIndex(
    ({ lower }, at) => lower === 'going' && verbs[at + 1]?.lower === 'to' && verbs.length > at + 2,
  );
  return going < 0 ? verbs : verbs.slice(going + 2);
}

function isPassive(words: readonly Token[], at: number): boolean {
  const [be, next] = [words[at], words[at + 1]];
  return be?.lemma === 'be' && next !== undefined && next.pos === 'VERB' && isPast(next);
}
