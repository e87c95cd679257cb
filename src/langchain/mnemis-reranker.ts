import type { Callbacks } from '@langchain/core/callbacks/manager';
import { Document, type DocumentInterface } from '@langchain/core/documents';
import { BaseDocumentCompressor } from '@langchain/core/retrievers/document_compressors';
import { ensureConfig, type RunnableConfig } from '@langchain/core/runnables';
import { z } from 'zod';
import { InvalidInputError } from '../errors/index.ts';
import type { Reranker, RerankOptions } from '../inference/reranker.ts';
import { describeIssues } from '../util/describe-issues.ts';

/** What reads the documents, and how many are kept. */
export interface MnemisRerankerOptions {
  /** Such as one of `openReranker`; stays the caller's, it is not closed. */
  readonly reranker: Reranker;
  /** Documents that are kept, from 1. Default: all, in their new order. */
  readonly topN?: number;
}

const optionsSchema = z.strictObject({
  reranker: z.custom(
    (value) => typeof Object(value).rerank === 'function',
    'is no reranker; openReranker makes one',
  ),
  topN: z.number().int().min(1).optional(),
});

/**
 * A reranker of ours as LangChain's document compressor: puts any documents in the order of how well each answers the
 * question, and says it in their metadata as `relevanceScore`, from 0 to 1. Documents are copied, not changed; of equally
 * good ones the order stays.
 *
 * @throws InvalidInputError for options that are none.
 */
export class MnemisReranker extends BaseDocumentCompressor {
  readonly #reranker: Reranker;
  readonly #topN: number;

  constructor(options: MnemisRerankerOptions) {
    super();
    const parsed = optionsSchema.safeParse(options);
    if (!parsed.success)
      throw new InvalidInputError(
        `The document compressor cannot use these options: ${describeIssues(parsed.error, Object.keys(optionsSchema.shape))}`,
      );
    this.#reranker = options.reranker;
    this.#topN = options.topN ?? Number.POSITIVE_INFINITY;
  }

  /**
   * LangChain hands compressors no signal: called within a runnable, that runnable's counts where none is given.
   *
   * @throws CancelledError when the signal fires.
   */
  override async compressDocuments(
    documents: readonly DocumentInterface[],
    question: string,
    _callbacks?: Callbacks,
    { signal = ensureConfig<RunnableConfig>().signal }: RerankOptions = {},
  ): Promise<Document[]> {
    const texts = documents.map(({ pageContent }) => pageContent);
    const scores = await this.#reranker.rerank(question, texts, { signal });
    return documents
      .map((document, at) => ({ document, score: scores[at]! }))
      .toSorted((a, b) => b.score - a.score)
      .slice(0, this.#topN)
      .map(({ document, score }) => scored(document, score));
  }
}

function scored({ id, pageContent, metadata }: DocumentInterface, relevanceScore: number): Document {
  const named = id === undefined ? {} : { id };
  return new Document({ ...named, pageContent, metadata: { ...metadata, relevanceScore } });
}
