import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { Milliseconds } from '../../model/ids.ts';
import { NODE_KINDS, type NodeKind } from '../../model/nodes.ts';
import { analyze, clearAnalyzerCache } from '../../search/analyzer.ts';
import { Breather } from '../../util/breathe.ts';
import { stringsIn } from '../../util/collections.ts';
import type { RemovedTexts } from '../forget/deletion-set.ts';
import type { ForgetFinding, ForgetProof } from '../forget/forget-event.ts';
import { type HoldersContext, memoryTextHolders, TEXT_COLUMNS } from './memory-holders.ts';
import { type ProofFinding, proofScan, type TextHolder } from './text-holder.ts';
import { TextPatterns } from './text-patterns.ts';

type Sources = Pick<IngestContext, 'store' | 'scope'>;

/** What people said or wrote themselves; all else is made of it. */
const SAID: readonly NodeKind[] = ['episode', 'item', 'correction'];
/** Where turns stay and only an entity goes, what sums the turns up stays with them. */
const SUMMED_UP: readonly NodeKind[] = ['segment', 'description'];

/** Texts that stand in what stays, and so say nothing of what went. */
interface TextsElsewhere {
  /** Those that a turn that stays says, or a fact that was given. */
  readonly said: ReadonlySet<string>;
  /** Those that stand in what is read from turns that stay. */
  readonly told: ReadonlySet<string>;
  /** Those of which one row that stays has every word: all that an index can tell of a text. */
  readonly inWords: ReadonlySet<string>;
}

interface StayingRows {
  /** Whether everything goes: then a row that is there has been left behind. */
  readonly nothingStays?: boolean;
  /** Whether only an entity goes, and the turns that speak of it stay. */
  readonly turnsStay: boolean;
  /** When the first of the turns came; null where no turn goes. Profiles of before tell nothing of them. */
  readonly since: Milliseconds | null;
}

async function textsElsewhere(
  sources: Sources,
  texts: readonly string[],
  { turnsStay, since, nothingStays = false }: StayingRows,
): Promise<TextsElsewhere> {
  const none = { said: new Set<string>(), told: new Set<string>(), inWords: new Set<string>() };
  if (nothingStays) return none;
  const [patterns, words] = [new TextPatterns(texts), new WordPatterns(texts)];
  const found = none;
  const supported = await rowsWithTurns(sources);
  const breather = new Breather();
  for (const kind of NODE_KINDS)
    for await (const { id, origin, createdAt, strings } of stringsOf(sources, kind)) {
      await breather.breathe();
      for (const at of words.foundIn(strings.join(' \n'))) found.inWords.add(texts[at]!);
      const isSaid = SAID.includes(kind) || origin === 'given' || (turnsStay && SUMMED_UP.includes(kind));
      const isOlder = kind === 'profile' && since !== null && Number(createdAt) < since;
      if (!isSaid && !isOlder && !supported.has(id)) continue;
      const into = isSaid ? found.said : found.told;
      for (const string of strings) for (const at of patterns.foundIn(string)) into.add(texts[at]!);
    }
  return found;
}

interface RowStrings {
  readonly id: string;
  readonly origin: unknown;
  readonly createdAt: unknown;
  readonly strings: readonly string[];
}

async function* stringsOf({ store, scope }: Sources, kind: NodeKind): AsyncGenerator<RowStrings> {
  const columns = TEXT_COLUMNS.get(kind) ?? [];
  if (columns.length === 0) return;
  const others = kind === 'fact' ? ['origin'] : kind === 'profile' ? ['createdAt'] : [];
  const read = ['id', ...columns, ...others];
  for await (const rows of store.scan(scope, kind, read as never))
    for (const row of rows as readonly Readonly<Record<string, unknown>>[])
      yield {
        id: String(row.id),
        origin: row.origin,
        createdAt: row.createdAt,
        strings: [...stringsIn(columns.map((column) => row[column]))],
      };
}

/** Facts, descriptions and segments that rest on a turn that is there: an edge has both its ends. */
async function rowsWithTurns({ store, scope }: Sources): Promise<ReadonlySet<string>> {
  const rows = new Set<string>();
  for await (const edges of store.relationships(scope, 'EVIDENCED_BY'))
    for (const { from } of edges) rows.add(from);
  for await (const edges of store.relationships(scope, 'IN_SEGMENT'))
    for (const { to } of edges) rows.add(to);
  return rows;
}

/** Texts as sets of words, each looked up by that of its words that the fewest others have. */
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

/** A scan for more would take longer than the forgetting. */
const MOST_TEXTS = 50_000;
/** These keep texts as they are; the others keep words or hashes, which other texts may share. */
const WORD_FOR_WORD = ['graph', 'row cache', 'items'];

export interface ProofOptions extends StayingRows {
  readonly holders: HoldersContext;
}

/**
 * Looks for forgotten texts in everything in memory that holds text of the scope, and in what the caller keeps beside it. What a turn that stays says as well is
 * no remnant, nor a sentence that was also read from such a turn; nor, where only words are kept, is what has the words of one row that stays.
 */
export async function proveForgotten(
  context: IngestContext,
  texts: RemovedTexts,
  { holders, ...staying }: ProofOptions,
): Promise<ForgetProof> {
  const every = new Set([...texts.said, ...texts.told]);
  const all = [...every].slice(0, MOST_TEXTS);
  const { memory, beside } = memoryTextHolders(holders);
  const named = (names: readonly string[]) => memory.filter(({ name }) => names.includes(name));
  const others = memory
    .map(({ name }) => name)
    .filter((name) => ![...WORD_FOR_WORD, 'word cache'].includes(name));
  const ask = async (asked: readonly TextHolder[], wanted: readonly string[]) =>
    byText((await proofScan(asked, wanted)).findings, wanted);
  try {
    // First of all: whatever reads the texts for their words puts those into the cache.
    const cached = await ask(named(['word cache']), all);
    const elsewhere = await textsElsewhere(context, all, staying);
    const isElsewhere = (text: string) =>
      elsewhere.said.has(text) || (!texts.said.has(text) && elsewhere.told.has(text));
    const unsaid = all.filter((text) => !isElsewhere(text));
    const unworded = unsaid.filter((text) => isTelling(text) && !elsewhere.inWords.has(text));
    const isOpen = new Set(unworded);
    const found = [
      ...(await ask([...named(WORD_FOR_WORD), ...beside], unsaid)),
      ...(await ask(named(others), unworded)),
      ...cached.filter(({ text }) => isOpen.has(text)),
    ];
    return {
      clean: found.length === 0,
      searched: unsaid.length,
      alsoElsewhere: all.length - unsaid.length,
      notSearched: every.size - all.length,
      findings: byPlace(found),
    };
  } finally {
    clearAnalyzerCache();
  }
}

/** An index keeps words: of "A" or "of the" it can tell nothing. */
function isTelling(text: string): boolean {
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
