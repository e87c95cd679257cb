import { expect, it } from 'vitest';
import { walkThrough } from '../../../graphs/retrieval/global-selection/walk-through.ts';
import type { Scope } from '../../../src/model/ids.ts';
import type { WalkEnd } from '../../../src/model/retrieved-item.ts';
import { GlobalSelection } from '../../../src/retrieve/categories/categories.ts';
import { SYSTEM2 } from '../../../src/retrieve/categories/defaults.ts';
import { readQuestion } from '../../../src/retrieve/question.ts';
import { FakeLanguageModel } from '../../fakes/language-model/fake-language-model.ts';
import {
  embedder,
  hierarchyRows,
  indexOf,
  type Sketch,
  TRAVELS,
} from '../../hierarchy/traverse/hand-made-hierarchy.ts';

/** Walks with a model that picks every shown node. `beforeReply` runs during its call. */
async function picked(
  sketch: Sketch,
  walk: Partial<typeof SYSTEM2.walk>,
  beforeReply: (index: Awaited<ReturnType<typeof indexOf>>, call: number) => void = () => undefined,
) {
  const question = readQuestion('Which cities has Ann visited?', ['Ann']);
  const index = await indexOf(hierarchyRows(sketch));
  const [queryVector, kindVector] = await embedder.embed([question.embedded, question.kindWords], {
    as: 'query',
  });
  const prompts: string[] = [];
  const languageModel = new FakeLanguageModel(({ user }) => {
    prompts.push(user);
    beforeReply(index, prompts.length);
    const open = user.split('\n').flatMap((line) => /^\s*(\d+) /.exec(line)?.[1] ?? []);
    return { open: [...open], all: [] };
  });
  const store = { get: async () => [] };
  const selection = new GlobalSelection(
    { scope: 'a' as Scope, store, index, embedder, languageModel },
    {
      question,
      eligible: { episode: null, entity: null, fact: null },
      ...{ queryVector: queryVector!, kindVector: kindVector! },
    },
    { ...SYSTEM2, selector: 'llm', walk: { ...SYSTEM2.walk, skipTop: 0, together: 0, ...walk } },
  );
  const { walk: walked, end, failure } = await walkThrough(selection);
  const found = selection.found(walked, { end: end as WalkEnd, failure });
  return { ...found, prompts };
}

it('follows those of a model’s equal picks that words and vectors prefer', async () => {
  const topics = Array.from({ length: 40 }, (_, at) => `1 Topic ${at}: a${at}, b${at}, c${at}`);
  const { prompts, trace } = await picked([...topics, '1 Cities: Oslo, Rome, Lima'], { beam: 5 });
  expect(trace.steps[0]!.notes).toContain('36 picks were not followed');
  expect(prompts[1]).toMatch(/\d Rome\n/);
});

it('shows neither the model nor the trace a node deleted while the model runs', async () => {
  const { prompts, trace, selected } = await picked(TRAVELS, {}, (index, call) => {
    if (call !== 2) return;
    const removals = (['Rome', 'Cities', 'Pets'] as const).map((name) => ({
      ...{ kind: 'profile' as const, id: `profile of ${name}` },
    }));
    index.apply({ removals: [...removals, { kind: 'entity', id: 'Rome' }] });
  });
  expect(prompts).toHaveLength(3);
  expect(prompts[1]).toContain('Cities');
  expect(prompts[2]).toContain('Lima');
  expect(prompts[2]).not.toContain('Rome');
  const told = JSON.stringify([trace, selected]);
  for (const name of ['Rome', 'Cities', 'Pets']) expect(told).not.toContain(name);
  expect(selected.find(({ id }) => id === 'Lima')!.path).toEqual(['Places', 'Lima']);
});
