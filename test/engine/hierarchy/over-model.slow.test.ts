import { describe, expect, it } from 'vitest';
import type { HierarchyEvent, HierarchyReport } from '../../../src/engine/hierarchy/hierarchy-updates.ts';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { verifyMemory } from '../../../src/files/backup/verify.ts';
import { LlmCategorizer } from '../../../src/hierarchy/categorize/llm/llm-categorizer.ts';
import { TokenBudget } from '../../../src/inference/language-model/calling/token-budget.ts';
import { profileNamed } from '../../../src/ingest/profile.ts';
import type { ScriptedServerOptions } from '../../fakes/openai-server/script.ts';
import { readPrompt } from '../../hierarchy/categorize/llm/layer-nodes.ts';
import { openLab } from '../../inference/language-model/model-lab.ts';
import { freshPath, remember } from '../memory-fixture.ts';
import {
  categoriesOf,
  FOOD,
  idsOf,
  MUSIC,
  openGrouped,
  PETS,
  rulesBrokenIn,
  session,
} from './grouped-memory.ts';

const ALL = [...FOOD, ...PETS, ...MUSIC];
/** Turns are read by rules, entities grouped by the model: what it is asked are categories alone. */
const PROFILE = { ...profileNamed('local'), hierarchy: 'model' } as const;
const KINDS: Readonly<Record<string, string>> = {
  ...{ bread: 'Baked goods', cheese: 'Baked goods', pizza: 'Baked goods', soup: 'Warm meals' },
  ...{ pasta: 'Warm meals', stew: 'Warm meals', dog: 'Pets', cat: 'Pets', parrot: 'Pets', rabbit: 'Pets' },
  ...{ zither: 'Strings', guitar: 'Strings', piano: 'Strings', violin: 'Strings', cello: 'Strings' },
};

/** Answers by the table above; "Pets", "Strings" and the like are "Joys". */
const reply: NonNullable<ScriptedServerOptions['reply']> = ({ messages }) => {
  const [system = '', user = ''] = messages.map(({ content }) => content);
  if (system.includes('You sum up')) {
    return {
      summaries: Array.from({ length: 12 }, (_, at) => ({ category: at + 1, summary: 'In short, joy.' })),
    };
  }
  const { nodes } = readPrompt({ system, user });
  return {
    categories: nodes.map((node, at) => {
      const name = typeof node === 'string' ? node : (node as { name: string }).name;
      return { category: KINDS[name] ?? 'Joys', tags: ['joy'], nodes: [at + 1] };
    }),
  };
};

async function modelMemory(server: ScriptedServerOptions = {}, path = freshPath()) {
  const lab = await openLab('openai', { server: { reply, ...server } });
  // Given as a categorizer, it may build a layer over the few categories of this memory.
  const categorizer = new LlmCategorizer(lab.model);
  const engine = await openGrouped(path, { languageModel: lab.model, profile: PROFILE, categorizer });
  return {
    ...{ path, server: lab.server, engine, memory: engine.scope('a') },
    [Symbol.asyncDispose]: async () => {
      await engine.close();
      await lab[Symbol.asyncDispose]();
    },
  };
}

async function done(events: AsyncIterable<HierarchyEvent>): Promise<HierarchyReport> {
  let report: HierarchyReport | undefined;
  for await (const event of events) if (event.type === 'done') report = event;
  return report!;
}

const placed = async (memory: MemoryScope) => {
  const { entities, waiting } = await memory.hierarchy.status();
  return entities - waiting;
};

describe('a hierarchy by a language model behind a server', () => {
  it('is built by calls, which the report counts by stage', async () => {
    await using lab = await modelMemory();
    const { memory, server } = lab;
    await memory.add(ALL);
    const report = await memory.flush();
    const categories = await categoriesOf(memory);
    expect(categories['1 Strings']?.[1]).toEqual(['guitar', 'piano', 'violin', 'zither']);
    expect(categories['1 Pets']?.[1]).toEqual(['cat', 'dog', 'parrot', 'rabbit']);
    expect(await rulesBrokenIn(memory)).toEqual([]);
    expect(server.requests.length).toBeGreaterThan(0);
    expect(report.byStage).toEqual({ 'categorize-nodes': report.usage });
    expect(report.usage).toMatchObject({ calls: server.requests.length, ...server.charged });
    expect(report.hierarchy).toMatchObject({ layers: [6, 3], byStage: report.byStage, usage: report.usage });
    expect((await memory.hierarchy.status()).built).toMatchObject({ categorizer: 'llm', entities: 14 });
  });

  it('sends new entities only, and keeps all other ids', async () => {
    await using lab = await modelMemory();
    const { memory, server } = lab;
    await remember(memory, ALL);
    const [before, asked] = [await idsOf(memory), server.requests.length];
    expect((await memory.flush()).usage.calls).toBe(0);
    await memory.add(session('more', 'I love the cello.', 20));
    const { usage } = await memory.flush();
    expect(usage.calls).toBe(1);
    expect(JSON.stringify(server.requests.slice(asked))).not.toContain('rabbit');
    expect((await categoriesOf(memory))['1 Strings']?.[1]).toContain('cello');
    expect(await idsOf(memory)).toEqual(before);
  });

  it('keeps what was placed when the budget ends, and update continues', async () => {
    await using lab = await modelMemory();
    const { memory } = lab;
    await memory.add(ALL);
    const first = await memory.flush({ budget: new TokenBudget(10) });
    expect(first.hierarchy).toMatchObject({ failure: expect.stringMatching(/budget/i) });
    expect(first).toMatchObject({ pending: 0, counts: { consolidated: 13 } });
    expect(await placed(memory)).toBe(0);
    await expect(done(memory.hierarchy.update({ budget: new TokenBudget(10) }))).rejects.toMatchObject({
      code: 'budget-exhausted',
    });
    // Enough for the first layer.
    const usage = await openedAnd(async (other) => (await remembered(other)).usage);
    const some = new TokenBudget(usage.promptTokens + usage.completionTokens - 20);
    await expect(done(memory.hierarchy.update({ budget: some }))).rejects.toMatchObject({
      code: 'budget-exhausted',
    });
    expect(await placed(memory)).toBe(14);
    expect((await memory.hierarchy.status()).layers).toHaveLength(1);
    expect((await done(memory.hierarchy.update())).layers).toEqual([6, 3]);
    expect(await rulesBrokenIn(memory)).toEqual([]);
  });

  it('reports its state, also if it is opened without the model', async () => {
    const path = freshPath();
    {
      await using lab = await modelMemory({}, path);
      await remember(lab.memory, FOOD);
      await remember(lab.memory, [...PETS, ...MUSIC]);
      expect((await lab.memory.hierarchy.status()).drift).toMatchObject({ added: 8, rebuildPays: false });
    }
    const engine = await openGrouped(path);
    const { built, drift } = await engine.scope('a').hierarchy.status();
    await engine.close();
    expect(built).toMatchObject({ categorizer: 'llm', entities: 6 });
    expect(drift).toMatchObject({ added: 8, gone: 0, rebuildPays: false });
  });

  it('waits while the server is down: a flush succeeds and says why', async () => {
    const path = freshPath();
    {
      await using lab = await modelMemory(
        { storm: { probability: 1, seed: 1, faults: [{ kind: 'server-error', status: 503 }] } },
        path,
      );
      await lab.memory.add(ALL);
      const { hierarchy, pending } = await lab.memory.flush();
      expect(hierarchy).toEqual({ failure: expect.stringMatching(/\w/) });
      expect(pending).toBe(0);
      expect(await lab.memory.hierarchy.status()).toMatchObject({ built: null, waiting: 14, layers: [] });
      const found = await lab.memory.search('Which animals?', { recipe: 'mnemis-local' });
      expect(found.episodes.length).toBeGreaterThan(0);
    }
    {
      await using lab = await modelMemory({}, path);
      expect((await lab.memory.flush()).hierarchy).toMatchObject({ layers: [6, 3] });
      expect(await lab.memory.hierarchy.status()).toMatchObject({ waiting: 0 });
    }
    expect(await verifyMemory(path)).toMatchObject({ sound: true, findings: [] });
  });

  it('is rebuilt with the model’s names, and keeps the ids of equal names', async () => {
    await using lab = await modelMemory();
    const { memory, server } = lab;
    await remember(memory, ALL);
    const before = await idsOf(memory);
    const asked = server.requests.length;
    const report = await done(memory.hierarchy.rebuild());
    expect(report).toMatchObject({ mode: 'rebuild', layers: [6, 3], counts: { created: 0, dissolved: 0 } });
    expect(server.requests.length).toBeGreaterThan(asked);
    expect(await idsOf(memory)).toEqual(before);
  });

  it('writes summaries with the model on request', async () => {
    await using lab = await modelMemory();
    const { memory, server } = lab;
    await remember(memory, ALL);
    const [pets] = (await categoriesOf(memory))['1 Pets']!;
    const asked = server.requests.length;
    expect(await memory.hierarchy.refresh({ by: 'model', all: true })).toBe(9);
    expect(server.requests.length).toBeGreaterThan(asked);
    expect((await memory.hierarchy.summaries([pets])).get(pets)).toBe('In short, joy.');
    await expect(
      memory.hierarchy.refresh({ by: 'model', all: true, budget: new TokenBudget(5) }),
    ).rejects.toMatchObject({ code: 'budget-exhausted' });
    expect(await memory.hierarchy.refresh({ all: true })).toBe(9);
    expect((await memory.hierarchy.summaries([pets])).get(pets)).toContain('Ann bought a dog');
  });

  it('leaves categories that a forgetting emptied to the next flush', async () => {
    await using lab = await modelMemory();
    const { memory, server } = lab;
    await remember(memory, ALL);
    const [before, asked] = [await idsOf(memory), server.requests.length];
    await memory.forget({ session: 'music' });
    expect(server.requests.length).toBe(asked);
    await memory.flush();
    const after = await idsOf(memory);
    expect(after['1 Strings']).toBeUndefined();
    expect(after['1 Pets']).toBe(before['1 Pets']);
    expect(await rulesBrokenIn(memory)).toEqual([]);
    expect(JSON.stringify(server.requests.slice(asked))).not.toContain('guitar');
  });
});

async function openedAnd<T>(job: (memory: MemoryScope) => Promise<T>): Promise<T> {
  await using lab = await modelMemory();
  return await job(lab.memory);
}

async function remembered(memory: MemoryScope) {
  await memory.add(ALL);
  return memory.flush();
}
