import { describe, expect, it } from 'vitest';
import { LocalResolutionJudge } from '../../../src/ingest/resolve/local-resolution-judge.ts';
import { contradiction, readClaims } from '../../../src/ingest/resolve/read-relationships.ts';
import type { EntityToResolve, RememberedEntity } from '../../../src/ingest/resolve/resolution-judge.ts';
import type { EntityId } from '../../../src/model/ids.ts';

const NOBODY = {
  mentionedWith: new Set<string>(),
  mentionedBy: new Set(['nora']),
  statements: [],
  aliases: [],
  context: '',
};
const known = (id: string, name: string, more: Partial<RememberedEntity> = {}): RememberedEntity => ({
  ...NOBODY,
  id: id as EntityId,
  name,
  kind: 'person',
  sessions: 1,
  inSession: false,
  nameCosine: null,
  ...more,
});
const judge = async (
  name: string,
  candidates: readonly RememberedEntity[],
  more: Partial<EntityToResolve> = {},
): Promise<readonly [string | null, ...string[]]> => {
  const entity = { ...NOBODY, name, kind: 'person', candidates, ...more };
  const [answer] = await new LocalResolutionJudge().judge([entity]);
  return [answer!.match, ...answer!.judgements.map(({ verdict }) => verdict)];
};

describe('LocalResolutionJudge', () => {
  it.each<[string, Partial<RememberedEntity>, Partial<EntityToResolve>, string]>([
    ['a bare name that the teller has used before', {}, {}, 'same'],
    ['a bare name that others have used', { mentionedBy: new Set(['ben']) }, {}, 'uncertain'],
    ['the same session', { mentionedBy: new Set(), inSession: true }, {}, 'same'],
    [
      'shared company',
      { mentionedBy: new Set(), mentionedWith: new Set(['oslo']) },
      { mentionedWith: new Set(['oslo']) },
      'same',
    ],
    ['a friend', {}, { statements: ["Nora's friend Alex sings."] }, 'same'],
    [
      'a nephew of whom nothing was said before',
      {},
      { statements: ["Nora's nephew Alex sings."] },
      'uncertain',
    ],
    ['a place', {}, { kind: 'place' }, 'different'],
    [
      'two homes',
      { statements: ['Alex lives in Oslo.'], inSession: true },
      { statements: ['Alex lives in Rome.'] },
      'different',
    ],
    [
      'two homes of one who moved',
      { statements: ['Alex lives in Oslo.'] },
      { statements: ['Alex moved to Rome.', 'Alex lives in Rome.'] },
      'same',
    ],
  ])('one candidate: %s', async (_, candidate, entity, verdict) => {
    const [match, said] = await judge('Alex', [known('e1', 'Alex', candidate)], entity);
    expect(said).toBe(verdict);
    expect(match).toBe(verdict === 'same' ? 'e1' : null);
  });

  it('assigns a bare name with several bearers to the one mentioned three times as often', async () => {
    const two = (sessions: number) => [
      known('e1', 'Alex', { sessions }),
      known('e2', 'Alex', { sessions: 2 }),
    ];
    expect(await judge('Alex', two(6))).toEqual(['e1', 'same', 'uncertain']);
    expect(await judge('Alex', two(5))).toEqual([null, 'uncertain', 'uncertain']);
  });

  it('matches a first name with the full one, but no full name with another or with a bare first name', async () => {
    expect(await judge('Alex', [known('e1', 'Alex Kim')])).toEqual(['e1', 'same']);
    expect(await judge('Alex Lee', [known('e1', 'Alex Kim', { inSession: true })])).toEqual([
      null,
      'different',
    ]);
    expect(await judge('Alex Kim', [known('e1', 'Alex')])).toEqual([null, 'uncertain']);
    expect(await judge('Dr. Alex Kim', [known('e1', 'Alex Kim', { mentionedBy: new Set() })])).toEqual([
      'e1',
      'same',
    ]);
  });

  it.each([
    ['Bob', 'Robert'],
    ['Mel', 'Melanie Berg'],
    ['Caroline', 'Caro'],
  ])('matches %s with %s in one session only', async (name, other) => {
    expect(await judge(name, [known('e1', other, { inSession: true })])).toEqual(['e1', 'same']);
    expect(await judge(name, [known('e1', other)])).toEqual([null, 'uncertain']);
    const both = [known('e1', other, { inSession: true }), known('e2', other, { inSession: true })];
    expect((await judge(name, both))[0]).toBeNull();
  });

  it.each([
    ['games', 'game', 'e1'],
    ['the Beatles', 'Beatles', 'e1'],
    ['movies', 'movie', 'e1'],
    ['support group', 'LGBTQ support group', null],
    ['university', 'universe', null],
    ['America', 'Americas', null],
  ])('things: %s and %s', async (name, other, match) => {
    const candidate = known('e1', other, { kind: 'thing' });
    expect((await judge(name, [candidate], { kind: 'thing' }))[0]).toBe(match);
    const far = { ...candidate, nameCosine: 0.94 };
    expect((await judge(name, [far], { kind: 'thing' }))[0]).toBeNull();
  });

  it("distinguishes one person's mom from another's", async () => {
    const mom = (whose: string) => ({ statements: [`${whose}'s mom called.`] });
    const both = [known('e1', 'mom', mom('Nora')), known('e2', 'mom', mom('Ben'))];
    expect((await judge('mom', both, mom('Ben')))[0]).toBe('e2');
    expect(await judge('mom', both.slice(0, 1), mom('Ben'))).toEqual([null, 'different']);
  });
});

describe('readClaims', () => {
  it.each([
    ["Nora's old colleague Alex came.", 'nora', 'work'],
    ['Alex is Nora’s colleague.', 'nora', 'work'],
    ["Nora's sister's son Alex swims.", 'nora', 'siblings-child'],
    ["Nora's colleague's dog Alex barks.", 'nora', "work's pet"],
    ['My cousin Alex called.', 'my', 'cousin'],
    ['Alex, a friend of Ben, called.', 'ben', 'friend'],
  ])('reads the role in %j', (text, anchor, group) => {
    const { roles } = readClaims({ names: ['Alex'], texts: [text] });
    expect([...roles].map(([to, held]) => [to, held.map((role) => role.group)])).toEqual([[anchor, [group]]]);
  });

  it.each([
    'Alex is not Nora’s colleague.',
    'Alex is a doctor.',
    "Alex's colleague Bob came.",
    'Alexa is my aunt.',
  ])('reads no role in %j', (text) =>
    expect(readClaims({ names: ['Alex'], texts: [text] }).roles.size).toBe(0),
  );

  it.each([
    ["Nora's colleague Alex", "Nora's nephew Alex", true],
    ["Nora's colleague Alex", "Nora's friend Alex", false],
    ["Nora's colleague Alex", "Ben's nephew Alex", false],
    ["Nora's brother Alex", "Nora's sister Alex", true],
    ["Nora's husband Alex", "Nora's boyfriend Alex", false],
    ['Alex works at Acme.', 'Alex works for Globex.', true],
  ])('%j against %j', (one, two, clash) => {
    const [a, b] = [one, two].map((text) => readClaims({ names: ['Alex'], texts: [text] }));
    expect(contradiction(a!, b!) !== null).toBe(clash);
    expect(contradiction(b!, a!) !== null).toBe(clash);
  });

  it('reads long hostile texts in time', () => {
    const text = [
      'Alex '.repeat(3_000),
      "A's ".repeat(5_000),
      `${'a '.repeat(5_000)}Alex`,
      "Nora's nephew Alex",
    ];
    expect(readClaims({ names: ['Alex'], texts: text }).roles.size).toBe(1);
  });
});
