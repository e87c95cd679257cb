import { describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { Mnemis } from '../../../src/engine.ts';
import { restoreBackup } from '../../../src/files/backup/restore-backup.ts';
import { verifyBackup, verifyMemory } from '../../../src/files/backup/verify.ts';
import type { ImportRecord } from '../../../src/importers/importer.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { upToIds } from '../../engine/ingestion/graph-up-to-ids.ts';
import { expectConsistent } from '../../engine/ingestion/invariants.ts';
import { randomConversation } from '../../engine/ingestion/random-conversation.ts';
import { freshPath, graphOf } from '../../engine/memory-fixture.ts';
import { seededRandom } from '../../search/random.ts';

const CITIES = ['Oslo', 'Lisbon', 'Bergen', 'Madrid', 'Vienna'];

/**
 * What is read together decides three things: what counts as said again, which of two namesakes is meant, and where
 * topics are cut. A restored memory reads other turns together than an undisturbed one, depending on the commit that
 * the backup holds. So nothing is said twice, nobody is named, and six sessions have as many turns as a batch: each
 * commit ends with a session, and no session is cut twice.
 */
const TURNS = randomConversation(seededRandom(7), { turns: 1_280, sessions: 20 }).map((turn, at) => ({
  ...turn,
  content: at % 3 === 2 ? 'Wow, that sounds great!' : `I bought lamp ${at} in ${CITIES[at % 5]}.`,
}));

function* records(turns: readonly TurnInput[]): Generator<ImportRecord> {
  for (const [at, turn] of turns.entries()) yield { kind: 'turn', where: `line ${at + 1}`, turn };
}

const openEngine = (path: string) =>
  Mnemis.open({ path, automatic: false, embedder: new HashingEmbedder({ analyze, dimension: 64 }) });

async function importAll(memory: MemoryScope): Promise<void> {
  for await (const _ of memory.import(records(TURNS)));
}

/** Imports, and makes a backup as soon as so many turns are stored and so many of them read, without a pause. */
async function importWithBackup(
  path: string,
  folder: string,
  at: { stored: number; read: number },
): Promise<void> {
  await using engine = await openEngine(path);
  let backup: Promise<unknown> | null = null;
  for await (const event of engine.scope('a').import(records(TURNS))) {
    if (event.type === 'rejected') throw new Error(event.reason);
    const { added, consolidated } = event.counts;
    if (added >= at.stored && consolidated >= at.read) backup ??= engine.backup(folder);
  }
  expect(backup).not.toBeNull();
  await backup;
}

describe('a backup made during an import', () => {
  it.each([
    ['while turns are stored', { stored: 300, read: 0 }],
    ['while they are read for facts', { stored: 1_280, read: 120 }],
  ])(
    '%s restores to a valid memory, in which the import continues to the same result',
    async (_, at) => {
      const folder = freshPath('.mnemis-backup');
      await importWithBackup(freshPath(), folder, at);
      expect(await verifyBackup(folder)).toMatchObject({ sound: true, findings: [] });
      const path = freshPath();
      await restoreBackup(folder, path);
      const restored = await openEngine(path);
      const memory = restored.scope('a');
      const { episode, enrichment } = await memory.stats();
      expect(episode).toBeGreaterThanOrEqual(at.stored);
      expect(enrichment.pending).toBeGreaterThan(0); // it was in the middle indeed
      expect(episode - enrichment.pending).toBeGreaterThanOrEqual(at.read);
      expectConsistent(await graphOf(memory));
      await importAll(memory);
      const graph = upToIds(await graphOf(memory));
      await restored.close();
      expect(await verifyMemory(path)).toMatchObject({ sound: true, findings: [] });

      await using undisturbed = await openEngine(':memory:');
      await importAll(undisturbed.scope('a'));
      expect(graph).toEqual(upToIds(await graphOf(undisturbed.scope('a'))));
    },
    180_000,
  );
});
