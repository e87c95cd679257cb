import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLocomoDataset } from '../../../eval/datasets/locomo.ts';
import { LEAST_FACT_CONFIDENCE } from '../../../src/ingest/extract/defaults.ts';
import type { ExtractedFact } from '../../../src/ingest/extract/extractor.ts';
import { LocalExtractor } from '../../../src/ingest/extract/local/local-extractor.ts';
import { selfCheck } from '../../../src/ingest/extract/self-check.ts';
import { groupBy } from '../../../src/util/collections.ts';
import { parseTimestamp } from '../../../src/util/parse-timestamp.ts';

const DATA = join(import.meta.dirname, '../../../../shared/data/locomo/locomo5-dev.json');
const WHY = '(skipped without the data, which is not part of the repository)';

/** Adds 13 to each number: a turn is unlikely to contain the result. */
function renumbered(fact: ExtractedFact): ExtractedFact {
  return { ...fact, statement: fact.statement.replace(/\d+/g, (number) => String(Number(number) + 13)) };
}

describe.skipIf(!existsSync(DATA))(`the self-check on two LoCoMo conversations ${WHY}`, () => {
  it('accepts 99 % of the facts read by rules, and at most 5 % of them with changed numbers', async () => {
    const share = { own: { all: 0, passed: 0 }, changed: { all: 0, passed: 0 } };
    const extractor = new LocalExtractor();
    for (const { turns } of (await readLocomoDataset(DATA)).cases.slice(0, 2)) {
      for (const session of groupBy(turns, (each) => each.session).values()) {
        const read = session.map(({ content, speaker = '', at, attachments = [] }) => {
          return { content, speaker, role: 'user' as const, validAt: parseTimestamp(at!)!, attachments };
        });
        const { entities, facts } = await extractor.extract(read, { known: () => false });
        const count = (fact: ExtractedFact, { all, passed }: { all: number; passed: number }) => ({
          all: all + 1,
          passed: passed + (selfCheck(read, { entities, facts: [fact] })[fact.turns[0]!] ? 1 : 0),
        });
        for (const fact of facts.filter(({ confidence }) => confidence >= LEAST_FACT_CONFIDENCE)) {
          share.own = count(fact, share.own);
          if (/\d/.test(fact.statement)) share.changed = count(renumbered(fact), share.changed);
        }
      }
    }
    expect(share.own.all).toBeGreaterThan(300);
    expect(share.own.passed / share.own.all).toBeGreaterThanOrEqual(0.99);
    expect(share.changed.all).toBeGreaterThan(40);
    expect(share.changed.passed / share.changed.all).toBeLessThanOrEqual(0.05);
  });
});
