import { describe, expect, it, onTestFinished } from 'vitest';
import { paperProfileNamed } from '../../../eval/papers/profiles.ts';
import { Mnemis } from '../../../src/engine.ts';
import { ModelUnavailableError } from '../../../src/errors/index.ts';
import type { IngestProfile } from '../../../src/ingest/profile.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { FakeLanguageModel, type FakeReply } from '../../fakes/language-model/fake-language-model.ts';
import { edges, graphOf } from '../memory-fixture.ts';

const NAMES = ['Melanie', 'Mel', 'Elizabeth Stone', 'Liz', 'Rex'];
/** Prompts that ask about entities by their names. */
const ABOUT = ['profile-in-context', 'extract-facts', 'reflect-on-facts'];
const UNREACHABLE = { reason: 'unreachable', status: null, attempts: 1, retryAfter: null } as const;
const DAYS = ['03', '04', '05', '06'];

/** Finds the `NAMES` in the turn to read, and takes a name for the first candidate. */
async function openWith(
  profile: Partial<IngestProfile> = {},
  replies: Readonly<Record<string, FakeReply>> = {},
) {
  const asked: { name: string; user: string }[] = [];
  const model = new FakeLanguageModel((prompt) => {
    const { name, user } = prompt;
    asked.push({ name, user });
    const said = /\n1 \w+: (.*)/.exec(user)?.[1] ?? '';
    const found = NAMES.filter((each) => new RegExp(`\\b${each}\\b`).test(said));
    const whole: Record<string, FakeReply> = {
      'name-entities': () => ({
        entities: found.map((each) => ({ name: each, kind: 'person', turns: [1] })),
      }),
      'extract-facts': () => ({
        facts: /^2 (.*)$/m
          .exec(user)
          ?.slice(1)
          .map((each) => ({ statement: `${each} came.`, participants: [each], confidence: 0.9, turns: [1] })),
      }),
      'resolve-entities': () => ({
        matches: [{ entity: 1, candidate: 1, verdict: 'same', reason: 'the pottery class', confidence: 0.9 }],
      }),
      ...replies,
    };
    return whole[name]?.(prompt) ?? {};
  });
  const engine = await Mnemis.open({
    path: ':memory:',
    languageModel: model,
    profile: { ...paperProfileNamed('mnemis-paper'), hierarchy: 'never', ...profile },
    automatic: false,
  });
  onTestFinished(() => engine.close());
  const memory = engine.scope('a');
  /** One turn for each session. */
  const add = (...said: readonly string[]) =>
    memory.add(
      said.map((content, at): TurnInput => {
        const day = DAYS[at]!;
        return { session: `${content} ${day}`, speaker: 'Ann', content, at: `2024-05-${day}T09:00:00Z` };
      }),
    );
  /** The entities that prompts of a turn list, Ann aside. */
  const listed = (content: string) =>
    asked
      .filter(({ name, user }) => ABOUT.includes(name) && user.includes(`1 Ann: ${content}`))
      .map(({ user }) => /Entities:\n<data-1>\n1 Ann\n([^<]*)\n</.exec(user)?.[1]);
  const calls = (prompt: string) => asked.filter(({ name }) => name === prompt).length;
  const entities = async () => {
    const { nodes } = await graphOf(memory);
    const current = nodes.profile.filter(({ expiredAt }) => expiredAt === null);
    return current.map(({ name, aliases }) => [name, ...aliases].join('/')).sort();
  };
  return { memory, asked, add, listed, calls, entities };
}

describe('names of a profile that resolves them first', () => {
  it('are those of memory in the prompts of summaries and facts', async () => {
    const { memory, add, listed, calls, entities } = await openWith();
    await add('Melanie runs a pottery class.');
    await memory.flush();
    await add('Mel fired a bowl.');
    await memory.flush();
    expect(listed('Mel fired a bowl.')).toEqual(['2 Melanie', '2 Melanie', '2 Melanie']);
    expect(await entities()).toEqual(['Ann', 'Melanie/Mel']);
    expect(calls('resolve-entities')).toBe(1);
  });

  it('are those that earlier turns of the same run brought', async () => {
    const { memory, add, listed, calls, entities } = await openWith();
    await add('Elizabeth Stone moved in.', 'Liz brought a cake.', 'Liz plays with Rex.');
    await memory.flush();
    expect(listed('Elizabeth Stone moved in.')).toEqual(Array(3).fill('2 Elizabeth Stone'));
    expect(listed('Liz brought a cake.')).toEqual(Array(3).fill('2 Elizabeth Stone'));
    expect(listed('Liz plays with Rex.')).toEqual(Array(3).fill('2 Elizabeth Stone\n3 Rex'));
    expect(await entities()).toEqual(['Ann', 'Elizabeth Stone/Liz', 'Rex']);
    expect((await graphOf(memory)).nodes.fact.map(({ statement }) => statement)).toEqual(
      Array(1).fill('Elizabeth Stone came.'),
    );
    expect(calls('name-entities')).toBe(3);
    expect(calls('resolve-entities')).toBe(1);
  });

  it('of doubtful identity become entities of their own that may be the same', async () => {
    const uncertain = { entity: 1, candidate: 1, verdict: 'uncertain', reason: 'the name', confidence: 0.5 };
    const { memory, add, listed, calls } = await openWith(
      {},
      { 'resolve-entities': () => ({ matches: [uncertain] }) },
    );
    await add('Melanie runs a pottery class.', 'Mel fired a bowl.');
    await memory.flush();
    expect(listed('Mel fired a bowl.')[0]).toBe('2 Mel');
    const graph = await graphOf(memory);
    const idOf = (name: string) => graph.nodes.profile.find((profile) => profile.name === name)!.owner;
    expect(edges(graph, 'POSSIBLY_SAME')).toMatchObject([{ from: idOf('Mel'), to: idOf('Melanie') }]);
    expect(calls('resolve-entities')).toBe(1);
  });

  it('are resolved by rules where the reply of the model is unusable', async () => {
    const { memory, add, entities } = await openWith({}, { 'resolve-entities': () => 'no JSON' });
    await add('Melanie runs a pottery class.', 'Mel fired a bowl.');
    expect(await memory.flush()).toMatchObject({ counts: { consolidated: 2, setAside: 0 } });
    expect(await entities()).toEqual(['Ann', 'Mel', 'Melanie']);
  });

  it('stay when a later turn cannot be read, which is read on from there', async () => {
    let isDown = true;
    const { memory, add, listed, calls, entities } = await openWith(
      {},
      {
        'reflect-on-names': ({ user }) => {
          if (isDown && user.includes('1 Ann: Liz')) throw new ModelUnavailableError('fake', UNREACHABLE);
          return {};
        },
      },
    );
    await add('Elizabeth Stone moved in.', 'Liz brought a cake.');
    await expect(memory.flush()).rejects.toMatchObject({ code: 'model-unavailable' });
    expect((await memory.stats()).enrichment.pending).toBe(1);
    isDown = false;
    await memory.flush();
    expect(calls('name-entities')).toBeGreaterThan(2);
    expect(listed('Elizabeth Stone moved in.')).toHaveLength(3);
    expect(listed('Liz brought a cake.')).toEqual(Array(3).fill('2 Elizabeth Stone'));
    expect(await entities()).toEqual(['Ann', 'Elizabeth Stone/Liz']);
  });

  it('are as they were said where names are resolved when turns are written', async () => {
    const { memory, add, listed } = await openWith({ resolution: 'judged' });
    await add('Elizabeth Stone moved in.', 'Liz brought a cake.');
    await memory.flush();
    expect(listed('Liz brought a cake.')).toEqual(Array(3).fill('2 Liz'));
  });
});
