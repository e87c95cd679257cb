import { afterAll } from 'vitest';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import { Mnemis } from '../../src/engine.ts';

/** What is said: day, speaker, words, and the caption of a picture. */
export type Talk = readonly (readonly [day: string, speaker: string, words: string, caption?: string])[];

/** A memory of a talk, a session for each day, asked on 1 June 2026; it is closed after all tests of the file. */
export async function told(talk: Talk): Promise<MemoryScope> {
  const engine = await Mnemis.open({
    path: ':memory:',
    automatic: false,
    clock: () => Date.UTC(2026, 5, 1),
  });
  afterAll(() => engine.close());
  const memory = engine.scope('talk');
  const places = new Map<string, number>();
  for (const [session, speaker, content, description] of talk) {
    const minute = places.get(session) ?? 0;
    places.set(session, minute + 1);
    await memory.add({
      ...{ speaker, content, session, at: `${session}T10:${String(minute).padStart(2, '0')}Z` },
      ...(description !== undefined && { attachments: [{ kind: 'image', description }] }),
    });
  }
  await memory.flush();
  return memory;
}
