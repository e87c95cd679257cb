import type { FactLine } from '../../main/contract.ts';
import { formatDate, text } from '../strings/text.ts';

type Times = Pick<FactLine, 'validAt' | 'invalidAt'>;

/** "since 8 May 2023", "8 May 2023 to 2 Jun 2024"; null for a fact without a date of its own. */
export function datesOf({ validAt, invalidAt }: Times): string | null {
  const words = text.memory.fact;
  if (validAt === null) return invalidAt === null ? null : words.until(formatDate(invalidAt));
  const from = formatDate(validAt);
  if (invalidAt === null) return words.since(from);
  const to = formatDate(invalidAt);
  return from === to ? words.on(from) : words.between(from, to);
}

/** Below this, a fact is marked as unsure. */
const SURE = 0.5;
export const isUnsure = ({ confidence }: Pick<FactLine, 'confidence'>): boolean => confidence < SURE;
