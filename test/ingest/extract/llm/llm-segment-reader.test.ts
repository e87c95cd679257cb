import { describe, expect, it } from 'vitest';
import { RehearsalModel } from '../../../../eval/rehearsal/rehearsal-model.ts';
import {
  BudgetExhaustedError,
  ContextTooLongError,
  MalformedReplyError,
  ModelDeclinedError,
  ModelRequestRefusedError,
} from '../../../../src/errors/index.ts';
import { UsageMeter } from '../../../../src/inference/language-model/tokens/usage-meter.ts';
import { LlmReflector } from '../../../../src/ingest/extract/llm/llm-reflector.ts';
import { LlmSegmentReader } from '../../../../src/ingest/extract/llm/llm-segment-reader.ts';
import type { SegmentReading } from '../../../../src/ingest/extract/segment-reader.ts';
import { FakeLanguageModel } from '../../../fakes/language-model/fake-language-model.ts';
import { counter } from '../../../fakes/openai-server/tokens.ts';
import { CuttingModel } from '../../llm/cutting-model.ts';
import { GARDEN, PUPPY, segmentReaderContract } from '../../segment-reader-contract.ts';
import { dialogue } from '../../turns.ts';

const known = () => false;
const DUG = { statement: 'Luna dug up the garden.', participants: ['Luna', 'garden'], turns: [5] };
const REPLY = {
  segments: [{ segment: 1, keywords: ['puppy'], summary: 'Ann adopted a puppy.' }],
  keep: [1],
  entities: [{ name: 'Luna', kind: 'thing', turns: [1, 5] }],
  facts: [{ statement: 'Ann adopted a puppy.', participants: ['Ann'], confidence: 0.3, turns: [1] }, DUG],
};

const rehearsal = new RehearsalModel({ counter });
for (const reflection of [false, true])
  segmentReaderContract(
    `LlmSegmentReader${reflection ? ' with reflection' : ''}`,
    () => new LlmSegmentReader(rehearsal, { gate: true, reflection }),
  );

describe('LlmSegmentReader', () => {
  const read = async (options: { gate: boolean; reflection: boolean }, reflected: object = {}) => {
    const shown: string[] = [];
    const model = new FakeLanguageModel(({ name, user }) => {
      shown.push(user);
      return name === 'read-segments' ? REPLY : reflected;
    });
    const meter = new UsageMeter();
    const readings = await new LlmSegmentReader(model, options).read([PUPPY, GARDEN], { known, meter });
    return { readings, meter, shown };
  };

  it('writes summary and keywords itself if the model gave none', async () => {
    const { readings } = await read({ gate: true, reflection: false });
    expect(readings[0]).toMatchObject({ keywords: ['puppy'], summary: 'Ann adopted a puppy.' });
    expect(readings[1]!.summary).toMatch(/^Bob and Ann talked .* on 10 June 2024\. Luna dug up the garden\./);
    expect(readings[1]!.keywords).toContain('garden');
  });

  it('checks by words if no model checks', async () => {
    const { readings, meter } = await read({ gate: true, reflection: false });
    expect(readings.map(({ verified }) => verified)).toEqual([
      [false, false, false],
      [false, true],
    ]);
    expect(meter.total.calls).toBe(1);
  });

  it('keeps all turns without the gate', async () => {
    const { readings } = await read({ gate: false, reflection: false });
    expect(readings[0]!.judgements).toEqual(['kept', 'kept', 'kept']);
    const gated = await read({ gate: true, reflection: false });
    expect(gated.readings[0]!.judgements).toEqual(['kept', 'dropped', 'dropped']);
  });

  it('checks the segments of a session in one call, each with its own part of the reply', async () => {
    const missed = { statement: 'Bob planted ferns.', participants: ['Bob', 'ferns'], turns: [4] };
    const reply = { unsupported: [1], entities: [{ name: 'ferns', turns: [4] }], facts: [missed] };
    const { readings, meter, shown } = await read({ gate: true, reflection: true }, reply);
    expect([...meter.byPrompt()].map(([name, { calls }]) => [name, calls])).toEqual([
      ['read-segments', 1],
      ['reflect-on-segment', 1],
    ]);
    const facts = readings.map(({ extraction }) =>
      extraction.facts.map(({ statement, turns }) => [statement, turns]),
    );
    expect(facts).toEqual([
      [],
      [
        ['Luna dug up the garden.', [1]],
        ['Bob planted ferns.', [0]],
      ],
    ]);
    expect(readings.map(({ verified }) => verified)).toEqual([
      [false, false, false],
      [false, true],
    ]);
    expect(readings[1]!.judgements).toEqual(['kept', 'kept']);
    expect(shown[1]).toContain('1 Ann adopted a puppy. [1]\n2 Luna dug up the garden. [5]');
    expect(readings[0]!.extraction.entities.map(({ name }) => name)).toEqual(['Luna', 'Ann', 'Bob']);
  });

  it('removes the statement of the second segment that the reply refers to', async () => {
    const { readings } = await read({ gate: true, reflection: true }, { unsupported: [2, 3] });
    expect(readings.map(({ extraction }) => extraction.facts.length)).toEqual([1, 0]);
    expect(readings.map(({ verified }) => verified)).toEqual([
      [true, false, false],
      [false, false],
    ]);
  });
});

describe('LlmSegmentReader with a failing reflection', () => {
  const model = 'fake:model';
  const read = (reflection: boolean, error?: Error) => {
    const fake = new FakeLanguageModel(({ name }) => {
      if (name !== 'read-segments') throw error;
      return REPLY;
    });
    return new LlmSegmentReader(fake, { gate: true, reflection }).read([PUPPY, GARDEN], { known });
  };

  it.each([
    new MalformedReplyError({ model, prompt: 'reflect-on-segment', issues: ['no'], truncated: false }),
    new MalformedReplyError({ model, prompt: 'reflect-on-segment', issues: ['no'], truncated: true }),
    new ContextTooLongError(model, 8_192),
    new ModelDeclinedError(model, 'filter'),
    new ModelRequestRefusedError(model, { status: 400, providerCode: null, about: 'other' }),
  ])('after reading turns keeps the result, checked by words: $code', async (error) => {
    const readings = await read(true, error);
    expect(readings).toEqual(await read(false));
    expect(readings.map(({ verified }) => verified)).toEqual([
      [false, false, false],
      [false, true],
    ]);
  });

  it.each([new BudgetExhaustedError(5, 5), new TypeError('no')])(
    'rethrows other errors: $name',
    async (error) => {
      await expect(read(true, error)).rejects.toBe(error);
    },
  );
});

describe('LlmReflector', () => {
  const empty: SegmentReading = {
    keywords: [],
    summary: '',
    judgements: ['kept'],
    extraction: { entities: [], facts: [] },
  };
  const segments = ['ferns', 'moss', 'ivy'].map((plant) => ({
    turns: dialogue(`Ann: I grow ${plant}.`),
    reading: empty,
  }));
  const found = (user: string) =>
    [...user.matchAll(/^(\d+) Ann: (I grow (\w+))/gm)].map(([, turn, , plant]) => ({
      statement: `Ann grows ${plant}.`,
      participants: ['Ann', plant],
      turns: [turn],
    }));

  it('retries with fewer segments if a reply was truncated', async () => {
    const asked: number[] = [];
    const model = new CuttingModel(({ user }) => {
      asked.push(found(user).length);
      return { reply: { facts: found(user) }, truncated: found(user).length > 1 };
    });
    const { reflections, usage } = await new LlmReflector(model).reflectAll(segments);
    expect(asked).toEqual([3, 2, 1, 1, 1]);
    expect(usage.calls).toBe(5);
    expect(
      reflections.map(({ reading }) => reading.extraction.facts.map(({ statement }) => statement)),
    ).toEqual([['Ann grows ferns.'], ['Ann grows moss.'], ['Ann grows ivy.']]);
  });

  it('makes no call without turns', async () => {
    const never = new FakeLanguageModel(() => {
      throw new Error('asked');
    });
    const reading = { ...empty, judgements: [] };
    const { reflections } = await new LlmReflector(never).reflectAll([{ turns: [], reading }]);
    expect(reflections).toEqual([{ reading, verified: [] }]);
  });
});
