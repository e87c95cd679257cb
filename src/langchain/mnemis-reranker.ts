import type { Callbacks } from '@langchain/core/callbacks/manager';
import { Document, type DocumentInterface } from '@langchain/core/documents';
import { BaseDocumentCompressor } from '@langchain/core/retrievers/document_compressors';
import { ensureConfig, type RunnableConfig } from '@langchain/core/runnables';
import { z } from 'zod';
import { InvalidInputError } from '../errors/index.ts';
import type { Reranker, RerankOptions } from '../inference/reranker.ts';
import { describeIssues } from '../util/describe-issues.ts';

/** The reranker, and the number of documents to keep. */
export interface MnemisRerankerOptions {
  /** For example from `openReranker`; owned by the caller, which closes it. */
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
 * A Mnemis reranker as LangChain's document compressor: orders documents by relevance to the question and sets
 * `relevanceScore`, from 0 to 1, in their metadata. Documents are copied, not changed; ties keep their order.
 *
 * @throws InvalidInputError for invalid options.
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
   * LangChain passes no signal to compressors, and its ContextualCompressionRetriever drops that of its call. The
   * default is the signal of the runnable around the call, such as a RunnableLambda that invokes the retriever.
   *
   * @throws CancelledError when the signal is aborted.
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
