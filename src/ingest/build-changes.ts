import type { FactId, Milliseconds } from '../model/ids.ts';
import type { Episode, Fact } from '../model/nodes.ts';
import type { Relationship } from '../model/relationships.ts';
import type { ExtractedUnit } from './extract-units.ts';
import type { ExtractedFact } from './extractor.ts';
import type { EntityResolver } from './resolve-entities.ts';

export interface BuildOptions {
  readonly resolver: EntityResolver;
  readonly now: Milliseconds;
  readonly newId: () => string;
}

export interface BuiltUnit {
  readonly facts: readonly Fact[];
  readonly relationships: readonly Relationship[];
}

/** Turns what was read from a unit into rows: facts, their participants and evidence, and mentions. */
export function buildUnit({ episodes, extraction }: ExtractedUnit, options: BuildOptions): BuiltUnit {
  const relationships: Relationship[] = [];
  for (const entity of extraction.entities) {
    const id = options.resolver.resolve(entity);
    for (const turn of entity.turns) relationships.push(mentions(episodes[turn]!, id));
  }
  const facts = extraction.facts.map((extracted) => {
    const fact = factRow(extracted, options);
    relationships.push(...about(fact.id, extracted, options.resolver));
    for (const turn of extracted.turns) relationships.push(evidencedBy(fact.id, episodes[turn]!.id));
    return fact;
  });
  return { facts, relationships: distinct(relationships) };
}

function factRow(extracted: ExtractedFact, { now, newId }: BuildOptions): Fact {
  return {
    id: newId() as FactId,
    kind: extracted.kind,
    statement: extracted.statement,
    relation: extracted.relation,
    validAt: extracted.validAt,
    invalidAt: null,
    createdAt: now,
    expiredAt: null,
    confidence: extracted.confidence,
    event: extracted.event,
  };
}

/** ABOUT edges: the subject and object of a relation in their roles, everybody else as participant. */
export function about(
  fact: FactId,
  { subject, object, participants }: Pick<ExtractedFact, 'subject' | 'object' | 'participants'>,
  resolver: EntityResolver,
): Relationship[] {
  const roles = new Map<string, Relationship>();
  const add = (name: string | null, role: 'subject' | 'object' | 'participant') => {
    const to = name === null ? undefined : resolver.find(name);
    if (to === undefined || roles.has(to)) return;
    roles.set(to, { kind: 'ABOUT', fromKind: 'fact', from: fact, toKind: 'entity', to, role });
  };
  add(subject, 'subject');
  add(object, 'object');
  for (const name of participants) add(name, 'participant');
  return [...roles.values()];
}

export function evidencedBy(fact: FactId, episode: string): Relationship {
  return { kind: 'EVIDENCED_BY', fromKind: 'fact', from: fact, toKind: 'episode', to: episode };
}

function mentions(episode: Episode, entity: string): Relationship {
  return { kind: 'MENTIONS', fromKind: 'episode', from: episode.id, toKind: 'entity', to: entity };
}

/** Two names of a unit may turn out to be one entity, and then mention it twice. */
function distinct(relationships: readonly Relationship[]): Relationship[] {
  const seen = new Map(
    relationships.map((relationship) => [
      JSON.stringify([relationship.kind, relationship.from, relationship.to, relationship.role ?? null]),
      relationship,
    ]),
  );
  return [...seen.values()];
}
