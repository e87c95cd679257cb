/** When something holds: from `validAt`, and until `invalidAt` if that is set. */
export interface Validity {
  readonly validAt: number;
  readonly invalidAt: number | null;
}

/** Whether it had begun by then. */
export function hasBegun(validAt: number, at: number): boolean {
  return validAt <= at;
}

/** Whether it had ended by then; null and NaN stand for no end. */
export function hasEnded(invalidAt: number | null, at: number): boolean {
  return invalidAt !== null && invalidAt <= at;
}

/** Whether it holds at a time: the one comparison of searches, views of the past and answers. */
export function holdsAt({ validAt, invalidAt }: Validity, at: number): boolean {
  return hasBegun(validAt, at) && !hasEnded(invalidAt, at);
}

/** The end of a fact that another one replaces: where that one begins, but it held when it was told. */
export function endBy(old: Pick<Validity, 'validAt'>, by: Pick<Validity, 'validAt'>): number {
  return Math.max(old.validAt + 1, by.validAt);
}

/** Whether a fact ever held: a corrected one ends where it begins. */
export function everHeld({ validAt, invalidAt }: Validity): boolean {
  return invalidAt === null || invalidAt > validAt;
}
