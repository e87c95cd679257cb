import type { IngestContext, StoredScope } from '../../ingest/ingest-context.ts';
import type { Milliseconds } from '../../model/ids.ts';
import { NODE_KINDS, type NodeKind, ROLES } from '../../model/nodes.ts';
import { analyze, clearAnalyzerCache } from '../../search/analyzer.ts';
import { Breather } from '../../util/breathe.ts';
import { stringsIn } from '../../util/collections.ts';
import { sentenceSpans } from '../../util/sentences.ts';
import type { RemovedTexts } from '../forget/deletion.ts';
import type { ForgetFinding, ForgetProof } from '../forget/forget-event.ts';
import { columnsToSearch, type HoldersContext, memoryTextHolders, TEXT_COLUMNS } from './memory-holders.ts';
import {
  type Held,
  HeldTally,
  isForgetRecord,
  type ProofFinding,
  proofScan,
  type RemovingHolder,
  type TextHolder,
} from './text-holder.ts';
import { TextPatterns } from './text-patterns.ts';

/** Kinds that hold text written by people; all other kinds are derived from them. */
const PRIMARY: readonly NodeKind[] = ['episode', 'item', 'correction'];
/** Kinds that summarize turns. If only an entity is forgotten, the turns stay, and so do these. */
const SUMMARIES: readonly NodeKind[] = ['segment', 'description'];

/** Forgotten texts that remaining rows contain too, so that finding them proves nothing. */
interface RemainingTexts {
  /** Texts in a remaining turn or a given fact. */
  readonly said: ReadonlySet<string>;
  /** Texts in rows derived from remaining turns. */
  readonly derived: ReadonlySet<string>;
  /** Statements that are the whole text of a row derived from remaining turns. */
  readonly stated: ReadonlySet<string>;
}

interface SearchedGraph extends RemainingTexts {
  /** Every text found in any row, by position. */
  readonly held: readonly Held[];
}

interface StayingRows {
  /** Whether everything is forgotten: then any row found is a remnant. */
  readonly nothingStays?: boolean;
  /** Whether only an entity is forgotten and the turns that mention it stay. */
  readonly turnsStay: boolean;
  /** When the first of the turns was stored; null if no turn was removed. Older profiles cannot contain their text. */
  readonly since: Milliseconds | null;
}

/** Texts found in a row derived from turns; they count if one of those turns remains. */
interface DerivedRow {
  readonly id: string;
  readonly found: ReadonlySet<string>;
  readonly stated: readonly string[];
}

/** Reads every row of the scope once. */
async function searchGraph(
  sources: StoredScope,
  { texts, statements }: { readonly texts: readonly string[]; readonly statements: ReadonlySet<string> },
  { turnsStay, since, nothingStays = false }: StayingRows,
): Promise<SearchedGraph> {
  const patterns = new TextPatterns(texts);
  const [said, derived, stated] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const tally = new HeldTally();
  const open: DerivedRow[] = [];
  const breather = new Breather();
  for (const kind of NODE_KINDS)
    for await (const { id, origin, createdAt, strings } of stringsOf(sources, kind)) {
      await breather.breathe();
      const found = new Set<string>();
      for (const { where, text } of strings)
        for (const at of patterns.foundIn(text)) {
          found.add(texts[at]!);
          tally.add(at, where);
        }
      const whole = strings.map(({ text }) => withoutEnd(text)).filter((text) => statements.has(text));
      if (nothingStays || found.size + whole.length === 0) continue;
      const isSaid = PRIMARY.includes(kind) || origin === 'given' || (turnsStay && SUMMARIES.includes(kind));
      const isOlder = kind === 'profile' && since !== null && Number(createdAt) < since;
      if (!isSaid && !isOlder) open.push({ id, found, stated: whole });
      else {
        for (const text of found) (isSaid ? said : derived).add(text);
        for (const statement of whole) stated.add(statement);
      }
    }
  const supported = await rowsWithTurns(
    sources,
    open.map(({ id }) => id),
  );
  for (const row of open) {
    if (!supported.has(row.id)) continue;
    for (const text of row.found) derived.add(text);
    for (const statement of row.stated) stated.add(statement);
  }
  return { said, derived, stated, held: tally.all() };
}

const ROLE_NAMES: readonly string[] = ROLES;
/** The texts that a remaining turn says in other letters, and names that a given fact gave its entity. */
async function saidInOtherWays(sources: StoredScope, texts: readonly string[]): Promise<ReadonlySet<string>> {
  const remaining = new Set<string>();
  if (texts.length === 0) return remaining;
  const { store, scope } = sources;
  const patterns = new TextPatterns(texts.map((text) => text.toLowerCase()));
  for await (const { strings } of stringsOf(sources, 'episode'))
    for (const { text } of strings)
      for (const at of patterns.foundIn(text.toLowerCase())) remaining.add(texts[at]!);
  const given: string[] = [];
  for await (const rows of store.scan(scope, 'fact', ['id', 'origin']))
    for (const { id, origin } of rows) if (origin === 'given') given.push(id);
  const about = new Set<string>();
  for await (const edges of store.relationships(scope, 'ABOUT', { from: given }))
    for (const { to } of edges) about.add(to);
  for await (const rows of store.scan(scope, 'profile', ['owner', 'name', 'aliases']))
    for (const { owner, name, aliases } of rows)
      if (about.has(owner)) for (const each of [name, ...aliases]) remaining.add(each);
  return remaining;
}

/** The kind of row whose words an index holds, by the prefix of its place names. */
const ROWS_OF_PLACES: readonly (readonly [string, NodeKind])[] = [
  ['entities.', 'profile'],
  ['hierarchy.', 'profile'],
  ['facts', 'fact'],
  ['segments', 'segment'],
  ['episodes.', 'episode'],
];

/**
 * The found texts whose words all occur in one row: a holder of words cannot tell them apart. Searches the kinds of rows
 * first of which the holder has the words, and only until it has found all.
 */
async function textsInWords(sources: StoredScope, held: readonly Found[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const texts = [...new Set(held.map(({ text }) => text))];
  if (texts.length === 0) return found;
  const words = new WordPatterns(texts);
  const breather = new Breather();
  const likely = ROWS_OF_PLACES.flatMap(([place, kind]) =>
    held.some(({ where }) => where.startsWith(place)) ? [kind] : [],
  );
  for (const kind of new Set([...likely, ...NODE_KINDS]))
    for await (const { strings } of stringsOf(sources, kind)) {
      if (found.size === texts.length) return found;
      await breather.breathe();
      const text = strings.map((each) => each.text).join(' \n');
      for (const at of words.foundIn(text)) found.add(texts[at]!);
    }
  return found;
}

interface RowStrings {
  readonly id: string;
  readonly origin: unknown;
  readonly createdAt: unknown;
  readonly strings: readonly { readonly where: string; readonly text: string }[];
}

async function* stringsOf({ store, scope }: StoredScope, kind: NodeKind): AsyncGenerator<RowStrings> {
  const columns = TEXT_COLUMNS.get(kind) ?? [];
  if (columns.length === 0) return;
  const others = kind === 'fact' ? ['origin'] : kind === 'profile' ? ['createdAt'] : [];
  const read = ['id', ...columnsToSearch(kind), ...others];
  for await (const rows of store.scan(scope, kind, read as never))
    for (const row of rows as readonly Readonly<Record<string, unknown>>[]) {
      if (isForgetRecord(kind, row)) continue;
      yield {
        id: String(row.id),
        origin: row.origin,
        createdAt: row.createdAt,
        strings: columns.flatMap((column) =>
          Array.from(stringsIn(row[column]), (text) => ({ where: `${kind}.${column}`, text })),
        ),
      };
    }
}

/** The facts, descriptions and segments among them with an existing turn: an edge always has both its ends. */
async function rowsWithTurns(
  { store, scope }: StoredScope,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = new Set<string>();
  if (ids.length === 0) return rows;
  for await (const edges of store.relationships(scope, 'EVIDENCED_BY', { from: ids }))
    for (const { from } of edges) rows.add(from);
  for await (const edges of store.relationships(scope, 'IN_SEGMENT', { to: ids }))
    for (const { to } of edges) rows.add(to);
  return rows;
}

/** Texts as sets of words, indexed by the word that occurs in the fewest other texts. */
class WordPatterns {
  readonly #words: readonly ReadonlySet<string>[];
  readonly #byRarest = new Map<string, number[]>();

  constructor(texts: readonly string[]) {
    this.#words = texts.map((text) => new Set(analyze(text)));
    const counts = new Map<string, number>();
    for (const set of this.#words) for (const word of set) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [at, set] of this.#words.entries()) {
      const rarest = [...set].reduce<string | null>(
        (best, word) => (best === null || counts.get(word)! < counts.get(best)! ? word : best),
        null,
      );
      if (rarest !== null) this.#byRarest.set(rarest, [...(this.#byRarest.get(rarest) ?? []), at]);
    }
  }

  *foundIn(text: string): Iterable<number> {
    const words = new Set(analyze(text));
    for (const word of words)
      for (const at of this.#byRarest.get(word) ?? [])
        if (this.#words[at]!.size <= words.size && [...this.#words[at]!].every((each) => words.has(each)))
          yield at;
  }
}

/** What `refreshProfiles` writes behind a fact that has ended. */
const UNTIL = / \(until [^)]*\)$/;

/** Of a summary; the rest of a longer one counts as one statement. */
const MOST_SENTENCES = 24;
/** Upper limit, so that a scan does not take longer than the forgetting. */
const MOST_TEXTS = 50_000;
/** Holders that store text verbatim; the others store words or hashes, which other texts may share. */
const WORD_FOR_WORD = ['row cache', 'items'];

export interface ProofOptions extends StayingRows {
  readonly holders: HoldersContext;
}

/**
 * Searches for forgotten texts in everything in memory that holds text of the scope, and in `beside`, whose holders
 * remove them first where they can. A text is not a
 * remnant if a remaining turn contains it, if each of its sentences was also derived from such a turn, or, where a
 * holder stores only words, if one remaining row has all its words.
 */
export async function proveForgotten(
  context: IngestContext,
  texts: RemovedTexts,
  { holders, ...staying }: ProofOptions,
): Promise<ForgetProof> {
  // Roles are the names of speakers without one, and no words of theirs.
  const every = new Set([...texts.said, ...texts.derived].filter((text) => !ROLE_NAMES.includes(text)));
  const all = [...every].slice(0, MOST_TEXTS);
  const { memory, beside } = memoryTextHolders(holders);
  const holdersNamed = (names: readonly string[]) => memory.filter(({ name }) => names.includes(name));
  const others = memory
    .map(({ name }) => name)
    .filter((name) => ![...WORD_FOR_WORD, 'graph', 'word cache'].includes(name));
  const { scope } = context;
  const ask = async (asked: readonly TextHolder[], wanted: readonly string[]) =>
    byText((await proofScan(asked, wanted, { scope })).findings, wanted);
  try {
    // Scan the word cache first: the following steps analyze the texts, which puts their words into the cache.
    const cached = await ask(holdersNamed(['word cache']), all);
    const joined = new Map(Array.from(texts.derived, (text) => [text, new JoinedStatements(text)]));
    const statements = new Set([...joined.values()].flatMap((each) => [...each.runs()]));
    const graph = await searchGraph(context, { texts: all, statements }, staying);
    const isStated = (text: string) =>
      joined.get(text)?.isJoinedFrom((statement) => graph.stated.has(statement)) ?? false;
    const remains = (text: string) =>
      graph.said.has(text) || (!texts.said.has(text) && (graph.derived.has(text) || isStated(text)));
    const open = staying.nothingStays === true ? [] : graph.held.map(({ text }) => all[text]!);
    const inOtherWays = await saidInOtherWays(
      context,
      [...new Set(open)].filter((text) => !remains(text)),
    );
    const absent = all.filter((text) => !inOtherWays.has(text) && !remains(text));
    const isAbsent = new Set(absent);
    for (const holder of beside) if (isRemoving(holder)) await holder.remove(absent, { scope });
    const inGraph = graph.held.map((held) => ({ holder: 'graph', ...held }));
    const wordForWord = [
      ...byText(inGraph, all).filter(({ text }) => isAbsent.has(text)),
      ...(await ask([...holdersNamed(WORD_FOR_WORD), ...beside], absent)),
    ];
    const inWords = [
      ...(await ask(holdersNamed(others), absent.filter(isSearchable))),
      ...cached.filter(({ text }) => isAbsent.has(text) && isSearchable(text)),
    ];
    const shared = await textsInWords(context, staying.nothingStays === true ? [] : inWords);
    const found = [...wordForWord, ...inWords.filter(({ text }) => !shared.has(text))];
    return {
      clean: found.length === 0,
      searched: absent.length,
      alsoElsewhere: all.length - absent.length,
      notSearched: every.size - all.length,
      findings: byPlace(found),
    };
  } finally {
    clearAnalyzerCache();
  }
}

/** A summary joins statements, and a statement may contain full stops: each run of sentences may be one. */
class JoinedStatements {
  readonly #sentences: readonly string[];

  constructor(summary: string) {
    this.#sentences = Array.from(sentenceSpans(summary, { everyStop: true }))
      .slice(0, MOST_SENTENCES)
      .map(({ start, end }, at) => summary.slice(start, at === MOST_SENTENCES - 1 ? undefined : end));
  }

  /** All runs of sentences, without the time until which a statement held. */
  *runs(): Generator<string> {
    for (let start = 0; start < this.#sentences.length; start++)
      for (let end = start + 1; end <= this.#sentences.length; end++) yield this.#run(start, end);
  }

  /** Whether the summary consists of statements alone for which `isStated` holds. */
  isJoinedFrom(isStated: (statement: string) => boolean): boolean {
    const reached = [true];
    for (let end = 1; end <= this.#sentences.length; end++)
      reached[end] = reached.slice(0, end).some((is, start) => is && isStated(this.#run(start, end)));
    return reached.at(-1)!;
  }

  #run(start: number, end: number): string {
    return withoutEnd(this.#sentences.slice(start, end).join('').trim()).replace(UNTIL, '');
  }
}

/** Facts have no full stop; summaries end each of them with one. */
function withoutEnd(text: string): string {
  return text.replace(/\.$/, '');
}

export function isRemoving(holder: TextHolder): holder is RemovingHolder {
  return 'remove' in holder && typeof holder.remove === 'function';
}

/** An index stores words: a hit for "A" or "of the" proves nothing. */
function isSearchable(text: string): boolean {
  return analyze(text).some((word) => word.length > 2);
}

interface Found {
  readonly holder: string;
  readonly where: string;
  readonly text: string;
}

function byText(findings: readonly ProofFinding[], texts: readonly string[]): Found[] {
  return findings.map(({ holder, where, text }) => ({ holder, where, text: texts[text]! }));
}

function byPlace(found: readonly Found[]): ForgetFinding[] {
  const places = new Map<string, { holder: string; where: string; texts: number }>();
  for (const { holder, where } of found) {
    const key = `${holder} ${where}`;
    const place = places.get(key) ?? { holder, where, texts: 0 };
    place.texts++;
    places.set(key, place);
  }
  return [...places.values()];
}
