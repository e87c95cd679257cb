import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SAMPLE_QUESTIONS } from '../../../../main/assistant/jobs/sample-memory.ts';
import { StaticEmbedder } from '../../../../src/inference/embedder/static-embedder.ts';
import { analyze } from '../../../../src/search/analyzer.ts';
import { hubWithEmbedder } from '../../../fakes/small-models.ts';
import { AppLab } from './app-lab.ts';

describe('the sample', () => {
  /** What each answer must say; the sample is English. */
  const ANSWERS: Readonly<Record<(typeof SAMPLE_QUESTIONS)[number], RegExp>> = {
    'Is Nora still a vegetarian?': /stopped being a vegetarian in June/,
    'Which trips has Ilan been on?': /Lisbon.*Turin.*Porto.*Zurich.*Riga/s,
    'When did Nora adopt a dog?': /18 April 2026/,
    'Who is Nora’s boss?': /Hanneke/,
    'When is the book launch?': /12th of September \(2026\)/,
  };

  it('is a memory that answers its questions without a model, and is made once', async () => {
    const embedder = await StaticEmbedder.load(analyze); // the default, with which people see it
    await using lab = await AppLab.open({ isInMemory: true, engine: { embedder } });
    const [sample, again] = await Promise.all([lab.client.sample({}), lab.client.sample({})]);
    expect(again).toEqual(sample);
    expect(sample).toMatchObject({ scope: 'sample', questions: SAMPLE_QUESTIONS });
    expect(sample.turns).toBeGreaterThan(90);
    for (const question of SAMPLE_QUESTIONS) {
      const { text, answered } = await lab.engine.scope('sample').ask(question);
      expect([question, answered, text]).toEqual([question, true, expect.stringMatching(ANSWERS[question])]);
    }
    await lab.client.forget({ scope: 'sample', target: { session: 'july' } }).next();
    await lab.engine.scope('sample').settle();
    const less = await lab.client.sample({});
    expect(less.turns).toBeLessThan(sample.turns);
  });
});

describe('jobs with models', () => {
  let lab: AppLab;
  let restarts = 0;
  beforeEach(() => {
    restarts = 0;
  });
  afterEach(() => lab[Symbol.asyncDispose]());

  it('moves the vectors to another embedder, and sets it', async () => {
    lab = await AppLab.open({ isInMemory: true, restart: () => restarts++ });
    const { client } = lab;
    const turns = Array.from({ length: 40 }, (_, index) => ({
      ...{ session: 's', index, at: '2024-01-05', content: `Ana keeps note ${index} about Lisbon.` },
    }));
    await client.add({ scope: 'ana', turns });
    const started = await client.startMove({ job: 'm', embedder: 'Hashing' });
    expect(started).toMatchObject({ kind: 'move', name: 'hashing', scope: null });
    const ended = await lab.until('m');
    expect(ended).toMatchObject({ state: 'done', problem: null, counts: { texts: 40, totalTexts: 40 } });
    expect((await client.health({})).embedder).toMatchObject({ dimension: 256 });
    const file = JSON.parse(await readFile(lab.settingsFile, 'utf8'));
    expect(file).toEqual({ embedder: 'hashing' });
    expect(restarts).toBe(1);
    expect((await client.search({ scope: 'ana', query: 'note 7' })).episodes.length).toBeGreaterThan(0);
  });

  it('refuses a move that cannot be kept, and one to nowhere', async () => {
    lab = await AppLab.open({ isInMemory: true, config: { embedder: 'bge-m3' } });
    await expect(lab.client.startMove({ job: 'm', embedder: 'hashing' })).rejects.toMatchObject({
      code: 'invalid-setting',
    });
    await expect(lab.client.startMove({ job: 'm', embedder: 'none' })).rejects.toMatchObject({
      code: 'unknown-name',
    });
    await expect(lab.client.startPull({ job: 'p', name: 'none' })).rejects.toMatchObject({
      code: 'unknown-name',
    });
    await expect(lab.client.startPull({ job: 'p', name: 'static' })).rejects.toMatchObject({
      code: 'model-bundled',
    });
    expect(await lab.client.jobs({})).toEqual({ items: [] });
  });

  it('fails a move to a model that is not installed, and keeps the memory as it was', async () => {
    lab = await AppLab.open({ isInMemory: true });
    await lab.client.startMove({ job: 'm', embedder: 'all-minilm-l6-v2' });
    const { state, problem } = await lab.until('m');
    expect(state).toBe('failed');
    expect(problem).toContain('Memory uses the embedder that it used before');
    expect(await readFile(lab.settingsFile, 'utf8')).toBe('{}\n');
  });

  it('downloads a model, pauses in the middle, and continues there', async () => {
    await using hub = await hubWithEmbedder();
    const model = 'onnx/model.onnx';
    hub.fail(model, { kind: 'hang', after: 20_000 });
    lab = await AppLab.open({ isInMemory: true, config: { modelsMirror: hub.url } });
    await lab.client.startPull({ job: 'p', name: 'All-MiniLM-L6-v2' });
    await lab.until('p', ({ counts }) => (counts.bytes ?? 0) >= 20_000);
    const paused = await lab.client.controlJob({ job: 'p', action: 'pause' });
    expect(paused).toMatchObject({ state: 'paused', phase: 'fetching' });
    await lab.client.controlJob({ job: 'p', action: 'resume' });
    const ended = await lab.until('p');
    expect(ended).toMatchObject({ state: 'done', share: 1, problem: null });
    expect(ended.counts.bytes).toBe(ended.counts.totalBytes);
    expect(hub.requestsFor(model).at(-1)!.headers.range).toBe('bytes=20000-');
    const { items } = await lab.client.embedders({});
    expect(items.find(({ name }) => name === 'all-minilm-l6-v2')).toMatchObject({ isInstalled: true });
  });
});
