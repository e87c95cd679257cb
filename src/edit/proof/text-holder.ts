import { CancelledError, InvalidInputError } from '../../errors/index.ts';
import { TextPatterns } from './text-patterns.ts';

export interface Held {
  /** Which of the texts that were asked for, by its position. */
  readonly text: number;
  /** In which part of the holder; never what stands there. */
  readonly where: string;
  readonly count: number;
}

interface ScanOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * A place of a memory that holds text of users (docs/design.md, "Forgetting"). Whatever comes to hold some implements
 * this, so that it can be proven that a text is gone.
 */
export interface TextHolder {
  readonly name: string;

  /**
   * Where it holds which of the texts. What keeps texts word for word is searched for them; what keeps their words
   * alone holds a text when one place has all its words; what keeps hashes, when it has that of the text.
   */
  holds(texts: readonly string[], options?: ScanOptions): Promise<readonly Held[]>;
}

/** Counts findings by text and place. */
export class HeldTally {
  readonly #held = new Map<string, { text: number; where: string; count: number }>();

  add(text: number, where: string, count = 1): void {
    const key = `${text} ${where}`;
    const known = this.#held.get(key);
    if (known === undefined) this.#held.set(key, { text, where, count });
    else known.count += count;
  }

  addAll(held: readonly Held[]): void {
    for (const { text, where, count } of held) this.add(text, where, count);
  }

  /** Every text that stands in the string. */
  addFoundIn(haystack: string, texts: readonly string[], where: string): void {
    for (const text of patternsFor(texts).foundIn(haystack)) this.add(text, where);
  }

  all(): readonly Held[] {
    return [...this.#held.values()];
  }
}

const patterns = new WeakMap<readonly string[], TextPatterns>();

/** Made once for all strings in which the same texts are looked for. */
function patternsFor(texts: readonly string[]): TextPatterns {
  const known = patterns.get(texts) ?? new TextPatterns(texts);
  patterns.set(texts, known);
  return known;
}

export interface ProofFinding extends Held {
  readonly holder: string;
}

interface ProofScan {
  /** Whether no holder holds any of the texts. */
  readonly clean: boolean;
  readonly findings: readonly ProofFinding[];
  /** Every holder that was asked. */
  readonly holders: readonly string[];
}

/**
 * Asks every holder for every text. @throws InvalidInputError for a text without a character, which everything holds;
 * CancelledError.
 */
export async function proofScan(
  holders: readonly TextHolder[],
  texts: readonly string[],
  { signal }: ScanOptions = {},
): Promise<ProofScan> {
  if (texts.some((text) => text.trim() === ''))
    throw new InvalidInputError('A scan looks for texts that have at least one character');
  const findings: ProofFinding[] = [];
  for (const holder of holders) {
    if (signal?.aborted) throw new CancelledError('nothing was changed', signal.reason);
    for (const held of await holder.holds(texts, { signal })) findings.push({ holder: holder.name, ...held });
  }
  return { clean: findings.length === 0, findings, holders: holders.map(({ name }) => name) };
}
