import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { EntityId } from '../../model/ids.ts';
import { ENTITY_KINDS, type EntityKind } from '../extract/extractor.ts';
import type { NamedEntity, Verdict } from './resolve-entities-prompt.ts';

/** What is known of an entity, in new turns or in memory, beyond its names and description. */
export interface EntityEvidence {
  /** Statements that name it; a bounded sample. */
  readonly statements: readonly string[];
  /** Name keys of what else bears a name in the turns that mention it, speakers left out; a bounded sample. */
  readonly company: ReadonlySet<string>;
  /** Name keys of those in whose talk it comes up; the assistant, who knows people by hearsay only, left out. */
  readonly tellers: ReadonlySet<string>;
}

/** An entity that memory has under such a name, or one that an earlier segment of the batch brings. */
export interface RememberedEntity extends NamedEntity, EntityEvidence {
  readonly id: EntityId;
  /** In how many sessions it comes up. */
  readonly sessions: number;
  /** Whether the session of the new entity has mentioned it before. */
  readonly inSession: boolean;
  /** Of the two names' vectors; null where they were not compared. */
  readonly nameCosine: number | null;
}

export interface EntityToResolve extends NamedEntity, EntityEvidence {
  /** The best first; each once. */
  readonly candidates: readonly RememberedEntity[];
}

export interface CandidateJudgement {
  readonly id: EntityId;
  readonly verdict: Verdict;
  /** From 0 to 1; 0 where nothing was said. */
  readonly confidence: number;
  /** What both share, or where they conflict. */
  readonly reason: string;
}

export interface Resolution {
  /** The candidate that this is; null for a new one. */
  readonly match: EntityId | null;
  /** In the order of the candidates. An uncertain one is not merged, and is recorded where its confidence is above 0. */
  readonly judgements: readonly CandidateJudgement[];
}

/** Decides which entities of new turns memory knows already (Mnemis §2.1). In doubt, nothing is merged. */
export interface ResolutionJudge {
  /**
   * @returns One per entity, in order.
   * @throws CancelledError when the signal fires, and what `LanguageModel.structured` throws; nothing is merged then.
   */
  judge(entities: readonly EntityToResolve[], options?: ModelCallOptions): Promise<readonly Resolution[]>;
}

/** The kind that a profile's tags name; undefined where none does. */
export function kindOfTags(tags: readonly string[]): EntityKind | undefined {
  return ENTITY_KINDS.find((kind) => tags.includes(kind));
}

export function isPersonal({ kind }: Pick<NamedEntity, 'kind'>): boolean {
  return kind === 'person';
}

export function mayBePersonal({ kind }: Pick<NamedEntity, 'kind'>): boolean {
  return kind === undefined || kind === '' || kind === 'person';
}

/**
 * Whether one thing cannot be of both kinds. "Thing" says nothing: extractors give it where they do not know. A museum
 * is a place and an organisation.
 */
export function areKindsApart(a: string | undefined, b: string | undefined): boolean {
  if (a === b || isOpen(a) || isOpen(b)) return false;
  return !(isSite(a) && isSite(b));
}

function isOpen(kind: string | undefined): boolean {
  return kind === undefined || kind === '' || kind === 'thing';
}

function isSite(kind: string | undefined): boolean {
  return kind === 'place' || kind === 'organisation';
}
