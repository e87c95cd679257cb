import { tidy } from './tidy.ts';

export const MAX_TAGS = 5;
const MAX_TAG_WORDS = 3;
const MAX_TAG_LENGTH = 60;
/** A reply may list any number; no more than these are looked at. */
const MOST_READ = 50;

/**
 * The first few tags of few words, each once.
 *
 * @param onLeftOut Told why tags are left out, and how many.
 */
export function tidyTags(
  tags: readonly string[],
  onLeftOut: (reason: 'empty' | 'too-much', count: number) => void = () => undefined,
): string[] {
  const distinct = new Map<string, string>();
  const left = { empty: 0, 'too-much': Math.max(0, tags.length - MOST_READ) };
  for (const tag of tags.slice(0, MOST_READ).map((each) => tidy(each.slice(0, 2 * MAX_TAG_LENGTH)))) {
    const isLong = tag.split(' ').length > MAX_TAG_WORDS || tag.length > MAX_TAG_LENGTH;
    if (tag === '' || isLong) left[isLong ? 'too-much' : 'empty']++;
    else if (!distinct.has(tag.toLowerCase())) distinct.set(tag.toLowerCase(), tag);
  }
  left['too-much'] += Math.max(0, distinct.size - MAX_TAGS);
  for (const reason of ['empty', 'too-much'] as const) if (left[reason] > 0) onLeftOut(reason, left[reason]);
  return [...distinct.values()].slice(0, MAX_TAGS);
}
