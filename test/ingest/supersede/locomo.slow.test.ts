import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLocomoDataset } from '../../../eval/datasets/locomo.ts';
import { LocalExtractor } from '../../../src/ingest/extract/local/local-extractor.ts';
import { LocalSuperseder } from '../../../src/ingest/supersede/local-superseder.ts';
import type { JudgedFact } from '../../../src/ingest/supersede/superseder.ts';
import type { EntityId, FactId } from '../../../src/model/ids.ts';
import { groupBy } from '../../../src/util/collections.ts';
import { parseTimestamp } from '../../../src/util/parse-timestamp.ts';

const DATA = join(import.meta.dirname, '../../../../shared/data/locomo/locomo5-dev.json');
const WHY = '(skipped without the data, which is not part of the repository)';

describe.skipIf(!existsSync(DATA))(`facts superseded in five LoCoMo conversations ${WHY}`, async () => {
  const { cases } = existsSync(DATA) ? await readLocomoDataset(DATA) : { cases: [] };

  it('are few, and none that still holds', async () => {
    let facts = 0;
    const ended: string[] = [];
    for (const { turns } of cases) {
      const judged = await factsOf(turns);
      facts += judged.length;
      const statements = new Map(judged.map(({ id, statement }) => [id, statement]));
      const asked = judged.map((fact, at) => ({ fact, candidates: judged.slice(0, at) }));
      for (const { old, by } of await new LocalSuperseder().supersede(asked))
        ended.push(`${statements.get(old)} <- ${statements.get(by)}`);
    }
    // What somebody said; that a picture was shared is no fact.
    expect(facts).toBeGreaterThan(1_100);
    // Checked by hand: each was planned, and took place.
    expect(ended).toEqual([
      expect.stringMatching(
        /^Melanie is thinking about going camping next month.* <- Melanie just took .* camping/,
      ),
      expect.stringMatching(
        /^Caroline is going to a transgender conference.* <- Caroline went to an LGBTQ conf/,
      ),
    ]);
  });
});

type Turns = Awaited<ReturnType<typeof readLocomoDataset>>['cases'][number]['turns'];

/** Treats equal names as one entity. */
async function factsOf(turns: Turns): Promise<JudgedFact[]> {
  const extractor = new LocalExtractor();
  const found: JudgedFact[] = [];
  let place = 0;
  for (const session of groupBy(turns, (turn) => turn.session).values()) {
    const unit = session.map(({ content, speaker = '', at, attachments = [] }) => {
      return { content, speaker, role: 'user' as const, validAt: parseTimestamp(at!)!, attachments };
    });
    const { facts } = await extractor.extract(unit, { known: () => false });
    for (const { statement, participants, validAt, event, confidence, turns: cited } of facts)
      found.push({
        id: String(found.length) as FactId,
        statement,
        validAt,
        invalidAt: null,
        event,
        confidence,
        told: { session: 'all', index: place + cited[0]!, at: unit[cited[0]!]!.validAt, offset: 0 },
        retold: [],
        names: new Map(participants.map((name) => [name.toLowerCase() as EntityId, [name]])),
        said: cited.map((turn) => unit[turn]!.content).join('\n'),
      });
    place += unit.length;
  }
  return found;
}
