import { firstSentence } from '../../util/sentences.ts';
import { shorten } from '../../util/tidy.ts';

export interface SummarizedChild {
  readonly name: string;
  readonly summary: string;
}

/** Maximum length in characters: fits one screen and a prompt. */
export const MAX_CATEGORY_SUMMARY = 600;
const MAX_OF_CHILD = 140;

/**
 * Summarizes the children of a category (Mnemis §2.2; its Appendix B: such a summary often answers). Takes the first
 * sentence of each child's summary, without duplicates, up to the maximum length; then lists the names of the others.
 */
export function aggregateSummary(children: readonly SummarizedChild[]): string {
  const [only] = children;
  if (only !== undefined && children.length === 1) return shorten(only.summary, MAX_CATEGORY_SUMMARY);
  const parts: string[] = [];
  const mentioned = new Set<SummarizedChild>();
  let room = MAX_CATEGORY_SUMMARY;
  for (const [sentence, about] of bySentence(children)) {
    const of = nameable(sentence, about, room / 2);
    if (of.length === 0) break;
    const part = withNames(sentence, of);
    parts.push(part);
    for (const child of of) mentioned.add(child);
    room -= part.length + 1;
  }
  const others = namesWithin(
    children.filter((child) => !mentioned.has(child)),
    { room, isAll: mentioned.size === 0 },
  );
  return [...parts, ...(others === '' ? [] : [others])].join(' ');
}

/** The rule-based summary of an entity without facts, which adds nothing to its name. */
const MENTIONED = /^\S.* \([a-z]+\), mentioned (?:once|\d+ times)\.?$/;

/** Groups children by their first sentence, in order of first occurrence; skips children without facts. */
function bySentence(children: readonly SummarizedChild[]): ReadonlyMap<string, SummarizedChild[]> {
  const groups = new Map<string, SummarizedChild[]>();
  for (const child of children) {
    const sentence = firstSentence(child.summary);
    if (sentence === '' || MENTIONED.test(sentence)) continue;
    const short = ended(shorten(sentence, MAX_OF_CHILD));
    const group = groups.get(short);
    if (group === undefined) groups.set(short, [child]);
    else group.push(child);
  }
  return groups;
}

/** The children with this sentence whose names fit before it. */
function nameable(sentence: string, about: readonly SummarizedChild[], room: number): SummarizedChild[] {
  const named: SummarizedChild[] = [];
  let left = room - sentence.length;
  for (const child of about) {
    left -= beginsWith(sentence, child) ? 0 : child.name.length + 2;
    if (left < 0) break;
    named.push(child);
  }
  return named;
}

function withNames(sentence: string, about: readonly SummarizedChild[]): string {
  const names = about.flatMap((child) => (beginsWith(sentence, child) ? [] : [child.name]));
  return names.length === 0 ? sentence : `${[...new Set(names)].join(', ')}: ${sentence}`;
}

function beginsWith(sentence: string, { name }: SummarizedChild): boolean {
  return sentence.toLowerCase().startsWith(name.toLowerCase());
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
