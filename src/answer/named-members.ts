import type { SearchResult } from '../model/retrieved-item.ts';
import { analyze } from '../search/analyzer.ts';

/**
 * Finds names of members of the kind that a question asks for in a text: "Lisbon" if System-2 selected the whole
 * category "Cities". Finds none if it selected no whole category.
 *
 * @returns Names by the index terms of a text.
 */
export function namedMembers({
  episodes,
  entities,
}: SearchResult): (words: ReadonlySet<string>) => readonly string[] {
  const paths = episodes.flatMap(({ why }) =>
    why.flatMap(({ list, path }) => (list === MEMBERS && path !== undefined ? [path] : [])),
  );
  const categories = new Set(paths.map(categoryOf));
  // The path of an entity that was reached only through a fact ends with another name.
  const isMember = (name: string, path: readonly string[] = []) =>
    path.length > 1 && path.at(-1) === name && categories.has(categoryOf(path));
  const names = [
    ...paths.flatMap((path) => path.at(-1) ?? []),
    ...entities
      .filter(({ layer, name, why }) => layer === 0 && why.some(({ path }) => isMember(name, path)))
      .flatMap(({ name, aliases }) => [name, ...aliases]),
  ];
  const members = [...new Set(names)].map((name) => ({ name, terms: analyze(name) }));
  const isNamed = (terms: readonly string[], words: ReadonlySet<string>) =>
    terms.length > 0 && terms.every((term) => words.has(term));
  return (words) => members.flatMap(({ name, terms }) => (isNamed(terms, words) ? [name] : []));
}

/** System-2's list of the members of a whole category. */
const MEMBERS = 'members';

function categoryOf(path: readonly string[]): string {
  return JSON.stringify(path.slice(0, -1));
}
