import type { IndexedScope } from '../ingest/ingest-context.ts';
import type { EpisodeId } from '../model/ids.ts';
import { shorten } from '../util/tidy.ts';
import { type FactLine, factLines } from './fact-line.ts';

/** What memory made of turns. */
export interface Learned {
  /** Turns of the scope, in the order of the request. */
  readonly turns: readonly {
    readonly id: EpisodeId;
    /** Shortened to a few lines. */
    readonly text: string;
    readonly speaker: string;
    /** Whether it was read for facts. */
    readonly isRead: boolean;
  }[];
  /** Live facts that one of the turns supports, in the order in which they began to hold. */
  readonly facts: readonly FactLine[];
  /** Number of the turns that wait to be read. A turn that was set aside is neither read nor pending. */
  readonly pending: number;
}

const LONGEST_TEXT = 400;

/** Turns and the facts that they support. Turns that the scope does not have are left out. */
export async function learnedFrom(context: IndexedScope, episodes: readonly string[]): Promise<Learned> {
  const { store, scope, index } = context;
  const rows = await store.get(scope, 'episode', [...new Set(episodes)]);
  const facts = new Set(rows.flatMap(({ id }) => index.factsEvidencedBy(id)));
  const lines = await factLines(context, [...facts]);
  return {
    turns: rows.map(({ id, content, attachments, speaker, status }) => ({
      id,
      text: shorten(content === '' ? (attachments[0]?.description ?? '') : content, LONGEST_TEXT),
      speaker,
      isRead: status === 'extracted',
    })),
    facts: lines.sort((a, b) => a.validAt - b.validAt),
    pending: rows.filter(({ status, expiredAt }) => status === 'stored' && expiredAt === null).length,
  };
}
