import type { FactRecord, RejectedRecord } from '../../src/importers/importer.ts';
import type { AddFactsResult } from '../../src/ingest/write/write-facts.ts';
import type { FactInput } from '../../src/model/fact-input.ts';

const FACTS_PER_BATCH = 256;

/** Counts of the statements that a file has in addition to turns, by outcome. */
export interface GivenFacts {
  readonly added: number;
  readonly known: number;
  readonly rejected: number;
}

interface GivenFactsOptions {
  readonly add: (facts: FactInput[]) => Promise<AddFactsResult>;
  readonly onRejected: (rejection: { where: string; reason: string }) => void;
}

/** Adds the statements of a file, once their evidence turns are stored. */
export async function addGivenFacts(
  records: AsyncIterable<FactRecord | RejectedRecord>,
  { add, onRejected }: GivenFactsOptions,
): Promise<GivenFacts> {
  const counts = { added: 0, known: 0, rejected: 0 };
  let batch: FactRecord[] = [];
  const addBatch = async () => {
    if (batch.length === 0) return;
    const { outcomes } = await add(batch.map(({ fact }) => fact));
    for (const [position, outcome] of outcomes.entries()) {
      counts[outcome.status]++;
      if (outcome.status === 'rejected')
        onRejected({ where: batch[position]!.where, reason: `its statement: ${outcome.reason}` });
    }
    batch = [];
  };
  for await (const record of records) {
    if (record.kind === 'fact') {
      if (batch.push(record) === FACTS_PER_BATCH) await addBatch();
    } else {
      counts.rejected++;
      onRejected({ where: record.where, reason: record.reason });
    }
  }
  await addBatch();
  return counts;
}
