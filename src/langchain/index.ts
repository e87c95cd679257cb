/** What `import … from 'mnemis/langchain'` gives. */

export { type EmbedderFromOptions, embedderFrom } from './embedder-from.ts';
export { EmbeddingsFailedError } from './embeddings-failed-error.ts';
export { MnemisEmbeddings, type MnemisEmbeddingsOptions } from './mnemis-embeddings.ts';
export { MnemisReranker, type MnemisRerankerOptions } from './mnemis-reranker.ts';
export {
  type EvidenceMetadata,
  MnemisRetriever,
  type MnemisRetrieverOptions,
} from './mnemis-retriever.ts';
export type { ToolArtifact } from './tools/guarded.ts';
export {
  MEMORY_TOOLS,
  type MemoryToolName,
  type MemoryToolsOptions,
  memoryTools,
} from './tools/memory-tools.ts';
