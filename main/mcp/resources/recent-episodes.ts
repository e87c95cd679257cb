import type { OutputOf } from '../../contract.ts';
import type { ToolContext } from '../tool-context.ts';

export type StoredEvent = Extract<OutputOf<'changes'>, { readonly type: 'stored' }>;

const DAY = 86_400_000;
/** A memory that is in use has enough in its last days, and only one that is not is looked through from the beginning. */
const DAYS = [7, 90];

/** The turns that came in last, the newest first, each in its newest version. */
export async function recentEpisodes(
  { client, settings: { scope, clock } }: ToolContext,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<readonly StoredEvent[]> {
  for (const since of [...DAYS.map((days) => clock() - days * DAY), 0]) {
    const turns = new Map<string, StoredEvent>();
    for await (const event of client.changes({ scope, since, follow: false }, { signal }))
      if (event.type === 'stored') note(turns, event);
    if (turns.size >= most || since === 0) return [...turns.values()].reverse().slice(0, most);
  }
  return [];
}

function note(turns: Map<string, StoredEvent>, event: StoredEvent): void {
  const key = JSON.stringify([event.session, event.index]);
  turns.delete(key);
  turns.set(key, event);
}
