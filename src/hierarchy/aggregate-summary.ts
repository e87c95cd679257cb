import { shorten } from '../util/tidy.ts';

export interface SummarizedChild {
  readonly name: string;
  readonly summary: string;
}

/** As many characters as a reader takes in at a glance, and a prompt can afford. */
export const MAX_CATEGORY_SUMMARY = 600;
const MAX_OF_CHILD = 140;
const SENTENCE_END = /(?<=[.!?。])\s/u;

/**
 * What is below a category, in a few lines (Mnemis §2.2; its Appendix B: such a summary often answers): the first
 * sentence about each child as long as there is room, then the names of the others.
 */
export function aggregateSummary(children: readonly SummarizedChild[]): string {
  const [only] = children;
  if (only !== undefined && children.length === 1) return shorten(only.summary, MAX_CATEGORY_SUMMARY);
  const told = new Map<SummarizedChild, string>();
  let room = MAX_CATEGORY_SUMMARY;
  for (const child of children) {
    const part = tell(child);
    if (part === null) continue;
    if (part.length > room / 2) break;
    told.set(child, part);
    room -= part.length + 1;
  }
  const others = namesWithin(
    children.filter((child) => !told.has(child)),
    { room, isAll: told.size === 0 },
  );
  return [...told.values(), ...(others === '' ? [] : [others])].join(' ');
}

/** What rules write of an entity of which no fact is known: it tells no more than its name. */
const MENTIONED = /^\S.* \([a-z]+\), mentioned (?:once|\d+ times)\.?$/;

/** Null for one of which nothing is known but its name. */
function tell({ name, summary }: SummarizedChild): string | null {
  const sentence = firstSentence(summary);
  if (sentence === '' || MENTIONED.test(sentence)) return null;
  const short = ended(shorten(sentence, MAX_OF_CHILD));
  return short.toLowerCase().startsWith(name.toLowerCase()) ? short : `${name}: ${short}`;
}

function firstSentence(text: string): string {
  return text.split(SENTENCE_END, 1)[0]!.trim();
}

function ended(text: string): string {
  return /[.!?…。]$/u.test(text) ? text : `${text}.`;
}

function namesWithin(
  children: readonly SummarizedChild[],
  { room, isAll }: { readonly room: number; readonly isAll: boolean },
): string {
  if (children.length === 0) return '';
  const names: string[] = [];
  let left = room - 'Also , and 100000 more.'.length;
  for (const { name } of children) {
    if (name.length + 2 > left) break;
    names.push(name);
    left -= name.length + 2;
  }
  const more = children.length - names.length;
  if (names.length === 0) return `${more} more.`;
  const list = more === 0 ? `${names.join(', ')}.` : `${names.join(', ')}, and ${more} more.`;
  return isAll ? list : `Also ${list}`;
}
