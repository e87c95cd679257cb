import type { SearchResult } from '../model/retrieved-item.ts';
import { analyze } from '../search/analyzer.ts';

/**
 * What words name of the kind that a question asks for, as System-2 found it: "Lisbon" where "Cities" was taken whole.
 * Nothing where no category was.
 *
 * @returns Names by the index terms of a text.
 */
export function namedMembers({
  episodes,
  entities,
}: SearchResult): (said: ReadonlySet<string>) => readonly string[] {
  const paths = episodes.flatMap(({ why }) =>
    why.flatMap(({ list, path }) => (list === MEMBERS && path !== undefined ? [path] : [])),
  );
  const categories = new Set(paths.map(categoryOf));
  // The path of what only a fact leads to ends elsewhere.
  const isMember = (name: string, path: readonly string[] = []) =>
    path.length > 1 && path.at(-1) === name && categories.has(categoryOf(path));
  const names = [
    ...paths.flatMap((path) => path.at(-1) ?? []),
    ...entities
      .filter(({ layer, name, why }) => layer === 0 && why.some(({ path }) => isMember(name, path)))
      .flatMap(({ name, aliases }) => [name, ...aliases]),
  ];
  const members = [...new Set(names)].map((name) => ({ name, terms: analyze(name) }));
  const isNamed = (terms: readonly string[], said: ReadonlySet<string>) =>
    terms.length > 0 && terms.every((term) => said.has(term));
  return (said) => members.flatMap(({ name, terms }) => (isNamed(terms, said) ? [name] : []));
}

/** System-2's list of those. */
const MEMBERS = 'members';

function categoryOf(path: readonly string[]): string {
  return JSON.stringify(path.slice(0, -1));
}
