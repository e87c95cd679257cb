import type { Learned } from '../../main/contract.ts';
import { text } from '../strings/text.ts';

interface Words {
  readonly label: string;
  readonly title: string | undefined;
  /** A question teaches nothing: it is kept without being announced. */
  readonly isQuiet: boolean;
}

/**
 * What the chip says of an exchange; null once memory has nothing of it. Facts count, else the user's messages that told
 * something: the answer's own words teach nothing.
 */
export function rememberedWords(
  learned: Pick<Learned, 'turns' | 'facts' | 'pending'> | undefined,
): Words | null {
  const words = text.chat.remembered;
  if (learned === undefined) return { label: words.none, title: undefined, isQuiet: true };
  const { turns, facts, pending } = learned;
  if (turns.length === 0 && facts.length === 0) return null;
  const told = turns.filter(
    ({ text: said, speaker }) => speaker !== 'assistant' && !said.trimEnd().endsWith('?'),
  ).length;
  const things = facts.length > 0 ? facts.length : told;
  if (things === 0) return { label: words.none, title: words.onlyKept, isQuiet: true };
  return {
    label: words.things(things),
    title: pending > 0 ? words.reading(things) : undefined,
    isQuiet: false,
  };
}
