export { assistantGraph } from '../../graphs/assistant/graph.ts';
export { retrievalGraph } from '../../graphs/retrieval/graph.ts';
export { checkpointHolder, threadsHolding } from './checkpoints/checkpoint-holder.ts';
export {
  type PruneOptions,
  SqliteCheckpointer,
  type SqliteCheckpointerOptions,
} from './checkpoints/sqlite-checkpointer.ts';
export { SqliteFile } from './checkpoints/sqlite-file.ts';
export { MnemisStore, type MnemisStoreOptions } from './store/mnemis-store.ts';
