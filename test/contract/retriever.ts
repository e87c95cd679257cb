import { awaitAllCallbacks } from '@langchain/core/callbacks/promises';
import type { DocumentInterface } from '@langchain/core/documents';
import type { BaseRetriever } from '@langchain/core/retrievers';
import { RunnableLambda } from '@langchain/core/runnables';
import { FakeTracer } from '@langchain/core/utils/testing';
import { beforeAll, describe, expect, it } from 'vitest';

const TEXTS = [
  'I adopted a grey cat called Miso.',
  'The kiln in Lisbon is hot.',
  'My sister plays the cello in Ghent.',
];

/** Retrievers over the same texts; a retriever gives at most two documents. */
export interface RetrieverSetup {
  readonly over: (texts: readonly string[]) => Promise<BaseRetriever>;
  /** One whose answer to a question with `wait` in it takes until the call's signal fires, or until `letGo`. */
  readonly waiting: () => Promise<{
    readonly retriever: BaseRetriever;
    untilWaiting(count: number): Promise<void>;
    letGo(): void;
  }>;
  /** A question that cannot be answered. */
  readonly refused: string;
  /** Why a case is left out. */
  readonly skips?: Readonly<Partial<Record<RetrieverCase, string>>>;
}
export type RetrieverCase = 'own documents' | 'ids' | 'signal' | 'refusal';

/** What every LangChain retriever over texts does. */
export function retrieverContract(
  name: string,
  { over, waiting, refused, skips = {} }: RetrieverSetup,
): void {
  const unlessSkipped = (key: RetrieverCase) => (skips[key] === undefined ? it : it.skip);
  const titled = (title: string, key: RetrieverCase) =>
    skips[key] === undefined ? title : `${title} (left out: ${skips[key]})`;

  describe(`${name}: the retriever contract`, () => {
    let retriever: BaseRetriever;
    beforeAll(async () => {
      retriever = await over(TEXTS);
    });
    const texts = (documents: readonly DocumentInterface[]) =>
      documents.map(({ pageContent }) => pageContent);

    it('finds the best document first, and as many as it may', async () => {
      for (const text of TEXTS) {
        const found = await retriever.invoke(text);
        expect(found[0]?.pageContent).toContain(text);
        expect(found.length).toBeLessThanOrEqual(2);
      }
    });

    it('gives metadata that is plain JSON', async () => {
      for (const { metadata } of await retriever.invoke('cello in Ghent'))
        expect(JSON.parse(JSON.stringify(metadata))).toEqual(metadata);
    });

    unlessSkipped('ids')(titled('gives each document an id, the same each time', 'ids'), async () => {
      const ids = (await retriever.invoke('cello in Ghent')).map(({ id }) => id);
      expect(ids.every((id) => typeof id === 'string' && id !== '')).toBe(true);
      expect(new Set(ids).size).toBe(ids.length);
      expect((await retriever.invoke('cello in Ghent')).map(({ id }) => id)).toEqual(ids);
    });

    unlessSkipped('own documents')(
      titled('gives documents that callers may change', 'own documents'),
      async () => {
        const [first] = await retriever.invoke('grey cat');
        const before = structuredClone({ ...first!.metadata });
        for (const value of Object.values(first!.metadata)) if (Array.isArray(value)) value.length = 0;
        first!.metadata.changed = true;
        expect((await retriever.invoke('grey cat'))[0]?.metadata).toEqual(before);
      },
    );

    it('answers a batch in its order, and a stream in one piece', async () => {
      const batch = await retriever.batch(['grey cat', 'hot kiln']);
      expect(batch.map((documents) => documents[0]?.pageContent)).toEqual([
        expect.stringContaining('Miso'),
        expect.stringContaining('kiln'),
      ]);
      const pieces = [];
      for await (const piece of await retriever.stream('grey cat')) pieces.push(texts(piece));
      expect(pieces).toEqual([texts(batch[0]!)]);
    });

    it('is a step of a chain, and a run of its own in the trace', async () => {
      const tracer = new FakeTracer();
      const chain = retriever.pipe(RunnableLambda.from((documents: DocumentInterface[]) => texts(documents)));
      const found = await chain.invoke('grey cat', { callbacks: [tracer] });
      await awaitAllCallbacks();
      const step = tracer.runs[0]?.child_runs.find(({ run_type }) => run_type === 'retriever');
      expect(step).toMatchObject({ inputs: { query: 'grey cat' } });
      expect(texts(step?.outputs?.documents)).toEqual(found);
    });

    unlessSkipped('refusal')(titled('tells of what went wrong, too', 'refusal'), async () => {
      const tracer = new FakeTracer();
      await expect(retriever.invoke(refused, { callbacks: [tracer] })).rejects.toThrow();
      await awaitAllCallbacks();
      expect(tracer.runs).toMatchObject([{ run_type: 'retriever', error: expect.any(String) }]);
    });

    unlessSkipped('signal')(titled('does not begin what is cancelled', 'signal'), async () => {
      await expect(retriever.invoke('grey cat', { signal: AbortSignal.abort() })).rejects.toThrow();
    });

    unlessSkipped('signal')(titled('ends calls by the signal of each', 'signal'), async () => {
      const { retriever: slow, untilWaiting, letGo } = await waiting();
      const first = new AbortController();
      const second = new AbortController();
      const calls = [first, second].map(({ signal }) => slow.invoke('wait for the cat', { signal }));
      const outcomes = Promise.allSettled(calls);
      await untilWaiting(2);
      first.abort();
      await expect(calls[0]).rejects.toThrow();
      await untilWaiting(1);
      letGo();
      expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    });
  });
}
