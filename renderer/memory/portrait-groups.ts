import type { FactLine, Portrait } from '../../main/contract.ts';
import { hasWords } from '../kit/marked-parts.ts';

export interface ShownGroup {
  /** Unique among the groups. */
  readonly key: string;
  readonly title: string;
  readonly facts: readonly FactLine[];
  /** Facts that memory holds beyond those listed. */
  readonly unlisted: number;
}

interface Filter {
  readonly query: string;
  /** Key of the only group to show; null: all. */
  readonly group: string | null;
}

export const keyOfGroup = ({
  title,
  category,
}: Pick<Portrait['groups'][number], 'title' | 'category'>): string => category ?? `title ${title}`;

/** The groups with the facts that contain the words of the query; groups without any are left out. */
export function groupsShown(groups: Portrait['groups'], { query, group }: Filter): readonly ShownGroup[] {
  return groups.flatMap((each) => {
    const key = keyOfGroup(each);
    if (group !== null && key !== group) return [];
    const facts = factsShown(each.facts, query, each.title);
    if (facts.length === 0) return [];
    return [{ key, title: each.title, facts, unlisted: query === '' ? unlistedIn(each) : 0 }];
  });
}

/** @param title Its words count too: a search for "work" shows the whole group of that name. */
export function factsShown(facts: readonly FactLine[], query: string, title = ''): readonly FactLine[] {
  if (query.trim() === '' || (title !== '' && hasWords(title, query))) return facts;
  return facts.filter(({ statement }) => hasWords(statement, query));
}

function unlistedIn({
  facts,
  total,
}: {
  readonly facts: readonly FactLine[];
  readonly total?: number;
}): number {
  return Math.max(0, (total ?? facts.length) - facts.length);
}
