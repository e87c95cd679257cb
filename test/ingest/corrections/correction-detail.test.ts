import { describe, expect, it } from 'vitest';
import { readDetail, writeDetail } from '../../../src/ingest/corrections/correction-detail.ts';
import {
  type Journal,
  NO_JOURNAL,
  packJournal,
  unpackJournal,
} from '../../../src/ingest/corrections/journal.ts';
import type { CorrectionId, EntityId } from '../../../src/model/ids.ts';
import type { Relationship } from '../../../src/model/relationships.ts';
import { edge } from '../../contract/graph-rows.ts';
import { seededRandom } from '../../search/random.ts';

const entity = (id: string, episodes: string[] = []) => ({
  id: id as EntityId,
  names: [id],
  episodes: episodes as never,
});

function randomJournal(seed: number): Journal {
  const random = seededRandom(seed);
  const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)]!;
  const id = () => `id ${Math.floor(random() * 30)}`;
  const edges = (): Relationship[] =>
    Array.from({ length: Math.floor(random() * 20) }, () =>
      pick([
        () => edge('MENTIONS', id(), id()),
        () => edge('ABOUT', id(), id(), { role: pick(['subject', 'object', 'participant'] as const) }),
        () => edge('POSSIBLY_SAME', id(), id(), { confidence: pick([0.25, 0.5]) }),
      ])(),
    );
  return {
    created: [{ kind: pick(['fact', 'profile'] as const), id: id() }],
    linked: edges(),
    unlinked: edges(),
    before: [{ kind: 'fact', id: id(), expiredAt: pick([null, 5]), invalidAt: pick([null, 7]), set: 9 }],
  };
}

describe('a journal', () => {
  it('is read as it was written, with edges in any order', () => {
    const sorted = ({ linked, unlinked, ...rest }: Journal) => ({
      ...rest,
      linked: linked.map((each) => JSON.stringify(each)).sort(),
      unlinked: unlinked.map((each) => JSON.stringify(each)).sort(),
    });
    for (let seed = 1; seed <= 200; seed++) {
      const journal = randomJournal(seed);
      const { journal: packed, targets } = packJournal(journal, ['first']);
      expect(targets[0]).toBe('first');
      expect(new Set(targets).size).toBe(targets.length);
      expect(sorted(unpackJournal(packed, targets)!)).toEqual(sorted(journal));
    }
  });

  it('stays small with thousands of moved edges', () => {
    const unlinked = Array.from({ length: 10_000 }, (_, at) => edge('MENTIONS', `turn ${at}`, 'merged'));
    const linked = unlinked.map((each) => ({ ...each, to: 'keep' }));
    const { detail } = writeDetail(
      { kind: 'merge-entities', keep: entity('keep'), merged: entity('merged') },
      { ...NO_JOURNAL, linked, unlinked },
    );
    expect(detail.length).toBeLessThan(250_000);
  });
});

describe('a detail', () => {
  it('has every id that it contains among its targets', () => {
    const journal = { ...NO_JOURNAL, linked: [edge('ABOUT', 'fact', 'made', { role: 'subject' })] };
    const fact = { id: 'fact', statement: 'fact', event: null, about: ['old'], evidence: ['turn'] } as never;
    const detail = {
      kind: 'split-entity',
      entity: entity('old', ['turn']),
      name: 'New',
      made: 'made' as EntityId,
      episodes: ['turn'] as never,
      facts: [fact],
    } as const;
    const written = writeDetail(detail, journal);
    expect([...written.targets].sort()).toEqual(['fact', 'made', 'old', 'turn']);
    expect(readDetail({ kind: 'split-entity', ...written })).toEqual({ ...detail, journal });
  });

  it('follows its targets when their ids change, as in an imported archive', () => {
    const journal = { ...NO_JOURNAL, created: [{ kind: 'profile' as const, id: 'p' }] };
    const written = writeDetail({ kind: 'keep-apart', entities: [entity('a'), entity('b')] }, journal);
    const targets = written.targets.map((id) => `new ${id}`);
    expect(readDetail({ kind: 'keep-apart', detail: written.detail, targets })!.journal.created).toEqual([
      { kind: 'profile', id: 'new p' },
    ]);
  });

  it.each([
    ['of another kind', { kind: 'forget', detail: '{}', targets: [] }],
    ['that is no JSON', { kind: 'undo', detail: 'x', targets: [] }],
    ['without what it did', { kind: 'undo', detail: '{"journal":{}}', targets: [] }],
    [
      'that speaks of places it does not have',
      {
        kind: 'undo',
        detail:
          '{"correction":"c","journal":{"created":[{"kind":"fact","id":1}],"linked":[],"unlinked":[],"before":[]}}',
        targets: ['c'],
      },
    ],
  ] as const)('%s is none', (_, correction) => {
    expect(readDetail(correction)).toBeNull();
  });

  it('names the correction that an undo reverts', () => {
    const written = writeDetail({ kind: 'undo', correction: 'c' as CorrectionId }, NO_JOURNAL);
    expect(written.targets).toEqual(['c']);
    expect(readDetail({ kind: 'undo', ...written })).toMatchObject({ correction: 'c' });
  });
});
