import type { Portrait } from '../../main/contract.ts';

const LONGEST_TITLE = 40;
/** Groups for what fits nowhere else: nobody would ask for them by these names. */
const COLLECTIVE = /^(?:named|other) |^(?:miscellaneous|things|ideas|people|other)$/i;

/** The groups that hold the most, with titles as they stand inside a question. */
export function topicsOf({
  groups,
}: Pick<Portrait, 'groups'>): readonly { readonly title: string; readonly facts: number }[] {
  return groups
    .filter(
      ({ title, category }) => category !== null && title.length <= LONGEST_TITLE && !COLLECTIVE.test(title),
    )
    .map(({ title, facts }) => ({ title: insideSentence(title), facts: facts.length }));
}

/** "Board games" loses its capital; "LGBTQ", "New York" and "iPhone" keep theirs. */
function insideSentence(title: string): string {
  return /^\p{Lu}[\p{Ll}\s’'-]*$/u.test(title) ? title.toLowerCase() : title;
}
