import { isDeepStrictEqual } from 'node:util';
import type { DocumentIndex } from '../../search/document-index.ts';
import type { HierarchyIndex } from '../../search/hierarchy-index.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { Breather } from '../../util/breathe.ts';

/** In what two indexes of one scope differ, by the parts that searches read; empty for indexes that answer alike. */
export async function indexDifferences(one: ScopeIndex, other: ScopeIndex): Promise<string[]> {
  const differences: string[] = [];
  const compare = (what: string, of: (index: ScopeIndex) => unknown) => {
    if (!isDeepStrictEqual(of(one), of(other))) differences.push(what);
  };
  compare('its turns', turns);
  compare('its facts', ({ facts }) => documents(facts));
  compare('its segments', ({ segments }) => documents(segments));
  compare('its entities', ({ entities }) =>
    sorted(entities.current().map((profile) => JSON.stringify(profile))),
  );
  compare('its hierarchy', ({ hierarchy }) => [hierarchy.record, categories(hierarchy)]);
  compare('what waits for enrichment', ({ enrichment }) => [
    sorted(enrichment.pending),
    sorted(enrichment.setAside),
  ]);
  if (!sameWords(one, other)) differences.push('its words');
  if (differences.length === 0 && !(await sameLinks(one, other))) differences.push('its links');
  return differences;
}

function turns({ episodes }: ScopeIndex): string[] {
  const { ids, conversation, vectors } = episodes;
  return sorted(
    ids.ids().flatMap((id, ordinal) => (conversation.isLive(ordinal) ? `${id} ${vectors.has(ordinal)}` : [])),
  );
}

function categories(index: HierarchyIndex): string[] {
  const { documents, nameVectors } = index;
  return sorted(
    [...index.all()].map((id) => {
      const ordinal = index.ordinalOf(id);
      const vectors = [documents.vectors, nameVectors].map(
        (each) => ordinal !== undefined && each.has(ordinal),
      );
      const { category, profile } = { category: index.category(id), profile: index.profileOf(id) };
      return JSON.stringify([category, profile, vectors, sorted(index.childrenOf(id))]);
    }),
  );
}

function documents({ ids, lexical, vectors }: DocumentIndex): string[] {
  return sorted(
    ids.ids().flatMap((id, ordinal) => (lexical.has(ordinal) ? `${id} ${vectors.has(ordinal)}` : [])),
  );
}

function sameWords({ episodes: { conversation: one } }: ScopeIndex, { episodes }: ScopeIndex): boolean {
  const other = episodes.conversation;
  if (one.size !== other.size || one.averageLength !== other.averageLength) return false;
  return [...one.terms, ...other.terms].every(
    (term) => one.documentFrequency(term) === other.documentFrequency(term),
  );
}

/** Of indexes with the same rows. */
async function sameLinks(one: ScopeIndex, other: ScopeIndex): Promise<boolean> {
  const breather = new Breather();
  const alike = (of: (index: ScopeIndex) => readonly string[]) =>
    isDeepStrictEqual(sorted(of(one)), sorted(of(other)));
  for (const id of one.episodes.ids.ids()) {
    await breather.breathe();
    if (!one.episodes.isLive(id)) continue;
    if (one.segmentOf(id) !== other.segmentOf(id)) return false;
    if (!alike((index) => index.entitiesMentionedIn(id))) return false;
  }
  for (const id of one.facts.ids.ids()) {
    await breather.breathe();
    if (!one.facts.lexical.has(one.facts.ids.ordinalOf(id)!)) continue;
    if (!alike((index) => index.entitiesOf(id)) || !alike((index) => index.evidenceOf(id))) return false;
  }
  return true;
}

function sorted(texts: Iterable<string>): string[] {
  return [...texts].sort();
}
