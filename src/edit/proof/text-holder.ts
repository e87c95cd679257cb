import { CancelledError, InvalidInputError } from '../../errors/index.ts';
import type { NodeKind } from '../../model/nodes.ts';
import { TextPatterns } from './text-patterns.ts';

export interface Held {
  /** Position of the text in the list searched for. */
  readonly text: number;
  /** The part of the holder; never the text itself. */
  readonly where: string;
  readonly count: number;
}

interface ScanOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whose texts they are: a holder that knows whose texts it has searches only this scope's. Default: all. */
  readonly scope?: string | undefined;
}

/**
 * A place of a memory that holds text of users (docs/design.md, "Forgetting"). Everything that stores such text
 * implements this, so that the proof can search it.
 */
export interface TextHolder {
  readonly name: string;

  /**
   * Where it holds which of the texts. A holder of verbatim text is searched for the text. A holder of words holds a
   * text if one place has all its words. A holder of hashes holds a text if it has the hash.
   */
  holds(texts: readonly string[], options?: ScanOptions): Promise<readonly Held[]>;
}

/** A holder that can remove texts. Forgetting calls it before it searches the holder. */
export interface RemovingHolder extends TextHolder {
  /** Removes the texts, from the disk too. A text that something remaining in memory contains is not among them. */
  remove(texts: readonly string[], options?: ScanOptions): Promise<void>;
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

  /** Adds every text that occurs in the string. */
  addFoundIn(haystack: string, texts: readonly string[], where: string): void {
    for (const text of patternsFor(texts).foundIn(haystack)) this.add(text, where);
  }

  all(): readonly Held[] {
    return [...this.#held.values()];
  }
}

const patterns = new WeakMap<readonly string[], TextPatterns>();

/** Built once for each list of texts. */
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
  /** Names of all holders searched. */
  readonly holders: readonly string[];
}

/**
 * Searches every holder for every text. @throws InvalidInputError for a text without a character, which would match
 * everything; CancelledError.
 */
export async function proofScan(
  holders: readonly TextHolder[],
  texts: readonly string[],
  { signal, scope }: ScanOptions = {},
): Promise<ProofScan> {
  if (texts.some((text) => text.trim() === ''))
    throw new InvalidInputError('A scan looks for texts that have at least one character');
  const findings: ProofFinding[] = [];
  for (const holder of holders) {
    if (signal?.aborted) throw new CancelledError('nothing was changed', signal.reason);
    for (const held of await holder.holds(texts, { signal, scope }))
      findings.push({ holder: holder.name, ...held });
  }
  return { clean: findings.length === 0, findings, holders: holders.map(({ name }) => name) };
}

/**
 * Whether a row is the record of a forgetting: fixed words, ids, and an author that its caller named to be kept. A text
 * that stands only there is no remnant.
 */
export function isForgetRecord(kind: NodeKind, row: unknown): boolean {
  return (
    kind === 'correction' && typeof row === 'object' && row !== null && 'kind' in row && row.kind === 'forget'
  );
}
