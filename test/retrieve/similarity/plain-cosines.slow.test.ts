import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runBaselines } from '../../../eval/baselines.ts';
import { datasetReaderNamed } from '../../../eval/datasets/registry.ts';
import { evaluateRetrieval } from '../../../eval/evaluate-retrieval.ts';
import { meanTurnRecall } from '../../../eval/metrics/retrieval-metrics.ts';
import { type Embedder, Mnemis, openEmbedder } from '../../../src/index.ts';
import { recipeNamed } from '../../../src/retrieve/recipes/recipes.ts';
import { SHARED_DATA } from '../../importers/temporary-file.ts';
import { inTier } from '../../tier.ts';

const MODELS = join(SHARED_DATA, '../models');
const SETS = [
  ['locomo', 'locomo/locomo5-dev.json'],
  ['beam', 'beam/beam-100k-dev10.json'],
] as const;
const FEW = ['static', 'all-minilm-l6-v2'];
const EMBEDDERS = inTier({ fast: FEW, slow: FEW, long: [...FEW, 'bge-small-en-v1.5', 'e5-small-v2'] });

const isHere = (name: string) =>
  SETS.every(([, file]) => existsSync(join(SHARED_DATA, file))) &&
  (name === 'static' || existsSync(join(MODELS, name)));

/** Mean recall at three depths of the vector list and of the plain cosines, over the set's first conversation. */
async function figuresOf(embedder: Embedder, [set, file]: (typeof SETS)[number]) {
  const whole = await datasetReaderNamed(set).read(join(SHARED_DATA, file));
  const dataset = { ...whole, cases: [whole.cases[0]!] };
  await using engine = await Mnemis.open({ path: ':memory:', automatic: false, embedder });
  const recipes = [recipeNamed('system1-vector')];
  const [report] = await evaluateRetrieval({ engine, dataset, recipes, tier: 'local', facts: 'none' });
  const { cosine } = await runBaselines(whole.cases[0]!, embedder, undefined);
  const counted = cosine.filter(({ question }) => question.evidenceTurns.length > 0);
  const mean = (recallAt: (depth: '3' | '5' | '10') => number) =>
    (recallAt('3') + recallAt('5') + recallAt('10')) / 3;
  return {
    list: mean((depth) => report!.turnRecall[depth]!),
    cosines: mean((depth) => meanTurnRecall(counted, Number(depth))!),
    oneQuestion: 100 / counted.length,
  };
}

describe('the vector list', () => {
  for (const name of EMBEDDERS)
    it.skipIf(!isHere(name))(
      `of ${name} finds as many turns as its plain cosines (skipped without the data and the weights, which are not part of the repository)`,
      async () => {
        await using embedder = await openEmbedder(
          name === 'static' ? { name } : { name: `${name}:int8`, modelsFolder: MODELS },
        );
        const figures: Awaited<ReturnType<typeof figuresOf>>[] = [];
        for (const set of SETS) figures.push(await figuresOf(embedder, set));
        // Processors round 8-bit products differently: on few questions, one more or less is chance.
        for (const { list, cosines, oneQuestion } of figures)
          expect(list).toBeGreaterThanOrEqual(cosines - oneQuestion);
        const sum = (key: 'list' | 'cosines') => figures.reduce((total, each) => total + each[key], 0);
        expect(sum('list')).toBeGreaterThan(sum('cosines'));
      },
    );
});
