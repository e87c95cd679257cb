import { describe, expect, it } from 'vitest';
import { dependentCorrections } from '../../../src/edit/correct/dependent-corrections.ts';
import { type NewDetail, writeDetail } from '../../../src/ingest/corrections/correction-detail.ts';
import { EffectiveCorrections } from '../../../src/ingest/corrections/effective-corrections.ts';
import { NO_JOURNAL } from '../../../src/ingest/corrections/journal.ts';
import type { CorrectionId, EntityId, EpisodeId, FactId } from '../../../src/model/ids.ts';
import type { Correction } from '../../../src/model/nodes.ts';
import { CorrectionIndex } from '../../../src/search/correction-index.ts';

let count = 0;
function made(detail: NewDetail, undoneAt: number | null = null): Correction {
  const [id, at] = [`c${++count}` as CorrectionId, count];
  const said = writeDetail(detail, NO_JOURNAL);
  return { id, kind: detail.kind, author: 'user', ...said, createdAt: at, finishedAt: at, undoneAt };
}

const entity = (id: string, names: string[] = [id], episodes: string[] = []) => ({
  id: id as EntityId,
  names,
  episodes: episodes as EpisodeId[],
});
const fact = (id: string, statement = id) => ({
  id: id as FactId,
  statement,
  event: null,
  about: ['e' as EntityId],
  evidence: [] as EpisodeId[],
});
const edit = (from: string, to: string, statement = from) =>
  made({ kind: 'edit-fact', fact: fact(from, statement), patch: {}, made: to as FactId });
const merge = (keep: string, merged: string) =>
  made({ kind: 'merge-entities', keep: entity(keep), merged: entity(merged) });
const profile = { name: 'Rex', aliases: ['Wuff'], summary: 'read', tags: ['person'] };

describe('a correction book', () => {
  it('follows edits of edits, rejections and pins', () => {
    const book = new EffectiveCorrections([
      made({ kind: 'pin-fact', fact: fact('f1') }),
      edit('f1', 'f2', 'Nora likes tea!'),
      edit('f2', 'f3', 'Nora likes milk'),
      made({ kind: 'reject-fact', fact: fact('f3', 'Nora likes gin') }),
    ]);
    for (const said of ['nora likes TEA', 'Nora likes milk', 'Nora likes gin'])
      expect(book.correctedFacts(said)).toMatchObject([{ fact: 'f3', isRejected: true }]);
    expect(book.correctedFacts('Nora likes rum')).toEqual([]);
    expect(['f1', 'f2', 'f3', 'f4'].map((id) => book.isPinned(id))).toEqual([true, true, true, false]);
    expect(book.newest('f1' as FactId)).toBe('f3');
  });

  it('ignores undone corrections', () => {
    const undone = [
      made({ kind: 'reject-fact', fact: fact('f') }, 9),
      made({ kind: 'merge-entities', keep: entity('a'), merged: entity('b') }, 9),
      made({ kind: 'edit-profile', entity: entity('e'), patch: { name: 'x' } }, 9),
      made({ kind: 'keep-apart', entities: [entity('a'), entity('b')] }, 9),
    ];
    const book = new EffectiveCorrections(undone);
    expect([book.correctedFacts('f'), book.correctedNames('b'), book.canonical('b' as EntityId)]).toEqual([
      [],
      [],
      'b',
    ]);
    expect(book.withUserEdits('e', profile)).toBe(profile);
    expect(book.isKeptApart('a', 'b')).toBe(false);
  });

  it('follows merges of merged entities, by id and by name', () => {
    const book = new EffectiveCorrections([merge('b', 'a'), merge('c', 'b')]);
    expect(['a', 'b', 'c'].map((id) => book.canonical(id as EntityId))).toEqual(['c', 'c', 'c']);
    expect(book.correctedNames('a')).toMatchObject([{ entity: 'c', because: 'merged' }]);
  });

  it('replaces derived values by those set by hand, the latest of each', () => {
    const book = new EffectiveCorrections([
      made({
        kind: 'edit-profile',
        entity: entity('e', ['Rex', 'Wuff']),
        patch: { name: 'Rexy', summary: 'one' },
      }),
      made({
        kind: 'edit-profile',
        entity: entity('e', ['Rexy', 'Wuff', 'Rex']),
        patch: { summary: 'two', tags: ['pet'] },
      }),
    ]);
    expect(book.withUserEdits('e', profile)).toEqual({
      name: 'Rexy',
      aliases: ['Rex', 'Wuff'],
      summary: 'two',
      tags: ['person', 'pet'],
    });
  });

  it('blocks names that were removed, until the removal is undone', () => {
    const taken = made({
      kind: 'edit-profile',
      entity: entity('e', ['Rex', 'Wuff']),
      patch: { aliases: [] },
    });
    const back = made({ kind: 'edit-profile', entity: entity('e', ['Rex']), patch: { aliases: ['Wuff'] } });
    expect(new EffectiveCorrections([taken]).withUserEdits('e', profile).aliases).toEqual([]);
    expect(new EffectiveCorrections([taken, back]).withUserEdits('e', profile).aliases).toEqual(['Wuff']);
    expect([...new EffectiveCorrections([taken]).removedNames('e')]).toEqual(['wuff']);
  });

  it('keeps entities apart by name, also an entity that was created again', () => {
    const pair = [entity('a', ['Melanie', 'M']), entity('b', ['Mel', 'M'])] as [
      ReturnType<typeof entity>,
      ReturnType<typeof entity>,
    ];
    const book = new EffectiveCorrections([made({ kind: 'keep-apart', entities: pair })]);
    const of = (id: string, ...names: string[]) => ({ id: id as EntityId, names });
    expect(book.areApart(['mel'], of('a', 'melanie'))).toBe(true);
    expect(book.areApart(['melanie'], of('b', 'mel'))).toBe(true);
    expect(book.areApart(['mel'], of('new', 'melanie'))).toBe(true);
    expect(book.areApart(['mel'], of('b', 'mel'))).toBe(false);
    expect(book.areApart(['m'], of('a', 'melanie'))).toBe(false);
    expect(book.areApart(['carla'], of('a', 'melanie'))).toBe(false);
    expect(book.isKeptApart('b', 'a')).toBe(true);
  });

  it('is rebuilt only when corrections change', () => {
    const corrections = new CorrectionIndex();
    const empty = EffectiveCorrections.of(corrections);
    expect(EffectiveCorrections.of(corrections)).toBe(empty);
    corrections.add([merge('x', 'y')], []);
    const next = EffectiveCorrections.of(corrections);
    expect(next.canonical('y' as EntityId)).toBe('x');
    const { id } = corrections.all[0]!;
    corrections.apply({ updates: [{ kind: 'correction', id, set: { undoneAt: 1 } }] });
    expect(EffectiveCorrections.of(corrections).canonical('y' as EntityId)).toBe('y');
  });
});

describe('the dependents of a correction', () => {
  const ids = (all: readonly Correction[]) => all.map(({ id }) => id);

  it('are the later corrections of its rows, and their dependents, newest first', () => {
    const first = edit('f1', 'f2');
    const aside = edit('g1', 'g2');
    const second = edit('f2', 'f3');
    const third = made({ kind: 'pin-fact', fact: fact('f3') });
    const all = [first, aside, second, third];
    expect(ids(dependentCorrections(all, first))).toEqual(ids([third, second]));
    expect(dependentCorrections(all, third)).toEqual([]);
    expect(ids(dependentCorrections([first, { ...second, undoneAt: 3 }, third], first))).toEqual([]);
  });

  it('do not include pairs kept apart, unless identities have changed', () => {
    const apart = made({ kind: 'keep-apart', entities: [entity('a'), entity('b')] });
    const other = made({ kind: 'keep-apart', entities: [entity('a'), entity('c')] });
    const renamed = made({ kind: 'edit-profile', entity: entity('a'), patch: { name: 'x' } });
    const merged = merge('a', 'd');
    expect(ids(dependentCorrections([apart, other, renamed, merged], apart))).toEqual(ids([merged]));
    expect(ids(dependentCorrections([merged, apart], merged))).toEqual(ids([apart]));
    expect(ids(dependentCorrections([renamed, apart], renamed))).toEqual([]);
  });
});

it('a renewed correction keeps its position and its original id', () => {
  const [one, other] = [edit('f1', 'f2'), edit('g1', 'g2')];
  const corrections = new CorrectionIndex();
  corrections.add([one, other], []);
  const renewed = { ...one, id: `${one.id}~2` as CorrectionId };
  corrections.apply({
    nodes: { correction: [renewed] },
    removals: [{ kind: 'correction', id: one.id }],
  });
  expect(corrections.all.map(({ id }) => id)).toEqual([renewed.id, other.id]);
  expect(corrections.correction(one.id)).toEqual(renewed);
});
