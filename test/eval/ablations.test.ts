import { describe, expect, it } from 'vitest';
import type { EvaluationDataset } from '../../eval/datasets/dataset.ts';
import { readLocomoDataset } from '../../eval/datasets/locomo.ts';
import { ablationReportSchema, evaluateAblation } from '../../eval/evaluate-ablation.ts';
import { ABLATIONS, type AblationRun, ablationNamed } from '../../eval/papers/ablations.ts';
import { Mnemis } from '../../src/engine.ts';
import { CancelledError, ModelMissingError, StoreClosedError } from '../../src/errors/index.ts';
import { profileSchema } from '../../src/ingest/profile.ts';
import { parseRecipe } from '../../src/retrieve/recipes/recipe.ts';
import { LOCOMO } from '../main/cli/fake-terminal.ts';
import { inTier } from '../tier.ts';

/** A machine without any of the rerankers that a table requires. */
async function open({ profile, reranker = 'none' }: AblationRun) {
  if (reranker !== 'none')
    throw new ModelMissingError(reranker, 'models', ['model.onnx'], 'mnemis models pull');
  const engine = await Mnemis.open({ path: ':memory:', profile, automatic: false });
  return { engine, close: () => engine.close() };
}

async function tiny(): Promise<EvaluationDataset> {
  const dataset = await readLocomoDataset(LOCOMO);
  return {
    ...dataset,
    cases: dataset.cases.map((each) => ({ ...each, questions: each.questions.slice(0, 2) })),
  };
}

describe('ablations', () => {
  it('finds every table by name', () => {
    expect(ABLATIONS.map(({ name }) => name)).toEqual([
      ...['mnemis-table4', 'mnemis-table5', 'mnemis-table9'],
      ...['memorai-table4', 'memorai-table5', 'memorai-table6'],
      ...['gam-table3', 'gam-partitions', 'gam-sweeps', 'personalai'],
    ]);
    expect(() => ablationNamed('mnemis-table1')).toThrow(/mnemis-table4/);
  });

  it.each(ABLATIONS)('$name has valid profiles and recipes with distinct names', ({ runs }) => {
    for (const { profile, rows } of runs) {
      expect(profileSchema.parse(profile)).toEqual(profile);
      for (const { recipe } of rows) parseRecipe(recipe);
      expect(new Set(rows.map(({ recipe }) => recipe.name)).size).toBe(rows.length);
    }
    const written = runs.map(({ profile, reranker }) => `${profile.name} ${reranker}`);
    expect(new Set(written).size).toBe(runs.length);
  });

  const run = inTier({ fast: ABLATIONS.slice(0, 1), slow: ABLATIONS });
  it.each(run)('$name runs on a small data set', async (ablation) => {
    const dataset = await tiny();
    const report = await evaluateAblation(ablation, { dataset, facts: 'none', open });
    const labels = ablation.runs.flatMap(({ rows }) => rows.map(({ label }) => label));
    const told = [...report.rows, ...report.skipped].map(({ label }) => label);
    expect(told).toEqual(labels);
    expect(ablationReportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
    for (const { report: each } of report.rows) expect(each.turnRecall['10']).toBeTypeOf('number');
  });

  it('writes memory with the profile of each line', async () => {
    const [case0] = (await tiny()).cases;
    const segments = new Map<string, number>();
    await evaluateAblation(ablationNamed('gam-table3'), {
      dataset: await tiny(),
      facts: 'none',
      open: async (run) => {
        const { engine } = await open(run);
        const close = async () => {
          const stats = await engine.scope(case0!.scope).stats();
          segments.set(run.profile.name, stats.segment);
          await engine.close();
        };
        return { engine, close };
      },
    });
    expect(segments.get('local-turns-1')).toBe(case0!.turns.length);
    expect(segments.get('local')).toBeLessThan(case0!.turns.length);
  });

  it('skips lines whose model is not installed, and reports why', async () => {
    const report = await evaluateAblation(ablationNamed('mnemis-table5'), {
      dataset: await tiny(),
      facts: 'none',
      open,
    });
    expect(report.rows.map(({ label }) => label)).toEqual(['no reranker']);
    expect(report.skipped).toHaveLength(3);
    expect(report.skipped[0]).toEqual({
      label: 'Qwen3-Reranker-0.6B',
      reason: expect.stringContaining('mnemis models pull'),
    });
  });

  it('rethrows other errors', async () => {
    const failing = evaluateAblation(ablationNamed('mnemis-table5'), {
      dataset: await tiny(),
      facts: 'none',
      open: async () => {
        throw new StoreClosedError();
      },
    });
    await expect(failing).rejects.toSatisfy(StoreClosedError.isInstance);
  });

  it('reports progress over all runs, and the settings of every result', async () => {
    const dataset = await tiny();
    const progress: number[] = [];
    const asked: string[] = [];
    await evaluateAblation(ablationNamed('memorai-table4'), {
      ...{ dataset, facts: 'none', open },
      onProgress: (done, total) => progress.push(done / total),
      onResult: async (_, { profile, recipe }) => {
        asked.push(`${profile} ${recipe}`);
      },
    });
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress).toHaveLength(3 * dataset.cases.length);
    expect(progress.at(-1)).toBeLessThan(1);
    expect([...new Set(asked)]).toEqual([
      'local memorai',
      'local-without-gate memorai',
      'local-session memorai',
    ]);
  });

  it('stops on a cancel, with every memory closed', async () => {
    const stop = new AbortController();
    const closed: boolean[] = [];
    const running = evaluateAblation(ablationNamed('gam-partitions'), {
      ...{ dataset: await tiny(), facts: 'none', signal: stop.signal },
      open: async (run) => {
        const { engine } = await open(run);
        return { engine, close: () => engine.close().finally(() => closed.push(true)) };
      },
      onResult: async () => stop.abort(),
    });
    await expect(running).rejects.toSatisfy(CancelledError.isInstance);
    expect(closed).toEqual([true]);
  });

  it('measures the graph that PageRank uses: the full one, or the neighbourhood of the question', async () => {
    const { rows } = await evaluateAblation(ablationNamed('memorai-table6'), {
      dataset: await tiny(),
      facts: 'none',
      open,
    });
    const [full, part] = rows.map(({ report }) => report);
    expect(full).toMatchObject({
      subgraphCoverage: expect.any(Number),
      pagerankMs: { p50: expect.any(Number) },
    });
    expect(part!.subgraphCoverage).toBeLessThanOrEqual(full!.subgraphCoverage!);
    expect(full!.subgraphCoverage).toBeGreaterThanOrEqual(full!.turnRecall['50']!);
  });
});
