import { describe, expect, it } from 'vitest';
import { ExactNameJudge } from '../../src/ingest/exact-name-judge.ts';
import type { EntityToResolve, RememberedEntity } from '../../src/ingest/resolve/resolution-judge.ts';
import type { EntityId } from '../../src/model/ids.ts';

const nothing = { context: '', statements: [], company: new Set<string>(), tellers: new Set<string>() };

function remembered(id: string, name: string, aliases: readonly string[] = []): RememberedEntity {
  const seen = { sessions: 1, inSession: true, nameCosine: 1 };
  return { ...nothing, ...seen, id: id as EntityId, name, aliases };
}

async function judge(name: string, ...candidates: RememberedEntity[]) {
  const entity: EntityToResolve = { ...nothing, name, aliases: [], candidates };
  return (await new ExactNameJudge().judge([entity]))[0]!;
}

describe('ExactNameJudge', () => {
  it('knows an equal name again, case and accents aside, the best bearer first', async () => {
    const candidates = [remembered('a', 'Ann Berg'), remembered('b', 'ANN'), remembered('c', 'Änn')];
    const { match, judgements } = await judge('Ann', ...candidates);
    expect(match).toBe('b');
    expect(judgements.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual([
      'a different',
      'b same',
      'c different',
    ]);
  });

  it('merges neither near names nor aliases', async () => {
    const near = [remembered('a', 'Anna'), remembered('b', 'Ann Berg', ['Ann'])];
    expect((await judge('Ann', ...near)).match).toBeNull();
    expect(await judge('Ann')).toEqual({ match: null, judgements: [] });
  });
});
