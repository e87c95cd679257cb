/** All from 0 to 1; BLEU-1 with its brevity penalty, ROUGE as F-measure. */
export interface AnswerScores {
  readonly exactMatch: number;
  readonly f1: number;
  readonly bleu1: number;
  readonly rouge1: number;
  readonly rouge2: number;
  readonly rougeL: number;
}

/**
 * How near an answer's words are to the gold's. Case and punctuation are ignored; exact match and F1 also drop
 * articles and take punctuation out of words, as SQuAD's script, the others split words at it, as ROUGE's.
 */
export function scoreAnswer(answer: string, gold: string): AnswerScores {
  const [squadAnswer, squadGold] = [squadWords(answer), squadWords(gold)];
  const [said, wanted] = [words(answer), words(gold)];
  return {
    exactMatch: squadAnswer.join(' ') === squadGold.join(' ') ? 1 : 0,
    f1: overlapF1(squadAnswer, squadGold),
    bleu1: bleu1(said, wanted),
    rouge1: overlapF1(said, wanted),
    rouge2: rouge2(said, wanted),
    rougeL: harmonic(longestCommon(said, wanted), said.length, wanted.length),
  };
}

const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the']);

function squadWords(text: string): string[] {
  return fold(text)
    .replace(/[\p{P}\p{S}]/gu, '')
    .split(/\s+/)
    .filter((word) => word !== '' && !ARTICLES.has(word));
}

function words(text: string): string[] {
  return fold(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function pairs(sequence: readonly string[]): string[] {
  return sequence.slice(1).map((word, position) => `${sequence[position]} ${word}`);
}

/** One word has no pair: as in ROUGE's script that scores 0, even against itself. */
function rouge2(said: readonly string[], wanted: readonly string[]): number {
  return said.length < 2 || wanted.length < 2 ? 0 : overlapF1(pairs(said), pairs(wanted));
}

/** Two empty texts agree: SQuAD's rule for "no answer". */
function overlapF1(said: readonly string[], wanted: readonly string[]): number {
  return harmonic(overlap(said, wanted), said.length, wanted.length);
}

/** How many words both have, each as often as in the one that has fewer. */
function overlap(said: readonly string[], wanted: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of said) {
    const count = left.get(word) ?? 0;
    if (count > 0) shared++;
    left.set(word, count - 1);
  }
  return shared;
}

/** Harmonic mean of `shared` over the one length and over the other. */
function harmonic(shared: number, length: number, otherLength: number): number {
  return length + otherLength === 0 ? 1 : (2 * shared) / (length + otherLength);
}

function bleu1(said: readonly string[], wanted: readonly string[]): number {
  if (said.length === 0) return wanted.length === 0 ? 1 : 0;
  const brevity = said.length >= wanted.length ? 1 : Math.exp(1 - wanted.length / said.length);
  return (brevity * overlap(said, wanted)) / said.length;
}

/** Length of the longest common subsequence, one row of the table at a time. */
function longestCommon(said: readonly string[], wanted: readonly string[]): number {
  let row = new Array<number>(wanted.length + 1).fill(0);
  for (const word of said) {
    const next = [0];
    for (const [position, other] of wanted.entries())
      next.push(word === other ? row[position]! + 1 : Math.max(row[position + 1]!, next[position]!));
    row = next;
  }
  return row.at(-1)!;
}
