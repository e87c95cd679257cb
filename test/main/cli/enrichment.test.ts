import { expect, it } from 'vitest';
import { describeEnriched } from '../../../main/cli/enrichment.ts';
import { NOTHING_ENRICHED } from '../../../src/engine/ingestion/enrichment-report.ts';
import type { Dropped } from '../../../src/inference/language-model/reading/drop-log.ts';

const enriched = (dropped: readonly Dropped[]) =>
  describeEnriched(
    { ...NOTHING_ENRICHED, consolidated: 4, facts: 2 },
    { usage: { calls: 0, promptTokens: 0, completionTokens: 0 }, byStage: {}, dropped },
  );

it('what was not taken from the replies of a model is counted by its reason', () => {
  const lines = enriched([
    { what: 'fact', reason: 'repeated', count: 4 },
    { what: 'citation', reason: 'unknown-number', count: 7 },
    { what: 'fact', reason: 'assistant', count: 1 },
    { what: 'fact', reason: 'not-said', count: 9 },
  ]);
  expect(lines[1]).toBe(
    "10 statements of the language model not stored: 9 not said in the turns that they cite, 1 an assistant's words or doings",
  );
  expect(enriched([{ what: 'fact', reason: 'repeated', count: 4 }])).toHaveLength(1);
});
