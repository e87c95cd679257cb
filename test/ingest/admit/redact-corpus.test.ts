import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLocomoDataset } from '../../../eval/datasets/locomo.ts';
import { readLongMemEvalDataset } from '../../../eval/datasets/longmemeval.ts';
import { redactSecrets } from '../../../src/ingest/admit/redact-secrets.ts';

const DATA = join(import.meta.dirname, '../../../../shared/data');
const LOCOMO = join(DATA, 'locomo/locomo5-dev.json');
const LONG_MEM_EVAL = join(DATA, 'longmemeval/longmemeval_s-3-dev.json');
const WHY = '(skipped without the data, which is not part of the repository)';

describe.each([
  { name: 'LoCoMo', file: LOCOMO, read: readLocomoDataset, fewest: 2_500 },
  { name: 'LongMemEval', file: LONG_MEM_EVAL, read: readLongMemEvalDataset, fewest: 1_000 },
])(`redactSecrets on $name ${WHY}`, ({ file, read, fewest }) => {
  it.skipIf(!existsSync(file))('does not change any turn', async () => {
    const { cases } = await read(file);
    const texts = cases.flatMap(({ turns }) =>
      turns.flatMap(({ content, attachments = [] }) => [
        content,
        ...attachments.map((each) => each.description),
      ]),
    );
    expect(texts.length).toBeGreaterThan(fewest);
    expect(texts.map(redactSecrets).filter(({ found }) => found.length > 0)).toEqual([]);
  });
});
