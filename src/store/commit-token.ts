import { randomInt } from 'node:crypto';

/** What a commit is told from another of the same number by: from 1 to 2^48 - 1, which every store holds exactly. */
export function newCommitToken(): number {
  return randomInt(1, 2 ** 48);
}
