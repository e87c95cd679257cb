import type { MemoryClient } from '../../main/contract.ts';

/** Ana lives in Porto, and half a year later in Lisbon. */
export const MOVE = [
  ['2023-03-05T10:00:00Z', 'Ana', 's1', 'I live in Porto.'],
  ['2023-03-05T10:02:00Z', 'Ana', 's1', 'I work as a baker in Porto.'],
  ['2023-05-11T10:00:00Z', 'Ben', 's2', 'My kiln arrived yesterday.'],
  ['2023-09-10T10:00:00Z', 'Ana', 's3', 'I moved to Lisbon.'],
  ['2023-11-20T10:00:00Z', 'Ana', 's4', 'My cat Miso loves the balcony. I was born in 1990.'],
] as const;

/** Has a scope remember the move. */
export async function rememberMove(engine: MemoryClient, scope: string): Promise<void> {
  const turns = MOVE.map(([at, speaker, session, content]) => ({
    ...{ at, speaker, session, content },
    role: speaker === 'Ana' ? ('user' as const) : ('other' as const),
  }));
  await engine.add({ scope, turns });
  await engine.flush({ scope });
}
