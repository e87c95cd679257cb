import type { IngestContext } from '../../ingest/ingest-context.ts';
import { NODE_KINDS, type NodeKind } from '../../model/nodes.ts';
import { analyze } from '../../search/analyzer.ts';
import { Breather } from '../../util/breathe.ts';
import { TEXT_COLUMNS } from '../text-holders/row-holders.ts';
import { stringsIn } from '../text-holders/strings-in.ts';
import { TextPatterns } from '../text-holders/text-patterns.ts';

type Sources = Pick<IngestContext, 'store' | 'scope'>;

/** What people said or wrote themselves; all else is made of it. */
export const SAID: readonly NodeKind[] = ['episode', 'item', 'correction'];
/** Where turns stay and only an entity goes, what sums the turns up stays with them. */
export const SAID_OR_SUMMED_UP: readonly NodeKind[] = [...SAID, 'segment', 'description'];

/** Texts that stand in what stays, and so say nothing of what went. */
export interface TextsElsewhere {
  /** Those that a turn that stays says, or a fact that was given. */
  readonly said: ReadonlySet<string>;
  /** Those of which one row that stays has every word: all that an index can tell of a text. */
  readonly inWords: ReadonlySet<string>;
}

export async function textsElsewhere(
  { store, scope }: Sources,
  texts: readonly string[],
  kinds: readonly NodeKind[] = SAID,
): Promise<TextsElsewhere> {
  const patterns = new TextPatterns(texts);
  const words = new WordPatterns(texts);
  const [said, inWords] = [new Set<string>(), new Set<string>()];
  const breather = new Breather();
  for (const kind of NODE_KINDS) {
    const columns = [...(TEXT_COLUMNS.get(kind) ?? []), ...(kind === 'fact' ? ['origin'] : [])];
    if (columns.length === 0) continue;
    for await (const rows of store.scan(scope, kind, columns as never))
      for (const row of rows as readonly Readonly<Record<string, unknown>>[]) {
        await breather.breathe();
        const strings = [...stringsIn(columns.map((column) => row[column]))];
        for (const at of words.foundIn(strings.join(' \n'))) inWords.add(texts[at]!);
        if (kinds.includes(kind) || row.origin === 'given')
          for (const string of strings) for (const at of patterns.foundIn(string)) said.add(texts[at]!);
      }
  }
  return { said, inWords };
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
