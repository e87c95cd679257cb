/** Public exports of `mnemis/langchain`. */

export { MissingUserError } from '../agent-memory/agent-memory.ts';
export type { MemoryMiddlewareOptions } from '../agent-memory/agent-memory-options.ts';
export { MEMORY_TOOLS, type MemoryToolName, type MemoryToolsOptions } from '../tools/memory-toolset.ts';
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
export { ForeignRunError, memoryMiddleware } from './memory-middleware.ts';
export { memoryTools, type ToolArtifact } from './memory-tools.ts';
export { MnemisReranker, type MnemisRerankerOptions } from './mnemis-reranker.ts';
export {
  type EvidenceMetadata,
  MnemisRetriever,
  type MnemisRetrieverOptions,
} from './mnemis-retriever.ts';
