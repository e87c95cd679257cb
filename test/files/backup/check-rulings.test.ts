import { describe, expect, it } from 'vitest';
import { checkMemory } from '../../../src/files/backup/check-memory.ts';
import type { NewNodes } from '../../../src/model/graph-changes.ts';
import type { Correction, Tombstone } from '../../../src/model/nodes.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { correction, episode, fact, scopeOf, tombstone } from '../../contract/graph-rows.ts';

const A = scopeOf('a');
const digest = (letter: string) => letter.repeat(64);

async function findings(nodes: NewNodes): Promise<readonly string[]> {
  const store = new InMemoryStore();
  await store.commit(A, { nodes });
  return (await checkMemory({ store, snapshotFolder: null })).findings.map(({ what }) => what);
}

const stub = (id: string) => episode(id, { content: '', attachments: [] });
const byHand = (id: string, more: Partial<Correction> = {}) => correction(id, { targets: ['f1'], ...more });
const grave = (id: string, more: Partial<Tombstone> = {}) =>
  tombstone(id, { digest: digest('a'), salt: 'ab'.repeat(16), ...more });
const SOUND: NewNodes = {
  episode: [
    episode('e1'),
    stub('e2'),
    episode('e3', { content: '', attachments: [{ kind: 'a', description: 'b' }] }),
  ],
  fact: [fact('f1')],
  correction: [
    byHand('c1', { targets: ['f1', 'gone'] }),
    byHand('c2', { kind: 'undo', targets: ['c1'] }),
    byHand('c3', { kind: 'forget', targets: ['gone'], finishedAt: 7 }),
    byHand('c4', { kind: 'retain', targets: ['e2', 'gone'] }),
  ],
  tombstone: [grave('t1'), grave('t2', { digest: digest('b') })],
};

describe('the check of corrections, tombstones and turns without text', () => {
  it('finds nothing in a valid memory', async () => {
    expect(await findings(SOUND)).toEqual([]);
  });

  it.each<[string, (nodes: NewNodes) => NewNodes, string]>([
    [
      'a detail that is no JSON object',
      (nodes) => ({
        ...nodes,
        correction: [...nodes.correction!, byHand('c5', { detail: '[1' }), byHand('c6', { detail: '[]' })],
      }),
      '2 corrections have an unreadable detail',
    ],
    [
      'a correction of nothing',
      (nodes) => ({ ...nodes, correction: [...nodes.correction!, byHand('c5', { targets: ['gone'] })] }),
      '1 corrections have no existing target',
    ],
    [
      'the undoing of nothing',
      (nodes) => ({
        ...nodes,
        correction: [...nodes.correction!, byHand('c5', { kind: 'undo', targets: ['f1'] })],
      }),
      '1 corrections have no existing target',
    ],
    [
      'a tombstone with words',
      (nodes) => ({
        ...nodes,
        tombstone: [...nodes.tombstone!, grave('t3', { digest: 'Ann lives in Oslo' })],
      }),
      '1 tombstones contain more than a digest and its salt',
    ],
    [
      'a second tombstone',
      (nodes) => ({ ...nodes, tombstone: [...nodes.tombstone!, grave('t3')] }),
      '1 tombstones repeat another one',
    ],
    [
      'a second salt',
      (nodes) => ({
        ...nodes,
        tombstone: [...nodes.tombstone!, grave('t3', { digest: digest('c'), salt: 'cd'.repeat(16) })],
      }),
      'the tombstones have 2 salts instead of one',
    ],
    [
      'a forgetting that broke off',
      (nodes) => ({ ...nodes, correction: [...nodes.correction!, byHand('c5', { kind: 'forget' })] }),
      '1 forgettings are unfinished',
    ],
    [
      'a turn that lost its text',
      (nodes) => ({ ...nodes, episode: [...nodes.episode!, stub('e4')] }),
      '1 turns have no text, although no retention rule removed it',
    ],
    [
      'a text that should be gone',
      (nodes) => ({
        ...nodes,
        correction: [...nodes.correction!, byHand('c5', { kind: 'retain', targets: ['e1'] })],
      }),
      '1 turns still have text that a retention rule removed',
    ],
  ])('finds %s', async (_, spoil, what) => {
    expect(await findings(spoil(SOUND))).toEqual([what]);
  });
});
