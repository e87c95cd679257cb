import { describe, expect, it } from 'vitest';
import { UsageMeter } from '../../../src/inference/language-model/tokens/usage-meter.ts';
import { LlmDescriber } from '../../../src/ingest/describe/llm-describer.ts';
import { LlmReader } from '../../../src/ingest/extract/llm/llm-reader.ts';
import { LlmReflector } from '../../../src/ingest/extract/llm/llm-reflector.ts';
import { LlmResolver } from '../../../src/ingest/resolve/llm-resolver.ts';
import type { EntityToResolve } from '../../../src/ingest/resolve/resolution-judge.ts';
import { LlmSegmenter } from '../../../src/ingest/segment/llm-segmenter.ts';
import { LlmRelator } from '../../../src/ingest/segment/relate/llm-relator.ts';
import type { SegmentToRelate } from '../../../src/ingest/segment/relate/segment-relator.ts';
import type { EntityId, SegmentId } from '../../../src/model/ids.ts';
import { FakeLanguageModel } from '../../fakes/language-model/fake-language-model.ts';
import { segmenterContract } from '../segment/segmenter-contract.ts';
import { dialogue } from '../turns.ts';

const says = (reply: unknown) => new FakeLanguageModel(() => reply);
const neverAsked = new FakeLanguageModel(() => {
  throw new Error('asked');
});

segmenterContract(
  'LlmSegmenter',
  () => new LlmSegmenter(says({ lastTurns: [1, 3, 4, 2, 9, 'turn 7', 30, -2, 11] })),
);

describe('LlmSegmenter', () => {
  const talk = dialogue(...Array.from({ length: 8 }, (_, at) => `Ann: turn ${at}`));

  it.each([
    [
      [3, 6],
      [2, 5],
    ],
    [
      [6, 3, 3, 8],
      [2, 5],
    ],
    [[1, 4, 5, 7], [3]],
    [['turn 4', 0, 99], [3]],
    ['2, 4', [1, 3]],
    [undefined, []],
  ])('returns valid boundaries for %j', async (lastTurns, boundaries) => {
    expect(await new LlmSegmenter(says({ lastTurns })).boundaries(talk)).toEqual(boundaries);
  });

  it('reports what it dropped, and does not ask about a single topic', async () => {
    const { dropped, usage } = await new LlmSegmenter(says({ lastTurns: [1, 99] })).segment(talk);
    expect(dropped).toEqual([
      { what: 'boundary', reason: 'unknown-number', count: 1 },
      { what: 'boundary', reason: 'inconsistent', count: 1 },
    ]);
    expect(usage.calls).toBe(1);
    expect(await new LlmSegmenter(neverAsked).boundaries(talk.slice(0, 3))).toEqual([]);
  });
});

describe('LlmRelator', () => {
  const segment = (id: string): SegmentToRelate => ({
    id: id as SegmentId,
    keywords: [id],
    summary: `About ${id}.`,
    vector: new Float32Array(2),
    entities: new Set(),
  });
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(segment) as [
    SegmentToRelate,
    SegmentToRelate,
    SegmentToRelate,
    SegmentToRelate,
  ];
  // Shown as: 1 a, 2 b, 3 c, then the new one, 4 d.
  const relate = (relations: unknown) =>
    new LlmRelator(says({ relations })).relateAll([{ segment: d, candidates: [a, b, c] }]);

  it('returns one relation per candidate, in order, in the direction that the model gives', async () => {
    const { relations, usage } = await relate([
      { topic: 4, earlier: 3, relation: 'causal', from: 3, confidence: 0.9 },
      { topic: 4, earlier: 1, relation: 'Contradict', from: 4, confidence: 3 },
    ]);
    expect(relations[0]).toEqual([
      { from: 'd', to: 'a', relation: 'contradict', confidence: 1 },
      { from: 'd', to: 'b', relation: 'unrelated', confidence: 0 },
      { from: 'c', to: 'd', relation: 'causal', confidence: 0.9 },
    ]);
    expect(usage.calls).toBe(1);
  });

  it('directs symmetric relations from the new segment', async () => {
    const { relations } = await relate([
      { topic: 4, earlier: 2, relation: 'semantic', from: 2, confidence: 0.7 },
    ]);
    expect(relations[0]![1]).toMatchObject({ from: 'd', to: 'b' });
  });

  it('drops pairs that were not requested, and second opinions', async () => {
    const { relations, dropped } = await relate([
      { topic: 1, earlier: 2, relation: 'support', confidence: 1 },
      { topic: 4, earlier: 9, relation: 'support', confidence: 1 },
      { topic: 4, earlier: 1, relation: 'nonsense', confidence: 1 },
      { topic: 4, earlier: 1, relation: 'support', confidence: 1 },
    ]);
    expect(relations[0]!.map(({ relation }) => relation)).toEqual(['unrelated', 'unrelated', 'unrelated']);
    expect(dropped).toEqual([
      { what: 'decision', reason: 'unknown-number', count: 2 },
      { what: 'decision', reason: 'repeated', count: 1 },
    ]);
  });

  it('sends the segments of a session in one call, each topic once', async () => {
    const users: string[] = [];
    const model = new FakeLanguageModel(({ user }) => {
      users.push(user);
      return { relations: [{ topic: 3, earlier: 2, relation: 'support', from: 3, confidence: 0.8 }] };
    });
    const pairs = [
      { segment: c, candidates: [] },
      { segment: b, candidates: [a] },
      { segment: d, candidates: [b, a] },
    ];
    const { relations } = await new LlmRelator(model).relateAll(pairs);
    expect(users).toHaveLength(1);
    expect(users[0]!.match(/About/g)).toHaveLength(3);
    expect(relations.map((each) => each.length)).toEqual([0, 1, 2]);
    expect(relations[2]![0]).toEqual({ from: 'd', to: 'b', relation: 'support', confidence: 0.8 });
    expect(await new LlmRelator(neverAsked).relate(d, [])).toEqual([]);
  });
});

describe('LlmResolver', () => {
  const evidence = { statements: [], mentionedWith: new Set<string>(), mentionedBy: new Set<string>() };
  const remembered = (id: string, name: string) => ({
    ...evidence,
    sessions: 1,
    inSession: false,
    nameCosine: null,
    id: id as EntityId,
    name,
    kind: 'person',
    aliases: [],
    context: `About ${name}.`,
  });
  const ann: EntityToResolve = {
    ...evidence,
    name: 'Ann',
    kind: 'person',
    aliases: [],
    context: 'Ann skis.',
    candidates: [remembered('e1', 'Ann Berg'), remembered('e2', 'Ann Lee')],
  };
  const same = { entity: 1, candidate: 1, verdict: 'same', reason: 'both ski in Oslo', confidence: 0.9 };
  const other = { entity: 1, candidate: 2, verdict: 'different', reason: 'another family', confidence: 0.8 };
  const resolve = async (decisions: unknown, entity = ann) => {
    const { resolutions, dropped } = await new LlmResolver(says({ matches: decisions })).resolve([entity]);
    return {
      ...resolutions[0]!,
      verdicts: resolutions[0]!.judgements.map(({ verdict }) => verdict),
      dropped,
    };
  };

  it('merges entities that the model identifies', async () => {
    expect(await resolve([same, other])).toMatchObject({ match: 'e1', verdicts: ['same', 'different'] });
  });

  it.each([
    ['without a reason, on a first name alone', { reason: ' ' }],
    ['with little confidence', { confidence: 0.6 }],
    ['that it is not sure of', { verdict: 'probably' }],
  ])('does not merge %s', async (_, change) => {
    expect(await resolve([{ ...same, ...change }, other])).toMatchObject({
      match: null,
      verdicts: ['uncertain', 'different'],
    });
  });

  it('merges equal full names without a reason', async () => {
    const full = { ...ann, name: 'ANN  Bérg' };
    expect(await resolve([{ ...same, reason: '' }], full)).toMatchObject({
      match: 'e1',
      verdicts: ['same'],
    });
  });

  it.each([
    ['the surer of two matches', [same, { ...other, verdict: 'same', confidence: 0.95 }], 'e2'],
    ['the first of two that are equally sure', [{ ...other, verdict: 'same', confidence: 0.9 }, same], 'e1'],
  ])('merges with %s, and doubts the other', async (_, decisions, match) => {
    const verdicts = match === 'e1' ? ['same', 'uncertain'] : ['uncertain', 'same'];
    expect(await resolve(decisions)).toMatchObject({ match, verdicts });
  });

  it('doubts a pair that the reply calls both', async () => {
    expect(await resolve([same, { ...same, verdict: 'different' }])).toMatchObject({
      match: null,
      verdicts: ['uncertain', 'different'],
    });
  });

  it('reads pairs that the reply leaves out as different', async () => {
    const { match, verdicts, dropped } = await resolve([
      { ...same, candidate: 3 },
      { ...same, entity: 0 },
    ]);
    expect({ match, verdicts }).toEqual({ match: null, verdicts: ['different', 'different'] });
    expect(dropped).toEqual([{ what: 'decision', reason: 'unknown-number', count: 2 }]);
  });

  it('asks about candidates with a similar name only, at most four, equal names first', async () => {
    const users: string[] = [];
    const model = new FakeLanguageModel(({ user }) => {
      users.push(user);
      return {};
    });
    const names = ['Ann Lee', 'Joan', 'Ann', 'Ann Berg', 'Ann Ito', 'Ann Roe'];
    const candidates = names.map((name, at) => remembered(`e${at}`, name));
    await new LlmResolver(model).resolve([{ ...ann, candidates }]);
    expect(users[0]!.match(/^C\d [\w ]+/gm)).toEqual([
      'C1 Ann ',
      'C2 Ann Lee ',
      'C3 Ann Berg ',
      'C4 Ann Ito ',
    ]);
    await new LlmResolver(neverAsked).resolve([{ ...ann, candidates: candidates.slice(1, 2) }]);
  });

  it('sends batches, and skips new names', async () => {
    const meter = new UsageMeter();
    const many = Array.from({ length: 60 }, (_, at) => ({
      ...ann,
      candidates: at % 2 === 0 ? [] : ann.candidates,
    }));
    const { resolutions } = await new LlmResolver(says({ matches: [same] }), { meter }).resolve(many);
    expect(meter.total.calls).toBe(2);
    expect(resolutions.map(({ match }) => match).filter((match) => match !== null)).toHaveLength(2);
    expect(resolutions[0]).toEqual({ match: null, judgements: [] });
    expect(resolutions[1]!.match).toBe('e1');
  });
});

it('LlmDescriber writes profiles of entities with statements', async () => {
  const profiles = [
    {
      entity: 2,
      summary: ' A dog. ',
      tags: ['dog', 'Dog', 'a tag of four', 'brown', 'pet', 'young', 'small', 'loud'],
    },
    { entity: 2, summary: 'Again.' },
    { entity: 5, summary: 'Who?' },
  ];
  const entities = [
    { name: 'Ann', summary: '', notes: [{ text: ' ', at: 0 }] },
    { name: 'Bob', summary: '', notes: [{ text: 'He skis.', at: 0 }] },
    { name: 'Luna', summary: '', notes: [{ text: 'A dog.', at: 0 }] },
  ];
  const result = await new LlmDescriber(says({ profiles })).describe(entities);
  expect(result.profiles).toEqual([
    null,
    null,
    { summary: 'A dog.', tags: ['dog', 'brown', 'pet', 'young', 'small'] },
  ]);
  expect(result.dropped).toContainEqual({ what: 'profile', reason: 'unknown-number', count: 1 });
  expect((await new LlmDescriber(neverAsked).describe(entities.slice(0, 1))).profiles).toEqual([null]);
});

it.each([
  ['a loop', 'A dog that barks. '.repeat(4)],
  ['a mark of a chat template', 'A dog.<|im_end|>'],
  ['a placeholder', '<summary>'],
  ['leaked JSON', '{"summary": "A dog"}'],
])('LlmDescriber writes no profile of %s', async (_, summary) => {
  const luna = { name: 'Luna', summary: '', notes: [{ text: 'A dog.', at: 0 }] };
  const result = await new LlmDescriber(says({ profiles: [{ entity: 1, summary }] })).describe([luna]);
  expect(result.profiles).toEqual([null]);
  expect(result.dropped).toMatchObject([{ what: 'profile', count: 1 }]);
});

describe('LlmReflector', () => {
  const talk = dialogue(
    'Ann: I have a dog and no cat.',
    'Ann: Great weather, I just love rain.',
    'Bob: I moved to Rome.',
  );
  const fact = (statement: string, turns: number[]) => ({ statement, participants: ['Ann'], turns });
  const read = () => {
    const facts = [fact('Ann has a dog.', [1]), fact('Ann has a cat.', [1]), fact('Ann loves rain.', [2])];
    return new LlmReader(
      says({ keep: [1], facts, entities: [{ name: 'dog', turns: [1], description: "Ann's dog." }] }),
    ).read([talk]);
  };

  it('removes statements without support in the turns, adds missed ones, and verifies turns', async () => {
    const { readings } = await read();
    const missed = {
      statement: 'Bob moved to Rome.',
      subject: 'Bob',
      relation: 'moved to',
      object: 'Rome',
      turns: [3],
    };
    const reply = {
      unsupported: [2, 3, 9],
      entities: [{ name: 'Rome', kind: 'place', turns: [3] }],
      facts: [missed, fact('Ann has a dog!', [2])],
    };
    const { reading, verified, dropped } = await new LlmReflector(says(reply)).reflect(talk, readings[0]!);
    expect(reading.extraction.facts.map(({ statement, turns }) => [statement, turns])).toEqual([
      ['Ann has a dog.', [0, 1]],
      ['Bob moved to Rome.', [2]],
    ]);
    expect(reading.extraction.entities.map(({ name }) => name)).toEqual(['dog', 'Ann', 'Bob', 'Rome']);
    expect(reading.extraction.entities[0]!.description).toBe("Ann's dog.");
    expect(reading.judgements).toEqual(['kept', 'kept', 'kept']);
    // The first turn also has a rejected fact, the third one an unchecked fact.
    expect(verified).toEqual([false, false, false]);
    expect(dropped).toContainEqual({ what: 'fact', reason: 'unsupported', count: 2 });
    expect(dropped).toContainEqual({ what: 'citation', reason: 'unknown-number', count: 1 });
  });

  it('verifies the turns of facts that pass', async () => {
    const { readings } = await read();
    const { reading, verified } = await new LlmReflector(says({ unsupported: [3] })).reflect(
      talk,
      readings[0]!,
    );
    expect(verified).toEqual([true, false, false]);
    expect(reading.extraction.facts).toHaveLength(2);
    expect((await new LlmReflector(neverAsked).reflect([], readings[0]!)).verified).toEqual([]);
  });
});
