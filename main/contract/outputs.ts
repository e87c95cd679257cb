import { z } from 'zod';
import type { AnswerEvent, GivenAnswer } from '../../src/answer/given-answer.ts';
import type { PromptBlock } from '../../src/answer/prompt-block.ts';
import type { ChangeEvent } from '../../src/browse/feed/change-event.ts';
import type { EntityHistory } from '../../src/browse/history/entity-history.ts';
import type { FactHistory } from '../../src/browse/history/fact-history.ts';
import type { UncertainPair } from '../../src/edit/correct/find-rows.ts';
import type { ForgetEvent, ForgetPreview } from '../../src/edit/forget/forget-event.ts';
import type { CorrectionRecord } from '../../src/engine/corrections.ts';
import type { CategoryTree } from '../../src/engine/hierarchy/browse-hierarchy.ts';
import type { HierarchyEvent, HierarchyReport } from '../../src/engine/hierarchy/hierarchy-updates.ts';
import type { HierarchyStatus } from '../../src/engine/hierarchy/scope-hierarchy.ts';
import type { ImportEvent } from '../../src/engine/import-turns.ts';
import type { EnrichmentReport, ResumeEvent } from '../../src/engine/ingestion/enrichment-report.ts';
import type { MaintenanceReport } from '../../src/engine/maintain/maintain-scope.ts';
import type { ScopeStats } from '../../src/engine/scope-stats.ts';
import type { BackupSummary } from '../../src/files/backup/backup.ts';
import type { CheckReport } from '../../src/files/backup/check-report.ts';
import type { CompactEvent } from '../../src/files/backup/compact.ts';
import type { AddResult } from '../../src/ingest/admit/plan-episodes.ts';
import type { AddFactsResult } from '../../src/ingest/write/write-facts.ts';
import type { CorrectionId, EntityId, FactId } from '../../src/model/ids.ts';
import type { EmbeddingFingerprint, Episode } from '../../src/model/nodes.ts';
import type { RouteTrace, SearchResult, WalkStep, WalkTrace } from '../../src/model/retrieved-item.ts';
import { reply } from './method.ts';

/** The engine that answers, and the memory file that it has open. */
export interface Health {
  /** Version of the package. */
  readonly version: string;
  /** Version of this contract. */
  readonly protocol: number;
  readonly pid: number;
  /** Absolute path of the memory's file, or `:memory:`. */
  readonly path: string;
  /** When the engine was opened, in milliseconds since 1970. */
  readonly started: number;
  readonly backend: string;
  readonly schemaVersion: number;
  /** The embedder of the stored vectors; null if there are none. */
  readonly embedder: EmbeddingFingerprint | null;
  /** The settings for reading turns for facts. */
  readonly ingestion: { readonly profile: string; readonly tier: 'local' | 'llm' };
  /** Minutes without a request after which the engine stops; null if it has no idle timeout. */
  readonly idleMinutes: number | null;
  /** Whether it also stops a few seconds after the last program that uses it has left. */
  readonly isAttended?: boolean;
}

/** Part of the category hierarchy, and how many entities of the scope have no category. */
export interface TreeReply {
  readonly nodes: readonly CategoryTree[];
  /** Number of nodes of the first level beyond `limit`. */
  readonly more: number;
  /** Summaries by category id, if requested. */
  readonly summaries: Readonly<Record<string, string>>;
  readonly entities: number;
  /** Entities without a category. */
  readonly waiting: number;
}

/**
 * The lines of an export (docs/export-format.md) in pieces of `text`, then the number of their rows and relationships.
 */
export type ExportEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'done'; readonly nodes: number; readonly relationships: number };

/** Progress of writing summaries. */
export type RefreshEvent = { readonly type: 'done'; readonly refreshed: number };

/** A correction that was made. `corrections` describes it in words; `correct` with kind `undo` undoes it. */
export interface Corrected {
  readonly correction: CorrectionId;
  /** The fact that an edit created. */
  readonly fact?: FactId;
  /** The entity that a merge kept or a split created. */
  readonly entity?: EntityId;
}

const number = z.number();
const outcomes = z.array(z.object({ status: z.string() }));
const event = z.object({ type: z.string() });
const found = z.object({
  episodes: z.array(z.object({ id: z.string() })),
  entities: z.array(z.object({ id: z.string() })),
  facts: z.array(z.object({ id: z.string() })),
});
const answer = z.object({ answered: z.boolean(), text: z.string(), citations: z.array(z.object({})) });
const page = z.object({ items: z.array(z.object({ id: z.string() })), total: number });

export const outputs = {
  health: reply<Health>(
    z.object({ version: z.string(), protocol: number, pid: number, path: z.string(), started: number }),
  ),
  scopes: z.array(z.string()).readonly(),
  stats: reply<ScopeStats>(
    z.object({ episode: number, entity: number, fact: number, enrichment: z.object({ pending: number }) }),
  ),
  add: reply<AddResult>(
    z.object({ outcomes, added: number, notStored: z.array(z.unknown()), pending: number }),
  ),
  addFacts: reply<AddFactsResult>(z.object({ outcomes })),
  flush: reply<EnrichmentReport>(z.object({ counts: z.object({}), pending: number })),
  search: reply<SearchResult>(found),
  context: reply<PromptBlock>(
    z.object({ text: z.string(), tokens: number, sources: z.array(z.object({ number })), search: found }),
  ),
  tree: reply<TreeReply>(
    z.object({ nodes: z.array(z.object({ id: z.string(), name: z.string() })), entities: number }),
  ),
  hierarchy: reply<HierarchyStatus>(
    z.object({
      built: z.object({ categorizer: z.string() }).nullable(),
      entities: number,
      layers: z.array(number),
      waiting: number,
      stale: number,
      drift: z.object({ rebuildPays: z.boolean() }),
    }),
  ),
  entity: reply<EntityHistory>(z.object({ entity: z.string(), profiles: page, facts: page })),
  episodes: reply<readonly Episode[]>(z.array(z.object({ id: z.string(), content: z.string() }))),
  fact: reply<FactHistory>(z.object({ fact: z.string(), versions: page })),
  maintain: reply<MaintenanceReport>(
    z.object({
      finishedForgetting: number,
      unfinishedForgetting: z.object({ count: number, reason: z.string() }).nullable(),
      retention: z.object({ turns: number, before: number }).nullable(),
    }),
  ),
  previewForget: reply<ForgetPreview>(
    z.object({
      counts: z.object({}),
      episodes: z.array(z.string()),
      facts: z.array(z.string()),
      entities: z.array(z.string()),
      alsoSaid: z.object({ total: number, turns: z.array(z.object({ id: z.string(), text: z.string() })) }),
    }),
  ),
  corrections: reply<readonly CorrectionRecord[]>(z.array(z.object({ id: z.string() }))),
  uncertain: reply<readonly UncertainPair[]>(
    z.array(z.object({ entities: z.array(z.object({ id: z.string(), name: z.string() })) })),
  ),
  verify: reply<CheckReport>(
    z.object({ sound: z.boolean(), findings: z.array(z.object({})), scopes: z.array(z.object({})) }),
  ),
  backup: reply<BackupSummary>(
    z.object({ folder: z.string(), files: number, bytes: number, scopes: number }),
  ),
  correct: reply<Corrected>(z.object({ correction: z.string() })),
  shutdown: z.object({ pid: number }).readonly(),
} as const;

export const events = {
  ask: reply<AnswerEvent>(
    z.union([
      z.object({ type: z.literal('found'), result: found }),
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.literal('answer'), answer }),
    ]),
  ),
  import: reply<ImportEvent>(event),
  resume: reply<ResumeEvent>(event),
  organize: reply<HierarchyEvent>(event.extend({ counts: z.object({ placed: number }) })),
  refreshSummaries: reply<RefreshEvent>(event.extend({ refreshed: number })),
  forget: reply<ForgetEvent>(event),
  compact: reply<CompactEvent>(event),
  export: reply<ExportEvent>(
    z.union([
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.literal('done'), nodes: number, relationships: number }),
    ]),
  ),
  changes: reply<ChangeEvent>(event.extend({ at: number })),
} as const;

export type {
  AddFactsResult,
  AddResult,
  AnswerEvent,
  BackupSummary,
  CategoryTree,
  ChangeEvent,
  CheckReport,
  CompactEvent,
  CorrectionRecord,
  EnrichmentReport,
  EntityHistory,
  FactHistory,
  ForgetEvent,
  ForgetPreview,
  GivenAnswer,
  HierarchyEvent,
  HierarchyReport,
  HierarchyStatus,
  ImportEvent,
  MaintenanceReport,
  ResumeEvent,
  RouteTrace,
  ScopeStats,
  SearchResult,
  UncertainPair,
  WalkStep,
  WalkTrace,
};
