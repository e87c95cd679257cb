import { describe, expect, it } from 'vitest';
import { modelReference } from '../../../src/inference/models/model-reference.ts';
import { planBatches } from '../../../src/inference/onnx/batches.ts';
import { MATMUL_STEPS, matmulModel } from '../../../src/inference/onnx/devices.ts';
import { cutToUnit, outputOf, pool } from '../../../src/inference/onnx/onnx-embedder.ts';
import { reasonOf } from '../../../src/inference/onnx/onnx-runtime.ts';
import { widenHalves } from '../../../src/inference/onnx/onnx-session.ts';
import { filesOf } from '../../../src/inference/onnx/profile.ts';
import { PROFILES } from '../../../src/inference/onnx/profiles.ts';
import { matmulGraph } from '../../fakes/onnx/matmul-graph.ts';
import { Float, message } from '../../fakes/onnx/protobuf.ts';

it('protobuf writes the examples of the encoding specification', () => {
  expect([...message([[1, 150]])]).toEqual([0x08, 0x96, 0x01]);
  expect([...message([[2, 'testing']])]).toEqual([0x12, 7, ...Buffer.from('testing')]);
  expect([...message([[3, [[1, 150]]]])]).toEqual([0x1a, 3, 0x08, 0x96, 0x01]);
  expect([...message([[1, -2]])]).toEqual([0x08, 0xfe, ...Array.from({ length: 8 }, () => 0xff), 0x01]);
  expect([...message([[2, new Float(1)]])]).toEqual([0x15, 0, 0, 0x80, 0x3f]);
});

it('the model that measures devices equals the output of its writer', () => {
  expect(Buffer.from(matmulModel()).equals(matmulGraph(MATMUL_STEPS))).toBe(true);
});

describe('planBatches', () => {
  it('groups similar lengths, longest first, within the budget', () => {
    expect(planBatches([3, 10, 4, 9, 3], 20)).toEqual([
      { rows: [1, 3], length: 10 },
      { rows: [2, 0, 4], length: 4 },
    ]);
  });

  it('puts a row that is too long into a batch alone, and accepts empty rows', () => {
    expect(planBatches([50, 0, 50], 20).map(({ rows }) => rows)).toEqual([[0], [2], [1]]);
    expect(planBatches([], 20)).toEqual([]);
  });

  it('covers every row once, for all lengths', () => {
    const lengths = Array.from({ length: 999 }, (_, at) => (at * 7_919) % 513);
    const batches = planBatches(lengths, 2_048);
    expect(batches.flatMap(({ rows }) => rows).sort((a, b) => a - b)).toEqual(lengths.map((_, at) => at));
    for (const { rows, length } of batches)
      expect(rows.length === 1 || rows.length * length <= 2_048).toBe(true);
  });
});

describe('outputOf', () => {
  const output = (name: string, shape: readonly (number | string)[], type = 'float32') => ({
    ...{ name, type, shape },
  });
  const states = output('output_0', ['batch', 'tokens', 8]);
  const vectors = output('882', ['batch', 8]);
  const model = { name: 'm', dimension: 8 } as const;

  it('takes the usual name, else the only output of the form', () => {
    const named = output('last_hidden_state', []);
    expect(outputOf({ ...model, pooling: 'cls' }, [states, named])).toBe('last_hidden_state');
    expect(outputOf({ ...model, pooling: 'mean' }, [vectors, states])).toBe('output_0');
    expect(outputOf({ ...model, pooling: 'graph' }, [vectors, states])).toBe('882');
    expect(outputOf({ ...model, pooling: 'last' }, [output('x', ['a', 'b', 'c'], 'float16')])).toBe('x');
  });

  it('refuses where none or several have it, and lists them', () => {
    const others = [output('ids', ['a', 'b', 8], 'int64'), output('wide', ['a', 'b', 16]), vectors];
    expect(() => outputOf({ ...model, pooling: 'mean' }, others)).toThrow(
      /none of its graph's outputs has the form rows × tokens × width: ids \(int64, a × b × 8\), wide/,
    );
    expect(() => outputOf({ ...model, pooling: 'mean' }, [states, { ...states, name: 'layer_5' }])).toThrow(
      /more than one .* output_0 \(float32, batch × tokens × 8\), layer_5/,
    );
  });
});

describe('pooling', () => {
  const spans = [{ start: 0, end: 1 }];

  it('rejects outputs of another shape', () => {
    const data = Float32Array.of(1, 2, 3, 4);
    expect(pool({ data, dimensions: [1, 4] }, spans, 'mean')).toBeNull();
    expect(pool({ data, dimensions: [1, 2, 2] }, spans, 'graph')).toBeNull();
    expect(pool({ data, dimensions: [2, 1, 2] }, spans, 'cls')).toBeNull();
    expect(pool({ data, dimensions: [4] }, spans, 'cls')).toBeNull();
    expect(pool({ data, dimensions: [1, 2, 2] }, [{ start: 0, end: 3 }], 'last')).toBeNull();
    expect(pool({ data, dimensions: [1, 2, 2] }, [{ start: 1, end: 1 }], 'mean')).toBeNull();
  });

  it('does not modify the runtime’s memory', () => {
    const data = Float32Array.of(3, 4);
    const [vector] = pool({ data, dimensions: [1, 1, 2] }, spans, 'cls')!;
    expect([...cutToUnit(vector!, 2)!]).toEqual([Math.fround(0.6), Math.fround(0.8)]);
    expect([...data]).toEqual([3, 4]);
  });

  it.each([
    [0, 0],
    [Number.NaN, 1],
    [Number.POSITIVE_INFINITY, 1],
    [1e30, 1e30],
  ])('has no unit vector for %d, %d unless its length is a number', (...values) => {
    const vector = cutToUnit(Float32Array.from(values), 2);
    if (values[0] === 1e30) expect(vector![0]).toBeCloseTo(Math.SQRT1_2, 6);
    else expect(vector).toBeNull();
  });
});

it('half precision converts values as defined by IEEE 754', () => {
  const halves = Uint16Array.of(
    0x0000,
    0x3c00,
    0xc000,
    0x7bff,
    0x0001,
    0x03ff,
    0x0400,
    0x7c00,
    0xfc00,
    0x3555,
  );
  expect([...widenHalves(halves)]).toEqual(
    [0, 1, -2, 65_504, 2 ** -24, 1023 * 2 ** -24, 2 ** -14, Infinity, -Infinity, 0x555 / 2 ** 12].map(
      Math.fround,
    ),
  );
  expect(widenHalves(Uint16Array.of(0x7e00))[0]).toBeNaN();
});

it('reasonOf removes source locations of the runtime, and is short', () => {
  const error = new Error('/a/b.cc:1 f() <lambda> x == y was false. Failed to get an adapter\nstack');
  expect(reasonOf(error)).toBe('Failed to get an adapter');
  expect(reasonOf('x'.repeat(1_000))).toHaveLength(300);
  expect(reasonOf(new Error(''))).not.toBe('');
});

describe('profiles', () => {
  it('are found by name, ignoring case, and an unknown name lists them', () => {
    for (const profile of PROFILES) expect(modelReference(profile.name.toUpperCase()).profile).toBe(profile);
    expect(() => modelReference('gpt')).toThrow(/all-minilm-l6-v2.*qwen3-reranker-0\.6b/);
  });

  it.each(PROFILES.map((profile) => [profile.name, profile] as const))('%s is complete', (name, profile) => {
    expect(name).toMatch(/^[a-z0-9.-]+$/);
    expect(PROFILES.filter((other) => other.name === name)).toHaveLength(1);
    expect(profile.variants[profile.defaultPrecision]).toBeDefined();
    expect(profile.selfCheck.length).toBeGreaterThanOrEqual(3);
    for (const precision of Object.keys(profile.variants) as (keyof typeof profile.variants)[]) {
      const files = filesOf(profile, precision);
      expect(files.slice(0, 2)).toEqual(['tokenizer.json', 'tokenizer_config.json']);
      expect(files[2]).toMatch(/^onnx\/model[a-z0-9_]*\.onnx$/);
      for (const file of files) expect(file).not.toMatch(/^\/|\.\./);
    }
    if (profile.kind === 'embedder')
      for (const shorter of profile.shorterDimensions) expect(shorter).toBeLessThan(profile.dimension);
  });
});
