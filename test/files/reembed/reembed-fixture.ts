import type { Mnemis, OpenOptions, ReembedOptions } from '../../../src/engine.ts';
import { openStoreAt } from '../../../src/files/open-store.ts';
import type { ReembedEvent, ReembedResult } from '../../../src/files/reembed/reembed.ts';
import { type IngestProfile, profileNamed } from '../../../src/ingest/profile.ts';
import type { Scope } from '../../../src/model/ids.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { CountingEmbedder } from '../../engine/counting-embedder.ts';
import { answersTo, CONVERSATION, open, QUERIES, remember, turn } from '../../engine/memory-fixture.ts';

export const one = () => new CountingEmbedder('one', 64);
/** Of the same dimension: nothing but the name tells its vectors from those of `one`. */
export const two = () => new CountingEmbedder('two', 64);
export const three = () => new CountingEmbedder('three', 48);

/** Reads turns alike whatever the embedder: topics and their relations are found by vectors. */
const profile: IngestProfile = {
  ...profileNamed('local'),
  name: 'blind',
  partition: { by: 'session' },
  relates: 'never',
  hierarchy: 'never',
};

/** Ids, times and units that come again: two memories that were told the same have the same rows. */
export function repeatable(): Pick<OpenOptions, 'newId' | 'clock'> & { profile: IngestProfile } {
  let ids = 0;
  let time = 1_700_000_000_000;
  return { profile, newId: () => `id ${String(++ids).padStart(9, '0')}`, clock: () => (time += 1_000) };
}

/** Enough turns for several commits of a move. */
export const manyTurns = (count: number): TurnInput[] =>
  Array.from({ length: count }, (_, number) =>
    turn(`I bought item${number} and a ${number % 7} year old lamp in Oslo.`, {
      speaker: number % 2 === 0 ? 'Ann' : 'Bob',
      session: `many ${Math.floor(number / 40)}`,
    }),
  );

/** Enough for several commits of a move. */
export const MANY = manyTurns(160);

/** Two scopes; one of them holds a superseded turn. */
export async function tell(mnemis: Mnemis, more: readonly TurnInput[] = []): Promise<void> {
  await remember(mnemis.scope('a'), CONVERSATION);
  await remember(
    mnemis.scope('a'),
    turn('He is a poodle from Bergen.', { session: 's1', index: 2, speaker: 'Ann' }),
  );
  await remember(mnemis.scope('b'), turn('Zoe keeps bees in Turku.', { speaker: 'Zoe' }));
  if (more.length > 0) await remember(mnemis.scope('a'), more);
}

export const allAnswers = async (mnemis: Mnemis) => [
  await answersTo(mnemis.scope('a'), [...QUERIES, 'item7', 'lamps']),
  await answersTo(mnemis.scope('b'), ['bees', 'Where does Zoe keep her bees?']),
];

const fresh = new Map<string, ReturnType<typeof allAnswers>>();
/** What a memory that never knew another embedder answers; asked once for each embedder and number of turns. */
export function answersOfFresh(embedder: CountingEmbedder, more: readonly TurnInput[] = []) {
  const key = `${embedder.fingerprint.model} ${more.length}`;
  const answers = fresh.get(key) ?? askFresh(embedder, more);
  fresh.set(key, answers);
  return answers;
}

async function askFresh(embedder: CountingEmbedder, more: readonly TurnInput[]) {
  const mnemis = await open(':memory:', { embedder, ...repeatable() });
  await tell(mnemis, more);
  const answers = await allAnswers(mnemis);
  await mnemis.close();
  return answers;
}

/** A memory made with `one`. */
export async function made(path: string, more: readonly TurnInput[] = MANY): Promise<Mnemis> {
  const mnemis = await open(path, { embedder: one(), ...repeatable() });
  await tell(mnemis, more);
  return mnemis;
}

export async function moveAll(mnemis: Mnemis, options: ReembedOptions = {}) {
  const events: ReembedEvent[] = [];
  for await (const event of mnemis.reembed(options)) events.push(event);
  return { events, result: events.at(-1) as ReembedResult };
}

/** How many vectors of each embedder the file holds, of all scopes. */
export async function vectorsIn(path: string): Promise<Record<string, number>> {
  const store = await openStoreAt(path);
  const counts: Record<string, number> = {};
  for (const scope of await store.scopes())
    for (const [model, count] of await store.countEmbeddings(scope as Scope))
      counts[model] = (counts[model] ?? 0) + count;
  await store.close();
  return counts;
}
