import { expect, it, vi } from 'vitest';

it('callers at the same time get one tagger', async () => {
  vi.resetModules(); // as in a process that has tagged nothing
  const { sharedTagger } = await import('../../../../src/ingest/extract/local/tagger.ts');
  const [one, other] = await Promise.all([sharedTagger(1), sharedTagger(1)]);
  expect(one).toBe(other);
});
