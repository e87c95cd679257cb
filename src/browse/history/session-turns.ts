import type { IndexedScope } from '../../ingest/ingest-context.ts';
import type { Episode } from '../../model/nodes.ts';
import { NONE } from '../../search/timeline.ts';

/** The live turns of a session, in the order of their indices. */
export async function sessionTurns(
  { store, scope, index }: IndexedScope,
  session: string,
): Promise<readonly Episode[]> {
  const { ids, timeline } = index.episodes;
  const wanted: string[] = [];
  for (let turn = timeline.lastTurn(session); turn !== NONE; turn = timeline.previous.at(turn))
    wanted.unshift(ids.idOf(turn));
  const rows = new Map((await store.get(scope, 'episode', wanted)).map((row) => [row.id as string, row]));
  return wanted.flatMap((id) => rows.get(id) ?? []);
}
