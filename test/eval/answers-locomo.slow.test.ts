import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CaseClock } from '../../eval/case-clock.ts';
import { readLocomoDataset } from '../../eval/datasets/locomo.ts';
import { evaluateAnswers } from '../../eval/evaluate-answers.ts';
import { Mnemis } from '../../src/engine.ts';
import { recipeNamed } from '../../src/retrieve/recipes/recipes.ts';

const DATA = join(import.meta.dirname, '../../../shared/data/locomo/locomo5-dev.json');

describe('answers on five LoCoMo conversations, tier local', () => {
  it.skipIf(!existsSync(DATA))(
    'abstain from 60 % of the unanswerable questions, and answer 80 % of the others (skipped without the data, which is not part of the repository)',
    async () => {
      const clock = new CaseClock();
      await using engine = await Mnemis.open({ path: ':memory:', clock: clock.now });
      const dataset = await readLocomoDataset(DATA);
      const recipe = recipeNamed('system1');
      const { byCategory, withoutCategory5, abstention } = await evaluateAnswers({
        ...{ engine, clock, dataset, recipe, answerer: 'local' },
      });
      expect(byCategory['5']?.noAnswerRate).toBeGreaterThanOrEqual(60);
      expect(withoutCategory5.noAnswerRate).toBeLessThanOrEqual(20);
      expect(abstention?.separation).toBeGreaterThanOrEqual(80);
    },
  );
});
