import type { FactRecord, RejectedRecord } from '../../../src/importers/importer.ts';
import type { ClientCommand } from '../run-command.ts';

const FACTS_PER_BATCH = 256;

/** What became of the statements that a file holds beside its turns. */
export interface GivenFacts {
  readonly added: number;
  readonly known: number;
  readonly rejected: number;
}

interface GivenFactsOptions {
  readonly onRejected: (rejection: { where: string; reason: string }) => void;
}

/** Adds them once the turns that they rest on are stored. */
export async function addGivenFacts(
  { client, config: { scope }, signal }: ClientCommand,
  records: AsyncIterable<FactRecord | RejectedRecord>,
  { onRejected }: GivenFactsOptions,
): Promise<GivenFacts> {
  const counts = { added: 0, known: 0, rejected: 0 };
  let batch: FactRecord[] = [];
  const add = async () => {
    if (batch.length === 0) return;
    const facts = batch.map(({ fact }) => fact);
    const { outcomes } = await client.addFacts({ scope, facts }, { signal });
    for (const [position, outcome] of outcomes.entries()) {
      counts[outcome.status]++;
      if (outcome.status === 'rejected')
        onRejected({ where: batch[position]!.where, reason: `its statement: ${outcome.reason}` });
    }
    batch = [];
  };
  for await (const record of records) {
    if (record.kind === 'fact') {
      if (batch.push(record) === FACTS_PER_BATCH) await add();
    } else {
      counts.rejected++;
      onRejected({ where: record.where, reason: record.reason });
    }
  }
  await add();
  return counts;
}
