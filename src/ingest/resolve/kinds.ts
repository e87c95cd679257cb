import type { NamedEntity } from '../../prompts/resolve-entities.ts';
import { ENTITY_KINDS, type EntityKind } from '../extractor.ts';

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
