/** What makes turns of the buffer one unit of consolidation. */
export type Partition =
  /** Where the topic changes (GAM §3.3, MemORAI §3.1). */
  | { readonly by: 'topic' }
  /** The paper's coarser and finer ones (GAM's partitions, and its ablation without states: every turn). */
  | { readonly by: 'session' }
  | { readonly by: 'turns'; readonly turns: number }
  | { readonly by: 'tokens'; readonly tokens: number };

/**
 * How segments are read: `together` in one call (or by the local stages), or in the separate calls of a paper.
 */
export const READINGS = ['together', 'mnemis', 'memorai', 'gam', 'personalai'] as const;
export type Reading = (typeof READINGS)[number];

/** A way of writing memory, as data: what the methods of the papers differ in (PAPERS §5). */
export interface IngestProfile {
  readonly name: string;
  readonly description: string;
  /** Who does the work: `local` calls no model. */
  readonly tier: 'local' | 'llm';
  readonly partition: Partition;
  readonly reading: Reading;
  /** Whether turns are judged; without the gate all are kept. */
  readonly gate: boolean;
  /** Whether a model checks what was read and looks for what was missed. */
  readonly reflection: boolean;
  /** How names become entities: judged candidates, or equal names alone. */
  readonly resolution: 'judged' | 'exact';
  /** Whether a model writes the profiles of entities; else they are put together from what is known. */
  readonly describes: boolean;
  /** Whether segments are joined to their nearest ones (GAM §3.3). */
  readonly relates: boolean;
  /** Segments of a session that share the calls of resolution, description and relation; null: all. */
  readonly together: number | null;
}
