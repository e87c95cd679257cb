/** How a request ended: `ok`, or the code of its error. */
export type Outcome = string;
export const OK: Outcome = 'ok';
