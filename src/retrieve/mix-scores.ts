/** Share of words; word vectors say little that words do not (docs/results.md). */
const WORDS = 0.8;

/** Scores of words and of vectors as one, each as a share of its best; from 0 to 1, 0 where nothing speaks for a row. */
export function mixScores(words: Float32Array, near: Float32Array): Float32Array {
  const [mostWords, mostNear] = [highestScore(words), highestScore(near)];
  const mixed = new Float32Array(words.length);
  for (let at = 0; at < mixed.length; at++) {
    const lexical = mostWords > 0 ? Math.max(0, words[at]!) / mostWords : 0;
    const vector = mostNear > 0 ? Math.max(0, near[at]!) / mostNear : 0;
    mixed[at] = WORDS * lexical + (1 - WORDS) * vector;
  }
  return mixed;
}

/** 0 where none is higher. */
export function highestScore(scores: Float32Array): number {
  let most = 0;
  for (let at = 0; at < scores.length; at++) if (scores[at]! > most) most = scores[at]!;
  return most;
}
