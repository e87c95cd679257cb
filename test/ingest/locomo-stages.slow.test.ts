import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EvaluationCase } from '../../eval/datasets/dataset.ts';
import { readLocomoDataset } from '../../eval/datasets/locomo.ts';
import { StaticEmbedder } from '../../src/inference/embedder/static-embedder.ts';
import { MAX_KEYWORDS } from '../../src/ingest/describe/defaults.ts';
import { LocalSummarizer } from '../../src/ingest/describe/local-summarizer.ts';
import { LocalExtractor } from '../../src/ingest/extract/local/local-extractor.ts';
import { LocalGate } from '../../src/ingest/extract/local-gate.ts';
import { planUnits } from '../../src/ingest/segment/plan-units.ts';
import type { TurnToSegment } from '../../src/ingest/segment/segmenter.ts';
import { SimilaritySegmenter } from '../../src/ingest/segment/similarity-segmenter.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { groupBy } from '../../src/util/collections.ts';
import { parseTimestamp } from '../../src/util/parse-timestamp.ts';

const DATA = join(import.meta.dirname, '../../../shared/data/locomo/locomo5-dev.json');
const WHY = '(skipped without the data, which is not part of the repository)';

interface LocomoTurn extends TurnToSegment {
  readonly sourceId: string;
}

async function sessionsOf({ turns }: EvaluationCase, embedder: StaticEmbedder): Promise<LocomoTurn[][]> {
  const vectors = await embedder.embed(
    turns.map(({ content, attachments = [] }) =>
      [content, ...attachments.map((each) => each.description)].join(' \n'),
    ),
    { as: 'passage' },
  );
  const read = turns.map((each, position) => ({
    content: each.content,
    speaker: each.speaker ?? '',
    role: 'user' as const,
    validAt: parseTimestamp(each.at!)!,
    attachments: each.attachments ?? [],
    vector: vectors[position]!,
    session: each.session,
    sourceId: each.sourceId!,
  }));
  return [...groupBy(read, ({ session }) => session).values()];
}

describe.skipIf(!existsSync(DATA))(`local stages on five LoCoMo conversations ${WHY}`, async () => {
  const dataset = existsSync(DATA) ? await readLocomoDataset(DATA) : { cases: [] };
  const embedder = await StaticEmbedder.load(analyze);

  it('the gate drops a turn in eight or more and keeps 97 % of the evidence', async () => {
    const [all, dropped, evidence, kept] = [new Set(), new Set(), new Set(), new Set()];
    for (const each of dataset.cases) {
      for (const { evidenceTurns } of each.questions) for (const id of evidenceTurns) evidence.add(id);
      for (const session of await sessionsOf(each, embedder)) {
        const judgements = await new LocalGate().judge(session);
        for (const [at, { sourceId }] of session.entries()) {
          all.add(sourceId);
          (judgements[at] === 'kept' ? kept : dropped).add(sourceId);
        }
      }
    }
    const keptEvidence = [...evidence].filter((id) => kept.has(id)).length;
    expect(dropped.size / all.size).toBeGreaterThan(1 / 8);
    expect(keptEvidence / evidence.size).toBeGreaterThanOrEqual(0.97);
  });

  it('every turn is in one unit, and every unit has a summary with speakers and date', async () => {
    const extractor = new LocalExtractor();
    const units = { all: 0, named: 0 };
    for (const session of (
      await Promise.all(dataset.cases.map((each) => sessionsOf(each, embedder)))
    ).flat()) {
      const plan = await planUnits(session, { segmenter: new SimilaritySegmenter(), ended: true });
      expect(plan.units.flatMap(({ turns }) => turns)).toEqual(session);
      for (const { turns } of plan.units) {
        expect(turns.length).toBeGreaterThan(1);
        const extraction = await extractor.extract(turns, { known: () => false });
        const { keywords, summary } = await new LocalSummarizer().summarize({ turns, extraction });
        for (const { speaker } of turns) expect(summary.split(' on ')[0]).toContain(speaker);
        expect(summary).toMatch(/ on \d+ \p{L}+ 20\d\d\./u);
        expect(keywords.length).toBeLessThanOrEqual(MAX_KEYWORDS);
        for (const { speaker } of turns) expect(keywords).not.toContain(speaker);
        units.all += 1;
        if (keywords.length > 0) units.named += 1;
      }
    }
    expect(units.named / units.all).toBeGreaterThan(0.85);
  });
});
