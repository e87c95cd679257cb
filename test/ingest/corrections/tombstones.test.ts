import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { remainingNames, Texts } from '../../../src/edit/forget/entities.ts';
import {
  nameDigest,
  nameForgottenAt,
  tombstonesFor,
  turnDigest,
  wasForgotten,
} from '../../../src/ingest/corrections/tombstones.ts';
import type { CheckedReading } from '../../../src/ingest/extract/segment-reader.ts';
import { dropForgotten } from '../../../src/ingest/write/read-batch.ts';
import { CorrectionIndex } from '../../../src/search/correction-index.ts';

const SALT = '00'.repeat(32);
const turn = { key: '["turn","s",0]', contentHash: 'abc' };

let ids = 0;
function addTombstones(corrections: CorrectionIndex, what: Parameters<typeof tombstonesFor>[1], now = 5) {
  const context = { index: { corrections } as never, newId: () => `t${++ids}`, clock: () => now };
  const made = tombstonesFor(context, what);
  corrections.apply({
    nodes: { tombstone: made.rows },
    removals: made.replaced.map((id) => ({ kind: 'tombstone', id })),
  });
  return made;
}

describe('tombstones', () => {
  it('are keyed digests of session, position and content', () => {
    const key = Buffer.alloc(32);
    const expected = createHmac('sha256', key)
      .update('["turn","[\\"turn\\",\\"s\\",0]","abc"]')
      .digest('hex');
    expect(turnDigest(turn, SALT)).toBe(expected);
    expect(turnDigest(turn, '01'.repeat(32))).not.toBe(expected);
    expect(nameDigest('  ÉMILE  Z ', SALT)).toBe(nameDigest('emile z', SALT));
  });

  it('share one random salt in a scope, and contain no word', () => {
    const corrections = new CorrectionIndex();
    const { rows } = addTombstones(corrections, {
      turns: [turn, turn, { ...turn, contentHash: 'd' }],
      names: ['Ann'],
    });
    expect(rows.map(({ kind }) => kind)).toEqual(['turn', 'turn', 'entity']);
    expect(new Set(rows.map(({ salt }) => salt)).size).toBe(1);
    expect(rows[0]!.salt).toMatch(/^[0-9a-f]{64}$/);
    const { rows: more } = addTombstones(corrections, { turns: [{ ...turn, contentHash: 'e' }] });
    expect(more[0]!.salt).toBe(rows[0]!.salt);
    expect(addTombstones(new CorrectionIndex(), { turns: [turn] }).rows[0]!.salt).not.toBe(rows[0]!.salt);
    expect(JSON.stringify(rows)).not.toContain('Ann');
  });

  it('match forgotten turns under every salt, and nothing else', () => {
    const corrections = new CorrectionIndex();
    const stored = (identity: typeof turn) => ({ ...identity, sourceId: null, createdAt: 0 as never });
    expect(wasForgotten(stored(turn), corrections)).toBe(false);
    addTombstones(corrections, { turns: [turn] });
    const imported = addTombstones(new CorrectionIndex(), {
      turns: [{ ...turn, contentHash: 'other' }],
    }).rows;
    corrections.add([], imported);
    expect(wasForgotten(stored(turn), corrections)).toBe(true);
    expect(wasForgotten({ ...stored(turn), contentHash: 'other' }, corrections)).toBe(true);
    expect(wasForgotten({ ...stored(turn), key: 'k' }, corrections)).toBe(false);
    expect(addTombstones(corrections, { turns: [turn] }).rows).toEqual([]);
  });

  it('of a move let a turn come back, until it is forgotten', () => {
    const corrections = new CorrectionIndex();
    const stored = (createdAt: number) => ({ ...turn, sourceId: 'w1', createdAt: createdAt as never });
    expect(addTombstones(corrections, { turns: [turn], isMove: true }, 5).rows[0]!.kind).toBe('moved');
    expect([wasForgotten(stored(4), corrections), wasForgotten(stored(6), corrections)]).toEqual([
      true,
      false,
    ]);
    addTombstones(corrections, { turns: [turn] }, 9);
    expect(wasForgotten(stored(10), corrections)).toBe(true);
  });

  it('of a name that is forgotten again get the newer time', () => {
    const corrections = new CorrectionIndex();
    addTombstones(corrections, { names: ['Ann'] }, 5);
    expect(nameForgottenAt('ann', corrections)).toBe(5);
    expect(addTombstones(corrections, { names: ['Ann'] }, 9).replaced).toHaveLength(1);
    expect(nameForgottenAt('ann', corrections)).toBe(9);
    expect(nameForgottenAt('Bob', corrections)).toBeNull();
  });
});

describe('reading turns again', () => {
  const fact = {
    kind: 'relation',
    statement: 'x',
    relation: 'know',
    validAt: 0,
    event: null,
    confidence: 1,
    invalidAt: null,
  };
  const entity = { kind: 'person', aliases: [], tags: [], description: 'said of it' };
  const reading = {
    keywords: [],
    summary: '',
    judgements: [],
    verified: [],
    extraction: {
      entities: [
        { ...entity, name: 'Ann', turns: [0, 1] },
        { ...entity, name: 'Bob', turns: [0], aliases: ['Robert'] },
      ],
      facts: [
        { ...fact, subject: 'Ann', object: 'Bob', participants: ['Ann', 'Bob'], turns: [0, 1] },
        { ...fact, subject: 'Ann', object: null, participants: ['Ann'], turns: [0] },
      ],
    },
  } as unknown as CheckedReading;
  const turns = [{ createdAt: 3 }, { createdAt: 8 }];

  it('skips statements about an entity from before it was forgotten', () => {
    const corrections = new CorrectionIndex();
    expect(dropForgotten(reading, turns, corrections)).toBe(reading);
    addTombstones(corrections, { names: ['robert'] }, 5);
    const { entities, facts } = dropForgotten(reading, turns, corrections).extraction;
    expect(entities).toEqual([reading.extraction.entities[0]]);
    expect(facts).toMatchObject([
      { participants: ['Ann', 'Bob'], turns: [1] },
      { participants: ['Ann'], turns: [0] },
    ]);
  });

  it('keeps newer statements about an entity, without a description that may depend on older ones', () => {
    const corrections = new CorrectionIndex();
    addTombstones(corrections, { names: ['Ann'] }, 5);
    const { entities, facts } = dropForgotten(reading, turns, corrections).extraction;
    expect(entities).toMatchObject([
      { name: 'Ann', turns: [1], description: '' },
      { name: 'Bob', turns: [0] },
    ]);
    expect(facts).toMatchObject([{ participants: ['Ann', 'Bob'], turns: [1] }]);
  });

  it('skips everything about it said up to the time of forgetting', () => {
    const corrections = new CorrectionIndex();
    addTombstones(corrections, { names: ['Ann'] }, 8);
    const { entities, facts } = dropForgotten(reading, turns, corrections).extraction;
    expect(entities.map(({ name }) => name)).toEqual(['Bob']);
    expect(facts).toEqual([]);
  });
});

describe('the remaining names', () => {
  const left = (name: string, aliases: string[], staying: string[], going: string[]) =>
    remainingNames(
      { name, aliases },
      { remaining: new Texts(staying), removed: new Texts(going), fallback: 'person' },
    );

  it('are those in remaining statements, or in none at all', () => {
    expect(left('Ann Smith', ['Annie', 'my sister'], ['Annie called'], ['I met Ann Smith'])).toEqual({
      name: 'Annie',
      aliases: ['my sister'],
      dropped: ['Ann Smith'],
    });
  });

  it('may be a part of a name, or empty', () => {
    expect(left('Ann Smith', [], ['Ann called'], ['I met Ann Smith'])).toMatchObject({ name: 'Ann' });
    expect(left('Ann Smith', [], ['She called'], ['I met Ann Smith'])).toEqual({
      name: 'person',
      aliases: [],
      dropped: ['Ann Smith'],
    });
  });
});
