import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { EntityId } from '../../model/ids.ts';
import { ENTITY_KINDS, type EntityKind } from '../extract/extractor.ts';
import { mayNameTheSame, readName } from './name-form.ts';
import type { NamedEntity, Verdict } from './resolve-entities-prompt.ts';

/** What new turns or memory say of an entity, beyond its names and description. */
export interface EntityEvidence {
  /** Statements that name it; a bounded sample. */
  readonly statements: readonly string[];
  /** Name keys of other proper names in the turns that mention it, without speakers; a bounded sample. */
  readonly mentionedWith: ReadonlySet<string>;
  /** Name keys of the speakers of turns that mention it, without the assistant, who knows people by hearsay only. */
  readonly mentionedBy: ReadonlySet<string>;
}

/** An entity of memory with a similar name, or one that an earlier segment of the batch adds. */
export interface RememberedEntity extends NamedEntity, EntityEvidence {
  readonly id: EntityId;
  /** Number of sessions that mention it. */
  readonly sessions: number;
  /** Whether the session of the new entity has mentioned it before. */
  readonly inSession: boolean;
  /** Cosine of the name vectors; null if they were not compared. */
  readonly nameCosine: number | null;
}

export interface EntityToResolve extends NamedEntity, EntityEvidence {
  /** Best first; each once. */
  readonly candidates: readonly RememberedEntity[];
}

export interface CandidateJudgement {
  readonly id: EntityId;
  readonly verdict: Verdict;
  /** From 0 to 1; 0 if the judge gave none. */
  readonly confidence: number;
  /** What both share, or where they conflict. */
  readonly reason: string;
}

export interface Resolution {
  /** The matching candidate; null for a new entity. */
  readonly match: EntityId | null;
  /**
   * In the order of the candidates. An uncertain candidate is not merged; it is recorded if its confidence is above
   * 0.
   */
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

/** The kind that a profile's tags contain; undefined if there is none. */
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
 * Whether no entity can be of both kinds. "Thing" excludes nothing: extractors use it for unknown kinds. A museum is
 * a place and an organisation.
 */
export function areKindsApart(a: string | undefined, b: string | undefined): boolean {
  if (a === b || isOpen(a) || isOpen(b)) return false;
  return !(isSite(a) && isSite(b));
}

/**
 * Whether an entity may be one of memory: not of another kind, and not alike in the owner alone ("Owen's family" and
 * "Owen", or "Owen's family" and "Ann's family").
 */
export function mayBeSame(
  entity: Pick<NamedEntity, 'name' | 'aliases' | 'kind'>,
  candidate: Pick<NamedEntity, 'name' | 'aliases' | 'kind'>,
): boolean {
  if (areKindsApart(entity.kind, candidate.kind)) return false;
  const [names, others] = [entity, candidate].map(({ name, aliases }) => [name, ...aliases].map(readName));
  return names!.some((a) => others!.some((b) => mayNameTheSame(a, b)));
}

function isOpen(kind: string | undefined): boolean {
  return kind === undefined || kind === '' || kind === 'thing';
}

function isSite(kind: string | undefined): boolean {
  return kind === 'place' || kind === 'organisation';
}
