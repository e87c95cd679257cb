/** What `import … from 'mnemis'` gives. */

export type { AnswerEvent, Answerer, AnswerSource, AnswerTrace, GivenAnswer } from './answer/given-answer.ts';
export {
  CONTEXT_FORM,
  type ContextOptions,
  type ContextSource,
  type MemoryContext,
  memoryContext,
} from './answer/memory-context.ts';
export type { PromptBlock } from './answer/prompt-block.ts';
export type { FactLine, FactSource } from './browse/fact-line.ts';
export type { ChangedItem, ChangeEvent } from './browse/feed/change-event.ts';
export type { ChangesOptions } from './browse/feed/change-feed.ts';
export type { ChangesPage } from './browse/feed/change-history.ts';
export type * from './browse/history/entity-history.ts';
export type {
  EvidenceTurn,
  FactHistory,
  FactVersion,
  factHistory,
  factVersions,
  placeOf,
  Supersessions,
  supersessionsOf,
} from './browse/history/fact-history.ts';
export type * from './browse/history/page.ts';
export type { Learned } from './browse/learned.ts';
export type { KnownPerson } from './browse/people.ts';
export {
  type Portrait,
  type PortraitFact,
  type PortraitSection,
  portraitText,
} from './browse/portrait.ts';
export type { SectionKey } from './browse/portrait-sections.ts';
export type { RecentChangesOptions, ScopeKnowledge } from './browse/scope-knowledge.ts';
export type { SessionPage, SessionRequest } from './browse/session-page.ts';
export type * from './edit/forget/forget-event.ts';
export type { AddOptions } from './engine/add-turns.ts';
export type { FlushOptions } from './engine/call-options.ts';
export type {
  CorrectionMade,
  CorrectionRecord,
  Corrections,
  UncertainEntity,
  UncertainPair,
} from './engine/corrections.ts';
export type { CategoryTree, TreeOptions, TreePart } from './engine/hierarchy/browse-hierarchy.ts';
export type {
  HierarchyEvent,
  HierarchyProgress,
  HierarchyReport,
} from './engine/hierarchy/hierarchy-updates.ts';
export type {
  HierarchyStatus,
  RefreshSummariesOptions,
  ScopeHierarchy,
} from './engine/hierarchy/scope-hierarchy.ts';
export type {
  ImportCounts,
  ImportEvent,
  ImportOptions,
  ImportReport,
  TurnSource,
} from './engine/import-turns.ts';
export type {
  EnrichmentCounts,
  EnrichmentProgress,
  EnrichmentReport,
  ResumeEvent,
  ResumeOptions,
} from './engine/ingestion/enrichment-report.ts';
export type { EnrichmentState, SetAsideUnit } from './engine/ingestion/failures.ts';
export type {
  MaintainOptions,
  MaintenanceReport,
  RetentionReport,
} from './engine/maintain/maintain-scope.ts';
export type { Retention } from './engine/maintain/retention.ts';
export type { MemoryScope } from './engine/memory-scope.ts';
export type {
  DeleteReport,
  ListRequest,
  StoredEpisode,
  StoredFact,
  StoredMemory,
  TurnUpdate,
} from './engine/records/stored-memories.ts';
export type { Run } from './engine/run.ts';
export type { ScopeStats } from './engine/scope-stats.ts';
export type { AskOptions, PromptBlockOptions, SearchOptions } from './engine/search-options.ts';
export type { ScopesSearch } from './engine/search-scopes.ts';
export { type MemoryPlace, Mnemis, type OpenOptions, type ReembedOptions } from './engine.ts';
export * from './errors/index.ts';
export type { ExportSummary } from './files/archive/export-scope.ts';
export type { RestoreOptions, RestoreSummary } from './files/archive/import-scope.ts';
export type { BackupSummary } from './files/backup/backup.ts';
export type { CheckReport } from './files/backup/check-report.ts';
export type { CompactEvent, CompactReport } from './files/backup/compact.ts';
export type { RepairOptions, RepairReport } from './files/backup/repair.ts';
export type { ReembedEvent, ReembedResult } from './files/reembed/reembed.ts';
export type {
  Categorization,
  CategorizeRequest,
  Categorizer,
  KnownCategory,
  LayerNode,
  ProposedCategory,
} from './hierarchy/categorizer.ts';
export type { HierarchyDrift } from './hierarchy/maintain/drift.ts';
export { type DetectedFormat, detectFormat } from './importers/detect-format.ts';
export type {
  Conversation,
  FactRecord,
  Importer,
  ImportRecord,
  ImportSettings,
  LeftOut,
  ReadOptions,
} from './importers/importer.ts';
export { type ImportPreview, previewImport } from './importers/preview-import.ts';
export { IMPORTERS, importerNamed } from './importers/registry.ts';
export { HashingEmbedder } from './inference/embedder/hashing-embedder.ts';
export type { Embedder, EmbedOptions } from './inference/embedder.ts';
export type { ModelManifest } from './inference/hub/model-folder.ts';
export type { PullProgress } from './inference/hub/pull-model.ts';
export { TokenBudget } from './inference/language-model/calling/token-budget.ts';
export type { Dropped, DroppedPart, DropReason } from './inference/language-model/reading/drop-log.ts';
export { type ModelUsage, UsageMeter } from './inference/language-model/tokens/usage-meter.ts';
export type {
  LanguageModel,
  ModelCallOptions,
  OfferedTool,
  StructuredReply,
  TextCallOptions,
  TextReply,
  ToolRequest,
  ToolRound,
  ToolUse,
} from './inference/language-model.ts';
export type { LanguageModelSettings } from './inference/models/create-language-model.ts';
export {
  checkLanguageModel,
  createLanguageModel,
  type LanguageModelReport,
  languageModelFrom,
} from './inference/models/create-language-model.ts';
export {
  type FetchModelOptions,
  fetchModel,
  listModels,
  type ModelEntry,
  type ModelVariantEntry,
} from './inference/models/model-catalogue.ts';
export {
  type OpenEmbedderOptions,
  type OpenedEmbedder,
  type OpenedReranker,
  type OpenModelOptions,
  type OpenRerankerOptions,
  openEmbedder,
  openReranker,
} from './inference/models/open-models.ts';
export type { Reranker, RerankOptions } from './inference/reranker.ts';
export type { AddOutcome, AddResult, NotStored } from './ingest/admit/plan-episodes.ts';
export type {
  ExtractedEntity,
  ExtractedFact,
  Extraction,
  Extractor,
  TurnToRead,
} from './ingest/extract/extractor.ts';
export type { SegmentReader } from './ingest/extract/segment-reader.ts';
export type { IngestProfile, Partition, ReaderFactory } from './ingest/profile.ts';
export { INGEST_PROFILES, profileNamed } from './ingest/profile.ts';
export type { AddFactsResult, FactOutcome } from './ingest/write/write-facts.ts';
export type {
  ItemOperation,
  ItemSearchOptions,
  NamespaceOptions,
} from './items/item-operations.ts';
export type { ScopeItems } from './items/scope-items.ts';
export type { CallOptions } from './model/call-options.ts';
export type {
  CorrectionListing,
  CorrectionOptions,
  FactEdit,
  ProfileEdit,
  SplitOff,
} from './model/correction-input.ts';
export type { FactInput } from './model/fact-input.ts';
export type { ForgetTarget } from './model/forget-target.ts';
export type { NodeCounts } from './model/graph-changes.ts';
export type * from './model/ids.ts';
export type { Logger } from './model/logger.ts';
export type * from './model/nodes.ts';
export type { TimeInterval } from './model/nodes.ts';
export type { PortraitRequest } from './model/portrait-request.ts';
export type { Objection, Prompt, TextPrompt } from './model/prompt.ts';
export type * from './model/relationships.ts';
export type * from './model/retrieved-item.ts';
export type { TimeInput } from './model/time-input.ts';
export type {
  AddInput,
  ChatMessage,
  MessageLike,
  ResponseItem,
  TurnDefaults,
  TurnInput,
} from './model/turn-input.ts';
export type { TurnMetadata } from './model/turn-metadata.ts';
export type { Recipe } from './retrieve/recipes/recipe.ts';
export { DEFAULT_RECIPE, RECIPE_ALIASES, RECIPES, recipeNamed } from './retrieve/recipes/recipes.ts';
export { READINGS } from './retrieve/similarity/defaults.ts';
export { analyze } from './search/analyzer.ts';
export type { FieldFilter } from './search/field-filter.ts';
export type * from './search/look-back.ts';
export type { FoundItem, ItemFields, StoredItem } from './store/item-json.ts';
export { type PostgresLocation, type PostgresOptions, postgres } from './store/postgres-options.ts';
