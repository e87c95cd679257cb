import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLocomoDataset } from '../../eval/datasets/locomo.ts';
import { evaluateRetrieval } from '../../eval/evaluate-retrieval.ts';
import { paperRecipeNamed } from '../../eval/papers/recipes.ts';
import { Mnemis } from '../../src/engine.ts';

const DATA = join(import.meta.dirname, '../../../shared/data/locomo/locomo5-dev.json');

describe('recall on five LoCoMo conversations, tier local', () => {
  it.skipIf(!existsSync(DATA))(
    'auto finds 82 % of the turns and 96 % of the sessions in ten, and system1 more than its variants (skipped without the data, which is not part of the repository)',
    async () => {
      await using engine = await Mnemis.open({ path: ':memory:' });
      const recipes = ['auto', 'system1', 'system1-paper', 'system1-graph'].map(paperRecipeNamed);
      const dataset = await readLocomoDataset(DATA);
      const reports = await evaluateRetrieval({ engine, dataset, recipes, tier: 'local', facts: 'none' });
      const [auto, system1, paper, graph] = reports.map(({ turnRecall, sessionRecall, usage }) => ({
        turns: turnRecall['10'] ?? 0,
        sessions: sessionRecall['10'] ?? 0,
        usage,
      }));
      expect(auto?.usage).toEqual({ calls: 0, promptTokens: 0, completionTokens: 0 });
      expect(system1?.turns).toBeGreaterThanOrEqual(80);
      expect(system1?.sessions).toBeGreaterThanOrEqual(95);
      expect(auto?.turns).toBeGreaterThanOrEqual(82);
      expect(auto?.sessions).toBeGreaterThanOrEqual(96);
      for (const other of [paper, graph]) {
        expect(system1?.turns).toBeGreaterThan(other!.turns);
        expect(system1?.sessions).toBeGreaterThan(other!.sessions);
      }
    },
    120_000,
  );
});
