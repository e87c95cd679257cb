/** Public exports of `mnemis/langchain`. */

export {
  type HistoryMemory,
  MessagesRefusedError,
  MnemisChatMessageHistory,
  type MnemisChatMessageHistoryOptions,
} from './chat-history/mnemis-chat-message-history.ts';
export {
  type EmbedderFromOptions,
  EmbeddingsFailedError,
  embedderFrom,
  MnemisEmbeddings,
  type MnemisEmbeddingsOptions,
} from './embeddings.ts';
export { LocalChatModel, type LocalChatModelOptions } from './local-chat-model.ts';
export {
  MEMORY_TOOLS,
  type MemoryToolName,
  type MemoryToolsOptions,
  memoryTools,
  type ToolArtifact,
} from './memory-tools.ts';
export { ForeignRunError, MissingUserError, memoryMiddleware } from './middleware/memory-middleware.ts';
export type { MemoryMiddlewareOptions } from './middleware/middleware-options.ts';
export { MnemisReranker, type MnemisRerankerOptions } from './mnemis-reranker.ts';
export {
  type EvidenceMetadata,
  MnemisRetriever,
  type MnemisRetrieverOptions,
} from './mnemis-retriever.ts';
