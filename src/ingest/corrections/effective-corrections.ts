import type { EntityId, EpisodeId, FactId } from '../../model/ids.ts';
import type { Correction, Profile } from '../../model/nodes.ts';
import type { CorrectionIndex } from '../../search/correction-index.ts';
import { statementKey } from '../../search/fact-index.ts';
import { entityNameKey } from '../../util/tidy.ts';
import { ENTITY_KINDS } from '../extract/extractor.ts';
import {
  type DetailOfKind,
  type EntityAnchor,
  type FactAnchor,
  type ProfilePatch,
  readDetail,
} from './correction-detail.ts';

/** A fact that somebody edited or rejected. A turn that states it again becomes evidence of `fact` instead. */
export interface CorrectedFact {
  readonly said: FactAnchor;
  readonly fact: FactId;
  /** Rejected: the row has expired and stays so. */
  readonly isRejected: boolean;
}

/** A name that a correction assigned to an entity. */
export interface CorrectedName {
  readonly entity: EntityId;
  /** `merged`: always; `former`: unless another entity has the name; `split`: in these turns. */
  readonly because: 'merged' | 'former' | 'split';
  readonly episodes: ReadonlySet<string>;
}

interface Apart {
  readonly anchors: readonly [EntityAnchor, EntityAnchor];
  /** Names of each entity that the other does not have. */
  readonly names: readonly [ReadonlySet<string>, ReadonlySet<string>];
}

export interface NamedCandidate {
  readonly id: EntityId;
  readonly names: Iterable<string>;
}

type Named = Pick<Profile, 'name' | 'aliases' | 'summary' | 'tags'>;

const built = new WeakMap<CorrectionIndex, { revision: number; effective: EffectiveCorrections }>();

/**
 * The effect of corrections on later reading. Undone corrections have none; of two about the same target the later
 * one applies. Depends on the corrections alone, so that it is built once per revision of them.
 */
export class EffectiveCorrections {
  readonly #mergedInto = new Map<EntityId, EntityId>();
  readonly #facts = new Map<string, { said: FactAnchor; fact: FactId }[]>();
  readonly #editedTo = new Map<FactId, FactId>();
  readonly #rejected = new Set<FactId>();
  readonly #pinned = new Set<FactId>();
  readonly #profiles = new Map<EntityId, ProfilePatch>();
  readonly #removedNames = new Map<EntityId, Set<string>>();
  readonly #names = new Map<string, CorrectedName[]>();
  readonly #apart: Apart[] = [];
  readonly #anchors: EntityAnchor[] = [];

  constructor(corrections: Iterable<Correction>) {
    for (const correction of corrections) if (correction.undoneAt === null) this.#take(correction);
  }

  static of(corrections: CorrectionIndex): EffectiveCorrections {
    const { revision } = corrections;
    const known = built.get(corrections);
    if (known?.revision === revision) return known.effective;
    const effective = new EffectiveCorrections(corrections.all);
    built.set(corrections, { revision, effective });
    return effective;
  }

  /** The entity that it was merged into, or itself. */
  canonical(entity: EntityId): EntityId {
    const into = this.#mergedInto.get(entity);
    return into === undefined ? entity : this.canonical(into);
  }

  /** The newest edited version of a fact, or itself. */
  newest(fact: FactId): FactId {
    const next = this.#editedTo.get(fact);
    return next === undefined ? fact : this.newest(next);
  }

  isRejected(fact: FactId): boolean {
    return this.#rejected.has(fact);
  }

  isPinned(fact: string): boolean {
    return this.#pinned.has(fact as FactId);
  }

  /** Facts that had this statement before they were edited or rejected, regardless of their entities. */
  correctedFacts(statement: string): readonly CorrectedFact[] {
    const found = this.#facts.get(statementKey(statement)) ?? [];
    return found.map(({ said, fact }) => {
      const newest = this.newest(fact);
      return { said, fact: newest, isRejected: this.#rejected.has(newest) };
    });
  }

  /** Later corrections first. @param key See `entityNameKey`. */
  correctedNames(key: string): readonly CorrectedName[] {
    return (this.#names.get(key) ?? []).map((each) => ({ ...each, entity: this.canonical(each.entity) }));
  }

  /** The entity that a correction recorded under the name in one of the turns. */
  anchored(key: string, episodes: readonly EpisodeId[]): EntityId | undefined {
    const turns = new Set(episodes);
    const found = this.#anchors.findLast(
      ({ names, episodes: known }) =>
        names.some((name) => entityNameKey(name) === key) && known.some((turn) => turns.has(turn)),
    );
    return found && this.canonical(found.id);
  }

  /** A profile version with the user's edits applied. */
  withUserEdits<Row extends Named>(entity: string, row: Row): Row {
    const set = this.#profiles.get(entity as EntityId);
    if (set === undefined) return row;
    const name = set.name ?? row.name;
    const aliases = new Map(
      [...(set.aliases ?? []), ...row.aliases].map((each) => [entityNameKey(each), each]),
    );
    aliases.delete(entityNameKey(name));
    for (const key of this.removedNames(entity)) aliases.delete(key);
    const tags = set.tags === undefined ? row.tags : withKind(set.tags, row.tags);
    return { ...row, name, aliases: [...aliases.values()], summary: set.summary ?? row.summary, tags };
  }

  /** The name that the user set. */
  nameOf(entity: string): string | undefined {
    return this.#profiles.get(entity as EntityId)?.name;
  }

  /** Keys of names that the user removed from an entity. */
  removedNames(entity: string): ReadonlySet<string> {
    return this.#removedNames.get(entity as EntityId) ?? NONE;
  }

  /** Whether a correction separates the bearer of these names from that entity. */
  areApart(names: Iterable<string>, other: NamedCandidate): boolean {
    if (this.#apart.length === 0) return false;
    const [own, others] = [new Set(names), new Set(other.names)];
    return this.#apart.some(({ anchors, names: [first, second] }) =>
      (
        [
          [first, second, anchors[1]],
          [second, first, anchors[0]],
        ] as const
      ).some(
        ([mine, theirs, { id }]) =>
          hasAny(own, mine) && (other.id === id || (!hasAny(others, mine) && hasAny(others, theirs))),
      ),
    );
  }

  /** Whether a correction keeps two entities separate. */
  isKeptApart(a: string, b: string): boolean {
    return this.#apart.some(({ anchors: [one, other] }) => {
      const ids = [this.canonical(one.id), this.canonical(other.id)] as string[];
      return a !== b && ids.includes(a) && ids.includes(b);
    });
  }

  #take(correction: Correction): void {
    const detail = readDetail(correction);
    switch (detail?.kind) {
      case 'edit-fact':
        this.#rule(detail.fact, detail.made);
        this.#editedTo.set(detail.fact.id, detail.made);
        if (this.#pinned.has(detail.fact.id)) this.#pinned.add(detail.made);
        break;
      case 'reject-fact':
        this.#rule(detail.fact, detail.fact.id);
        this.#rejected.add(detail.fact.id);
        break;
      case 'pin-fact':
        this.#pinned.add(detail.fact.id);
        break;
      case 'edit-profile':
        this.#takeProfile(detail);
        break;
      case 'merge-entities':
        this.#takeMerge(detail);
        break;
      case 'split-entity':
        this.#takeSplit(detail);
        break;
      case 'keep-apart': {
        const [one, other] = detail.entities.map(keysOf) as [ReadonlySet<string>, ReadonlySet<string>];
        this.#apart.push({ anchors: detail.entities, names: [without(one, other), without(other, one)] });
        this.#anchors.push(...detail.entities);
        break;
      }
    }
  }

  #rule(said: FactAnchor, fact: FactId): void {
    const key = statementKey(said.statement);
    this.#facts.set(key, [{ said, fact }, ...(this.#facts.get(key) ?? [])]);
  }

  #takeProfile({ entity, patch }: DetailOfKind<'edit-profile'>): void {
    const names = [patch.name, ...(patch.aliases ?? [])].flatMap((name) =>
      name === undefined ? [] : [entityNameKey(name)],
    );
    const gone = new Set(this.#removedNames.get(entity.id));
    for (const key of names) gone.delete(key);
    if (patch.aliases !== undefined)
      for (const key of keysOf(entity))
        if (!names.includes(key) && key !== this.#keyOfName(entity, patch)) gone.add(key);
    this.#removedNames.set(entity.id, gone);
    const before = this.#profiles.get(entity.id);
    // If the patch has no aliases, the former name becomes one.
    const aliases = patch.aliases ?? [
      ...(before?.aliases ?? []),
      ...(patch.name === undefined ? [] : entity.names.slice(0, 1)),
    ];
    this.#profiles.set(entity.id, { ...before, ...patch, aliases });
    for (const key of keysOf(entity))
      this.#name(key, { entity: entity.id, because: 'former', episodes: NONE });
    this.#anchors.push(entity);
  }

  #keyOfName({ names: [name] }: EntityAnchor, patch: ProfilePatch): string {
    return entityNameKey(patch.name ?? name ?? '');
  }

  #takeMerge({ keep, merged }: DetailOfKind<'merge-entities'>): void {
    this.#mergedInto.delete(keep.id);
    this.#mergedInto.set(merged.id, keep.id);
    for (const key of keysOf(merged)) {
      this.#name(key, { entity: keep.id, because: 'merged', episodes: NONE });
      this.#removedNames.get(keep.id)?.delete(key);
    }
    this.#anchors.push(keep);
  }

  #takeSplit({ entity, made, name, episodes }: DetailOfKind<'split-entity'>): void {
    for (const key of new Set([...keysOf(entity), entityNameKey(name)]))
      this.#name(key, { entity: made, because: 'split', episodes: new Set(episodes) });
    this.#anchors.push(entity, { id: made, names: [name], episodes });
  }

  #name(key: string, corrected: CorrectedName): void {
    this.#names.set(key, [corrected, ...(this.#names.get(key) ?? [])]);
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Keeps the kind, which is one of an entity's tags and separates equal names, if the new tags have none. */
export function withKind(tags: readonly string[], before: readonly string[]): readonly string[] {
  const kindIn = (all: readonly string[]) => ENTITY_KINDS.find((each) => all.includes(each));
  const kind = kindIn(before);
  return kindIn(tags) !== undefined || kind === undefined ? tags : [kind, ...tags];
}

function keysOf({ names }: EntityAnchor): ReadonlySet<string> {
  return new Set(names.map(entityNameKey));
}

function without(keys: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...keys].filter((key) => !others.has(key)));
}

function hasAny(keys: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
  return [...wanted].some((key) => keys.has(key));
}
