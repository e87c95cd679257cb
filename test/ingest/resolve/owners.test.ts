import { describe, expect, it } from 'vitest';
import { areAlike, mayNameTheSame, readName } from '../../../src/ingest/resolve/name-form.ts';
import type { EntityToResolve, ResolutionJudge } from '../../../src/ingest/resolve/resolution-judge.ts';
import { ResolvingMemory, said } from './resolving-memory.ts';

/** A judge that merges with every candidate that it is offered, and keeps the offers: "name: candidates". */
function willing(): ResolutionJudge & { readonly offers: string[] } {
  const offers: string[] = [];
  const judge = async (entities: readonly EntityToResolve[]) =>
    entities.map(({ name, candidates }) => {
      offers.push(`${name}: ${candidates.map((candidate) => candidate.name).join(', ')}`);
      return { match: candidates[0]?.id ?? null, judgements: [] };
    });
  return { offers, judge };
}

describe('names with an owner', () => {
  it.each([
    ["Owen's family", 'Owen', false],
    ["Owen's family", 'Owen Reed', false],
    ["Owen's family", "Ann's family", false],
    ["Owen's family", "Owen's mother", false],
    ["Owen's family", "Owen Reed's family", true],
    ["Owen's wife", "Owen's partner", true],
    ["Owen's wife", "Owen's brother", false],
    ["James' car", 'James', false],
    ["Owen's family", 'family', true],
    ['Owen', 'Owen Reed', true],
  ])('%s and %s may be the same: %s', (a, b, may) => {
    expect(mayNameTheSame(readName(a), readName(b))).toBe(may);
    expect(mayNameTheSame(readName(b), readName(a))).toBe(may);
  });

  it.each(["Owen's family:person", "Owen's family:thing", "Owen's mother", "Owen's kids"])(
    'merges %s of several sessions without asking, though Owen is known',
    async (name) => {
      const judge = willing();
      const memory = new ResolvingMemory({ judge });
      const first = await memory.add(said('s1', ['Owen', name]), said('s2', [name]));
      const second = await memory.add(said('s3', ['Owen', `${name.split(':')[0]}:organisation`]));
      const [plain] = name.split(':');
      const family = first.entityOf(0, plain!);
      expect([first.entityOf(1, plain!), second.entityOf(0, plain!)]).toEqual([family, family]);
      expect(first.entityOf(0, 'Owen')).not.toBe(family);
      expect(judge.offers.filter((offer) => offer.startsWith(plain!) && !offer.endsWith(': '))).toEqual([]);
    },
  );

  it('offers neither other kinds nor what shares the owner alone', async () => {
    const judge = willing();
    const memory = new ResolvingMemory({ judge });
    await memory.add(said('s1', ['Owen', "Owen's wife", 'Riverside:place']));
    await memory.add(said('s2', ["Owen's partner", "Owen's boss", 'Riverside Walk']));
    expect(judge.offers).toEqual(["Owen's partner: Owen's wife"]);
  });

  it('does not make one of two cars by name alone', async () => {
    const memory = new ResolvingMemory();
    const car = (session: string, owner: string) =>
      said(session, [owner, 'car:thing'], `${owner}'s car broke down.`);
    const first = await memory.add(car('s1', 'Nora'), car('s2', 'Ben'));
    const again = await memory.add(car('s3', 'Ben'), car('s4', 'Nora'));
    const [noras, bens] = [first.entityOf(0, 'car'), first.entityOf(1, 'car')];
    expect(noras).not.toBe(bens);
    expect([again.entityOf(0, 'car'), again.entityOf(1, 'car')]).toEqual([bens, noras]);
  });
});

it.each([
  ['Alex', 'Alex Kim', true],
  ['Mel', 'Melanie', true],
  ['Riverside', 'Riverside Park', true],
  ['studio', 'dance studio', true],
  ['dance studio', 'yoga studio', false],
  ['dance studio', 'dance class', false],
  ["Owen's wife", "Owen's partner", true],
  ["Owen's wife", 'Owen', false],
])('areAlike %s and %s: %s', (a, b, are) => {
  expect(areAlike(readName(a), readName(b))).toBe(are);
  expect(areAlike(readName(b), readName(a))).toBe(are);
});
