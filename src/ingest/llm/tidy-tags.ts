import type { DropLog } from './drop-log.ts';
import { tidy } from './tidy.ts';

export const MAX_TAGS = 5;
const MAX_TAG_WORDS = 3;
const MAX_TAG_LENGTH = 60;

/** The first few tags of few words, each once. */
export function tidyTags(tags: readonly string[], log: DropLog): string[] {
  const distinct = new Map<string, string>();
  for (const tag of tags.map(tidy)) {
    const isLong = tag.split(' ').length > MAX_TAG_WORDS || tag.length > MAX_TAG_LENGTH;
    if (tag === '' || isLong) log.note('tag', isLong ? 'too-much' : 'empty');
    else if (!distinct.has(tag.toLowerCase())) distinct.set(tag.toLowerCase(), tag);
  }
  log.note('tag', 'too-much', distinct.size - MAX_TAGS);
  return [...distinct.values()].slice(0, MAX_TAGS);
}
