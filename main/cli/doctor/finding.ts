/** One line of `mnemis doctor`. */
export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}
