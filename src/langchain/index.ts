/** What `import … from 'mnemis/langchain'` gives. */

export { MessagesRefusedError } from './chat-history/messages-refused-error.ts';
export {
  type HistoryMemory,
  MnemisChatMessageHistory,
  type MnemisChatMessageHistoryOptions,
} from './chat-history/mnemis-chat-message-history.ts';
export { type EmbedderFromOptions, embedderFrom } from './embedder-from.ts';
export { EmbeddingsFailedError } from './embeddings-failed-error.ts';
export {
  MEMORY_TOOLS,
  type MemoryToolName,
  type MemoryToolsOptions,
  memoryTools,
  type ToolArtifact,
} from './memory-tools.ts';
export { ForeignRunError } from './middleware/foreign-run-error.ts';
export { memoryMiddleware } from './middleware/memory-middleware.ts';
export type { MemoryMiddlewareOptions } from './middleware/middleware-options.ts';
export { MissingUserError } from './middleware/missing-user-error.ts';
export { MnemisEmbeddings, type MnemisEmbeddingsOptions } from './mnemis-embeddings.ts';
export { MnemisReranker, type MnemisRerankerOptions } from './mnemis-reranker.ts';
export {
  type EvidenceMetadata,
  MnemisRetriever,
  type MnemisRetrieverOptions,
} from './mnemis-retriever.ts';
