import type { Episode } from '../../model/nodes.ts';
import { Breather } from '../../util/breathe.ts';
import type { IngestContext } from '../ingest-context.ts';
import { SaidAgain } from './said-again.ts';

/** A turn that says again what others say. */
export type Quoting = Pick<Episode, 'id' | 'session' | 'speaker' | 'validAt'> & {
  /** What it says, from a little before the quotation on. */
  readonly text: string;
};

const COLUMNS = ['id', 'session', 'speaker', 'validAt', 'content', 'attachments'] as const;
type Row = Pick<Episode, (typeof COLUMNS)[number]>;

/** Turns that are read in one go. */
const BATCH = 500;
/** So many characters of a long turn are shown before what it quotes. */
const BEFORE = 30;

/** Turns that stay and say again what turns that go say, in the order in which they were said: see `SaidAgain`. */
export async function quotationsOf(
  { store, scope }: Pick<IngestContext, 'store' | 'scope'>,
  turns: readonly string[],
): Promise<readonly Quoting[]> {
  const said = new SaidAgain();
  const breather = new Breather();
  for (let start = 0; start < turns.length; start += BATCH)
    for (const row of await store.get(scope, 'episode', turns.slice(start, start + BATCH))) {
      await breather.breathe();
      for (const text of textsIn(row)) said.add(text);
    }
  if (said.isEmpty) return [];
  const going = new Set(turns);
  const found: Quoting[] = [];
  for await (const rows of store.scan(scope, 'episode', COLUMNS))
    for (const row of rows) {
      if (going.has(row.id)) continue;
      await breather.breathe();
      const text = quotationIn(row, said);
      const { id, session, speaker, validAt } = row;
      if (text !== null) found.push({ id, session, speaker, validAt, text });
    }
  return found.sort((a, b) => a.validAt - b.validAt);
}

/** What a turn says, and what is seen in the pictures shown with it. */
export function textsIn({ content, attachments }: Pick<Row, 'content' | 'attachments'>): string[] {
  return [content, ...attachments.map(({ description }) => description)];
}

function quotationIn(row: Row, said: SaidAgain): string | null {
  for (const text of textsIn(row)) {
    const share = said.foundIn(text);
    if (share !== null) return text.slice(startOf(text, share));
  }
  return null;
}

/** About where the quotation begins, at the start of a word. */
function startOf(text: string, share: number): number {
  const from = Math.floor(text.length * share) - BEFORE;
  return from <= BEFORE ? 0 : text.indexOf(' ', from) + 1;
}
