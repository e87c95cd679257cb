import { CancelledError, MnemisError } from '../../errors/index.ts';
import { stageCalls } from '../../inference/language-model/calling/stage-calls.ts';
import type { EntityId } from '../../model/ids.ts';
import { NO_USAGE, type Usage } from '../../model/retrieved-item.ts';
import { STOP_WORDS } from '../../search/english.ts';
import type { EntityIndex } from '../../search/entity-index.ts';
import { entityNameKey } from '../../util/tidy.ts';
import type { RouteInput } from '../route.ts';
import type { TraversalRoute } from './defaults.ts';
import { parseQuestion } from './parse-question-prompt.ts';

/** Characters of a name that a model gave. */
const LONGEST_PHRASE = 200;

type Asked = Pick<RouteInput, 'context' | 'question' | 'queryVector' | 'calls' | 'limit' | 'rows'>;

interface Matched {
  /** Ids of entities that have a profile, most certain first. */
  readonly matched: readonly string[];
  readonly notes: readonly string[];
  readonly usage: Usage;
}

/**
 * The entities of a question (PersonalAI, "Information Searching"; docs/papers.md §4.2): those with a name or alias
 * in it; for an unknown name, the entity with the nearest name; for a question without names, the entity nearest to
 * the whole question.
 *
 * @throws CancelledError
 */
export async function matchEntities(
  input: Asked,
  { matching }: Pick<TraversalRoute, 'matching'>,
): Promise<Matched> {
  const { context, queryVector, calls } = input;
  const { maximumEntities, leastCosine } = matching;
  const { named, unknown, notes, usage } = await namesOf(input, matching);
  const { entities } = context.index;
  const { entity: known } = input.rows().eligible;
  const isEligible = (id: string) => {
    const profile = entities.profileOf(id);
    return profile !== undefined && known?.[entities.profiles.ids.ordinalOf(profile.id)!] !== 0;
  };
  const certain = named.filter(isEligible).slice(0, maximumEntities);
  const phrases = unknown.slice(0, maximumEntities - certain.length);
  const vectors =
    phrases.length === 0 ? [] : await context.embedder.embed(phrases, { as: 'query', signal: calls.signal });
  if (certain.length === 0 && vectors.length === 0) vectors.push(queryVector);
  const only = input.rows().eligible.entity;
  const near = vectors.flatMap((vector) => nearestName(entities, vector, { leastCosine, only }));
  return { matched: [...new Set<string>([...certain, ...near])], notes, usage };
}

interface ParsedNames extends NameReading<EntityId>, Omit<Matched, 'matched'> {}

/** The names in a question, by the model if the route asks for it, else by rules. */
async function namesOf(
  { context: { languageModel, index }, question, calls: given, limit }: Asked,
  { parser, longestName }: TraversalRoute['matching'],
): Promise<ParsedNames> {
  const { entities } = index;
  const byRules = () => readNames<EntityId>(question.text, entities, { longestName, limit });
  if (parser !== 'model' || languageModel === undefined) return { ...byRules(), notes: [], usage: NO_USAGE };
  const calls = stageCalls({}, given);
  const usage = (): Usage => {
    const { calls: count, promptTokens, completionTokens } = calls.meter.total;
    return { calls: count, promptTokens, completionTokens };
  };
  try {
    const { value } = await languageModel.structured(parseQuestion, { question: question.text }, calls);
    const names = new Map(value.entities.map((name) => [entityNameKey(name), name.trim()]));
    names.delete('');
    const known = Array.from(names, ([key, name]) => ({ name, ids: entities.idsOfName(key) }));
    return {
      named: known.flatMap(({ ids }) => ids),
      unknown: known.flatMap(({ name, ids }) => (ids.length === 0 ? name.slice(0, LONGEST_PHRASE) : [])),
      notes: [],
      usage: usage(),
    };
  } catch (error) {
    if (CancelledError.isInstance(error)) throw error;
    const code = MnemisError.isInstance(error) ? error.code : 'unexpected';
    return {
      ...byRules(),
      notes: [`the question was not parsed (${code}): rules read its names`],
      usage: usage(),
    };
  }
}

/** @param only By ordinal of profiles, 1 for allowed ones; null for all. */
function nearestName(
  entities: EntityIndex,
  vector: Float32Array,
  { leastCosine, only }: { readonly leastCosine: number; readonly only: Uint8Array | null },
): string[] {
  return entities.nameVectors
    .top(vector, 1, only)
    .filter(({ score }) => score > leastCosine)
    .map(({ ordinal }) => entities.ownerOf(ordinal));
}

/** A part of a text, in UTF-16 code units. */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface NameReading<Id> {
  /** Ids of the known names in the text, the longest names first. */
  readonly named: readonly Id[];
  /** Capitalised words that are not a known name. */
  readonly unknown: readonly string[];
}

interface NamesToMatch<Id> {
  /** All entities that have the key as a name or alias. */
  idsOfName(key: string): readonly Id[];
  /** Entities with a name that starts with the same three letters; shorter names are not found here. */
  idsOfStart(key: string): readonly Id[];
}

/** A word, or one character of a script written without spaces. */
const TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々])[\p{L}\p{M}\p{N}])+/gu;
const UPPER = /^[\p{Lu}\p{Lt}]/u;
const UPPER_OR_DIGIT = /^[\p{Lu}\p{Lt}\p{N}]/u;
/** Lower-case words inside of names: "Lord of the Rings", "First for Women". */
const LINKS = new Set(['of', 'the', 'for', 'de', 'la', 'von', 'van']);
/** Number of letters compared with the beginnings of names. */
const LETTERS_LOOKED_AT = 12;
const SHORT_NAME = 3;

/**
 * The names in a text: every run of words that is a known name, longest first, without overlap; and runs of
 * capitalised words that are not a known name.
 */
export function readNames<Id>(
  text: string,
  book: NamesToMatch<Id>,
  { longestName, limit }: { readonly longestName: number; readonly limit: { check(): void } },
): NameReading<Id> {
  const tokens = Array.from(text.matchAll(TOKEN), ({ 0: word, index }) => ({
    start: index,
    end: index + word.length,
  }));
  const mayBegin = tokens.map(({ start }) => {
    const key = entityNameKey(text.slice(start, start + LETTERS_LOOKED_AT));
    return book.idsOfStart(key).length > 0;
  });
  const taken = new Uint8Array(tokens.length);
  const named = new Set<Id>();
  for (let length = Math.min(longestName, tokens.length); length > 0; length--) {
    limit.check();
    for (let first = 0; first + length <= tokens.length; first++) {
      const span = { start: tokens[first]!.start, end: tokens[first + length - 1]!.end };
      if (!mayBegin[first] && span.end - span.start > SHORT_NAME) continue;
      if (taken.subarray(first, first + length).includes(1)) continue;
      const ids = idsAt(text, span, book);
      if (ids.length === 0) continue;
      taken.fill(1, first, first + length);
      for (const id of ids) named.add(id);
    }
  }
  return { named: [...named], unknown: capitalisedRuns(text, tokens, taken) };
}

function idsAt<Id>(text: string, { start, end }: Span, book: NamesToMatch<Id>): readonly Id[] {
  const key = entityNameKey(text.slice(start, end));
  if (STOP_WORDS.has(key)) return [];
  // "Washington D.C."
  const abbreviated = text[end] === '.' ? book.idsOfName(`${key}.`) : [];
  return abbreviated.length > 0 ? abbreviated : book.idsOfName(key);
}

function capitalisedRuns(text: string, tokens: readonly Span[], taken: Uint8Array): string[] {
  const runs: string[] = [];
  const word = (at: number) => text.slice(tokens[at]!.start, tokens[at]!.end);
  for (let at = 0; at < tokens.length; at++) {
    if (taken[at] === 1 || !UPPER.test(word(at)) || STOP_WORDS.has(word(at).toLowerCase())) continue;
    const first = at;
    let last = at;
    for (let next = at + 1; next < tokens.length && taken[next] === 0; next++) {
      if (UPPER_OR_DIGIT.test(word(next))) last = next;
      else if (!LINKS.has(word(next)) && word(next) !== 's') break;
    }
    at = last;
    // The first word of a sentence is capitalised whether it is a name or not.
    if (first === 0 && last === 0) continue;
    runs.push(text.slice(tokens[first]!.start, tokens[last]!.end));
  }
  return [...new Set(runs)];
}
