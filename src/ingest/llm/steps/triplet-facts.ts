import type { ReadTriplet } from '../../../prompts/extract-triplets.ts';
import type { ReadFact } from '../../../prompts/reading-rules.ts';
import { tidy, tidyName } from '../../../util/tidy.ts';
import type { TurnToRead } from '../../extractor.ts';
import { NameList } from './name-list.ts';

/** What is stated outright, without a time of its own. */
const STATED = { said: '', date: '', until: '', confidence: 1 };

/** A triplet as a fact whose statement is the triplet as text (MemORAI §3.3). */
export function tripletFact({ subject, relation, object, turns }: ReadTriplet): ReadFact {
  const words = tidy(relation.replaceAll('_', ' '));
  const ends = [subject, object].map(tidy);
  const statement = `${ends[0]} ${words} ${ends[1]}`.replace(/[.!?]*$/, '.');
  const isWhole = words !== '' && ends.every((end) => end !== '');
  return {
    ...STATED,
    statement: isWhole ? statement : '',
    subject,
    relation: words,
    object,
    participants: [],
    turns,
  };
}

export function propositionFact(
  statement: string,
  { participants, turns }: { readonly participants: string[]; readonly turns: number[] },
): ReadFact {
  return { ...STATED, statement, subject: '', relation: '', object: '', participants, turns };
}

/** The speakers and all that facts join. What kind of thing each is, a triplet does not tell. */
export function namesIn(facts: readonly ReadFact[], turns: readonly TurnToRead[]): NameList {
  const names = new NameList(turns);
  for (const { subject, object, participants, turns: cited } of facts)
    for (const name of [subject, object, ...participants])
      if (tidyName(name) !== null) names.add({ name, kind: 'thing', turns: cited });
  return names;
}
