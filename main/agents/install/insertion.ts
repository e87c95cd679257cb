/** Text that a file gets at an offset. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}
