import type { Portrait, PortraitFact } from '../../main/contract.ts';
import { hasWords } from '../kit/marked-parts.ts';

type Section = Portrait['sections'][number];

export interface ShownSection extends Pick<Section, 'key' | 'title' | 'facts'> {
  /** Facts that memory holds beyond those listed. */
  readonly unlisted: number;
}

/** The sections with the facts that contain the words of the query; sections without any are left out. */
export function sectionsShown(sections: readonly Section[], query: string): readonly ShownSection[] {
  return sections.flatMap(({ key, title, facts, total }) => {
    const shown = factsShown(facts, query, title);
    const unlisted = query === '' ? total - facts.length : 0;
    return shown.length === 0 ? [] : [{ key, title, facts: shown, unlisted }];
  });
}

/** @param title Its words count too: a search for "work" shows the whole section of that name. */
export function factsShown(
  facts: readonly PortraitFact[],
  query: string,
  title = '',
): readonly PortraitFact[] {
  if (query.trim() === '' || (title !== '' && hasWords(title, query))) return facts;
  return facts.filter(({ said, statement }) => hasWords(said, query) || hasWords(statement, query));
}
