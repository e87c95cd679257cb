import type { Portrait, PortraitFact } from '../../main/contract.ts';
import { hasWords } from '../kit/marked-parts.ts';

type Section = Portrait['sections'][number];

export interface ShownSection extends Pick<Section, 'key' | 'title' | 'facts'> {
  /** Facts that memory holds beyond those listed. */
  readonly unlisted: number;
}

interface Filter {
  readonly query: string;
  /** Key of the only section to show; null: all. */
  readonly only: string | null;
}

/** The sections with the facts that contain the words of the query; sections without any are left out. */
export function sectionsShown(
  sections: readonly Section[],
  { query, only }: Filter,
): readonly ShownSection[] {
  return sections.flatMap(({ key, title, facts, total }) => {
    if (only !== null && key !== only) return [];
    const shown = factsShown(facts, query, title);
    return shown.length === 0
      ? []
      : [{ key, title, facts: shown, unlisted: query === '' ? total - facts.length : 0 }];
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
