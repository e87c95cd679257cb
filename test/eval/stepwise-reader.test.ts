import { describe, expect, it } from 'vitest';
import { readLikeGam } from '../../eval/papers/readings/gam.ts';
import { readLikeMemorai } from '../../eval/papers/readings/memorai.ts';
import { readLikeMnemis } from '../../eval/papers/readings/mnemis.ts';
import { readLikePersonalai } from '../../eval/papers/readings/personalai.ts';
import { StepwiseReader } from '../../eval/papers/readings/stepwise-reader.ts';
import { RehearsalModel } from '../../eval/rehearsal/rehearsal-model.ts';
import { ContextTooLongError } from '../../src/errors/index.ts';
import type { TurnToRead } from '../../src/ingest/extract/extractor.ts';
import { FakeLanguageModel } from '../fakes/language-model/fake-language-model.ts';
import { counter } from '../fakes/openai-server/tokens.ts';
import { CuttingModel } from '../ingest/llm/cutting-model.ts';
import { PUPPY, segmentReaderContract } from '../ingest/segment-reader-contract.ts';
import { dialogue, turn } from '../ingest/turns.ts';

const known = () => false;
type Options = { readonly gate: boolean; readonly reflection: boolean };
type Replies = Readonly<Record<string, object>>;

const rehearsal = new RehearsalModel({ counter });
const READINGS = {
  mnemis: readLikeMnemis,
  memorai: readLikeMemorai,
  gam: readLikeGam,
  personalai: readLikePersonalai,
};
for (const [name, reading] of Object.entries(READINGS))
  segmentReaderContract(
    `StepwiseReader like ${name}`,
    () => new StepwiseReader(rehearsal, { reading, gate: true, reflection: true }),
    name !== 'gam',
  );

interface Asked {
  readonly name: string;
  readonly user: string;
}

/** Reads a conversation with these replies, and returns the prompts. */
async function read(
  reading: keyof typeof READINGS,
  replies: Replies,
  {
    segments = [PUPPY],
    recent,
    gate = false,
    reflection = false,
  }: Partial<Options> & {
    readonly segments?: readonly (readonly TurnToRead[])[];
    readonly recent?: readonly TurnToRead[];
  } = {},
) {
  const asked: Asked[] = [];
  const model = new FakeLanguageModel(({ name, user }) => {
    asked.push({ name, user });
    return replies[name] ?? {};
  });
  const reader = new StepwiseReader(model, { reading: READINGS[reading], gate, reflection });
  const readings = await reader.read(segments, { known, recent });
  return { readings, reading: readings[0]!, asked, names: asked.map(({ name }) => name) };
}

describe('StepwiseReader like Mnemis', () => {
  const LUNA = dialogue('Ann: She dug up the garden in May.');
  const REPLIES: Replies = {
    'name-entities': { entities: [{ name: 'Luna', kind: 'thing' }, { name: 'she' }, { name: 'Rex' }] },
    'reflect-on-names': { entities: [{ name: 'the garden', kind: 'place', turns: [1] }] },
    'profile-in-context': {
      profiles: [
        { entity: 2, summary: 'Luna dug up a garden.', tags: ['dog'], turns: [1] },
        { entity: 9, summary: 'Nobody.' },
      ],
    },
    'extract-facts': {
      facts: [
        {
          statement: 'Luna dug up the garden in May 2024.',
          subject: 'Luna',
          relation: 'dug up',
          object: 'garden',
          said: 'in May',
          confidence: 0.9,
        },
      ],
    },
    'reflect-on-facts': { facts: [{ statement: 'Ann has Luna.', participants: ['Ann', 'Luna'] }] },
  };

  it('asks for names, missed names, profiles, facts and missed facts', async () => {
    const recent = dialogue('Ann: Luna plays with Rex.');
    const { names, reading } = await read('mnemis', REPLIES, { segments: [LUNA], recent, reflection: true });
    expect(names).toEqual([
      'name-entities',
      'reflect-on-names',
      'profile-in-context',
      'extract-facts',
      'reflect-on-facts',
    ]);
    expect(reading.extraction.entities).toMatchObject([
      { name: 'Ann', kind: 'person', turns: [0] },
      { name: 'Luna', description: 'Luna dug up a garden.', tags: ['dog'], turns: [0] },
      { name: 'Rex', description: '', turns: [0] },
      { name: 'garden', kind: 'place', description: '' },
    ]);
    expect(reading.extraction.facts).toMatchObject([
      { kind: 'relation', subject: 'Luna', object: 'garden', turns: [0], event: { text: 'in May' } },
      { kind: 'proposition', participants: ['Ann', 'Luna'], turns: [0] },
    ]);
    expect(reading).toMatchObject({ judgements: ['kept'], verified: [true] });
  });

  it('skips the second look without reflection', async () => {
    const { names } = await read('mnemis', REPLIES, { segments: [LUNA] });
    expect(names).toEqual(['name-entities', 'profile-in-context', 'extract-facts']);
  });

  it('passes earlier results to the later calls', async () => {
    const { asked } = await read('mnemis', REPLIES, { segments: [LUNA], reflection: true });
    const listed = asked.map(({ user }) => /(?:Listed|Entities):\n<data-1>\n([^<]*)\n/.exec(user)?.[1]);
    expect(listed).toEqual([
      undefined,
      '1 Ann\n2 Luna\n3 Rex',
      '1 Ann\n2 Luna\n3 Rex\n4 garden',
      '1 Ann\n2 Luna\n3 Rex\n4 garden',
      '1 Ann\n2 Luna\n3 Rex\n4 garden',
    ]);
    expect(asked[4]!.user).toContain('1 Luna dug up the garden in May 2024.');
  });

  it('shows the ten turns before, including those of the call, as turns that cannot be cited', async () => {
    const recent = dialogue(...Array.from({ length: 9 }, (_, at) => `Bob: before ${at}`));
    const segments = [dialogue('Ann: one'), dialogue('Ann: two'), dialogue('Ann: three')];
    const { asked } = await read('mnemis', {}, { segments, recent });
    const shown = asked
      .filter(({ name }) => name === 'name-entities')
      .map(({ user }) => [...user.matchAll(/^- \w+: (.*)$/gm)].map(([, text]) => text));
    const before = Array.from({ length: 9 }, (_, at) => `before ${at}`);
    expect(shown).toEqual([before, [...before, 'one'], [...before.slice(1), 'one', 'two']]);
    expect(asked[0]!.user).toContain('1 Ann: one');
  });

  it('shows at most 1,000 tokens of them', async () => {
    // 1,600 characters are 400 tokens.
    const recent = ['a', 'b', 'c'].map((name) => turn(name, 'x'.repeat(1_590)));
    const { asked } = await read('mnemis', {}, { segments: [LUNA], recent });
    expect([...asked[0]!.user.matchAll(/^- (\w)/gm)].map(([, name]) => name)).toEqual(['b', 'c']);
  });
});

describe('StepwiseReader like MemORAI', () => {
  const REPLIES: Replies = {
    'judge-turns': { keep: [1, 3, 7] },
    'summarize-segment': { summary: 'Ann told of Luna and her work.' },
    'extract-triplets': {
      triplets: [
        { subject: 'Ann', relation: 'works_at', object: 'Equinor', turns: [2] },
        { subject: 'Ann', relation: 'adopted', object: 'Luna', turns: [1, 3] },
        { subject: 'Ann', relation: '', object: 'x', turns: [1] },
      ],
    },
    'describe-mentions': {
      descriptions: [
        { entity: 2, description: 'Where Ann works.', turns: [2] },
        { entity: 2, description: 'Again.', turns: [2] },
      ],
    },
  };

  it('asks for the gate, a summary of all, triplets and descriptions of what was kept', async () => {
    const { names, asked, reading } = await read('memorai', REPLIES, { gate: true });
    expect(names).toEqual(['judge-turns', 'summarize-segment', 'extract-triplets', 'describe-mentions']);
    expect(asked.map(({ user }) => user.includes('Wow!'))).toEqual([true, true, false, false]);
    expect(reading).toMatchObject({
      judgements: ['kept', 'dropped', 'kept'],
      summary: 'Ann told of Luna and her work.',
    });
  });

  it('maps the numbers of kept turns back to their positions', async () => {
    const { reading } = await read('memorai', REPLIES, { gate: true });
    expect(reading.extraction.facts).toMatchObject([
      { statement: 'Ann works at Equinor.', relation: 'works at', object: 'Equinor', turns: [2] },
      { statement: 'Ann adopted Luna.', turns: [0] },
    ]);
    expect(reading.extraction.entities).toMatchObject([
      { name: 'Ann', turns: [0, 2] },
      { name: 'Equinor', description: 'Where Ann works.', turns: [2] },
      { name: 'Luna', description: '', turns: [0] },
      { name: 'x' },
      { name: 'Bob', turns: [1] },
    ]);
    expect(reading.verified).toEqual([true, false, true]);
  });

  it('makes no call if nothing was kept, and reads all turns without the gate', async () => {
    const dropped = await read('memorai', { ...REPLIES, 'judge-turns': { keep: [] } }, { gate: true });
    expect(dropped.names).toEqual(['judge-turns', 'summarize-segment']);
    expect(dropped.reading.judgements).toEqual(['dropped', 'dropped', 'dropped']);
    const all = await read('memorai', REPLIES);
    expect(all.names).toEqual(['summarize-segment', 'extract-triplets', 'describe-mentions']);
    expect(all.reading.judgements).toEqual(['kept', 'kept', 'kept']);
    expect(all.reading.extraction.facts[0]).toMatchObject({ statement: 'Ann adopted Luna.', turns: [0, 2] });
  });
});

describe('StepwiseReader like GAM', () => {
  const title = { keywords: ['puppy', 'work'], summary: 'A puppy came.' };

  it('asks for keywords and a summary, checks these against the turns, and knows only the speakers', async () => {
    const { names, reading, asked } = await read('gam', {
      'title-segment': title,
      'check-title': { stated: [1, 3, 9], wrong: [3] },
    });
    expect(names).toEqual(['title-segment', 'check-title']);
    expect(asked[1]!.user).toMatch(/^<data-1>\n[\s\S]*puppy, work: A puppy came\.\n/m);
    expect(reading).toMatchObject({ ...title, judgements: ['kept', 'kept', 'kept'] });
    expect(reading.extraction.entities.map(({ name }) => name)).toEqual(['Ann', 'Bob']);
    expect(reading.extraction.facts).toEqual([]);
    expect(reading.verified).toEqual([true, false, false]);
  });

  it('verifies no turn without a summary of the model', async () => {
    const none = await read('gam', { 'title-segment': { ...title, summary: '' } });
    expect(none.names).toEqual(['title-segment']);
    const garbage = await read('gam', {
      'title-segment': { ...title, summary: '<summary>' },
      'check-title': { stated: [1, 2, 3], wrong: [] },
    });
    for (const { reading } of [none, garbage]) expect(reading.verified).toEqual([false, false, false]);
  });
});

describe('StepwiseReader like PersonalAI', () => {
  it('asks for triplets and propositions, and summarizes without a model', async () => {
    const { names, reading } = await read('personalai', {
      'extract-triplets': { triplets: [{ subject: 'Ann', relation: 'adopted', object: 'Luna', turns: [1] }] },
      'extract-propositions': {
        propositions: [
          { statement: 'Ann adopted Luna in Oslo.', participants: ['Ann', 'Luna', 'Oslo'], turns: [1] },
        ],
      },
    });
    expect(names).toEqual(['extract-triplets', 'extract-propositions']);
    expect(reading.extraction.facts).toMatchObject([
      { kind: 'relation', statement: 'Ann adopted Luna.', confidence: 1, invalidAt: null },
      { kind: 'proposition', participants: ['Ann', 'Luna', 'Oslo'], turns: [0] },
    ]);
    expect(reading.summary).toContain('on 10 June 2024');
  });
});

describe('StepwiseReader', () => {
  const title = (user: string) => {
    const numbers = [...user.matchAll(/^(\d+) \w+:/gm)];
    return { summary: `${numbers.length} turns.`, keywords: [`topic word ${numbers.length}`] };
  };

  it('retries a truncated reply in halves', async () => {
    const model = new CuttingModel(({ user }) => ({
      reply: title(user),
      truncated: title(user).summary.startsWith('3'),
    }));
    const reader = new StepwiseReader(model, { reading: readLikeGam, gate: false, reflection: false });
    const [reading] = await reader.read([PUPPY], { known });
    expect(reading!.summary).toBe('2 turns. 1 turns.');
    expect(reading!.keywords).toEqual(['topic word 2', 'topic word 1']);
  });

  it('halves input that is too long for the model, and fails if a single turn is', async () => {
    const limited = (most: number) =>
      new StepwiseReader(
        new FakeLanguageModel(({ name, user }) => {
          if (Number.parseInt(title(user).summary, 10) > most) throw new ContextTooLongError('fake', 10);
          return name === 'check-title' ? { stated: user.includes('violin') ? [1] : [] } : title(user);
        }),
        { reading: readLikeGam, gate: false, reflection: false },
      ).read([PUPPY], { known });
    expect((await limited(1))[0]).toMatchObject({
      summary: '1 turns. 1 turns. 1 turns.',
      verified: [false, false, true],
    });
    await expect(limited(0)).rejects.toMatchObject({ code: 'context-too-long' });
  });
});
