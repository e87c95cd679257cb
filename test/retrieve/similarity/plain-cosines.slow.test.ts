import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runBaselines } from '../../../eval/baselines.ts';
import { datasetReaderNamed } from '../../../eval/datasets/registry.ts';
import { evaluateRetrieval } from '../../../eval/evaluate-retrieval.ts';
import { meanTurnRecall } from '../../../eval/metrics/retrieval-metrics.ts';
import { Mnemis, openEmbedder } from '../../../src/index.ts';
import { recipeNamed } from '../../../src/retrieve/recipes/recipes.ts';
import { SHARED_DATA } from '../../importers/temporary-file.ts';

const MODELS = join(SHARED_DATA, '../models');
const SETS = [
  ['locomo', 'locomo/locomo5-dev.json'],
  ['beam', 'beam/beam-100k-dev10.json'],
] as const;
const EMBEDDERS = ['static', 'all-minilm-l6-v2', 'bge-small-en-v1.5', 'e5-small-v2'];

const isHere = (name: string, file: string) =>
  existsSync(join(SHARED_DATA, file)) && (name === 'static' || existsSync(join(MODELS, name)));

describe('the vector list', () => {
  for (const name of EMBEDDERS)
    for (const [set, file] of SETS)
      it.skipIf(!isHere(name, file))(
        `of ${name} finds as many turns of ${set}'s first conversation as its plain cosines (skipped without the data and the weights, which are not part of the repository)`,
        { timeout: 300_000 },
        async () => {
          await using embedder = await openEmbedder(
            name === 'static' ? { name } : { name: `${name}:int8`, modelsFolder: MODELS },
          );
          const whole = await datasetReaderNamed(set).read(join(SHARED_DATA, file));
          const [first] = whole.cases;
          const dataset = { ...whole, cases: [first!] };
          await using engine = await Mnemis.open({ path: ':memory:', automatic: false, embedder });
          const [report] = await evaluateRetrieval({
            ...{ engine, dataset, recipes: [recipeNamed('system1-vector')], tier: 'local', facts: 'none' },
          });
          const { cosine } = await runBaselines(first!, embedder, undefined);
          for (const depth of [5, 10] as const) {
            const counted = cosine.filter(({ question }) => question.evidenceTurns.length > 0);
            expect(report!.turnRecall[String(depth) as '5']).toBeGreaterThanOrEqual(
              meanTurnRecall(counted, depth)!,
            );
          }
        },
      );
});
