/**
 * Rows are never written over: one that has to say something else gives way to another, under an id that shows whose
 * place it takes: `x`, `x~2`, `x~3`, …
 */
export function renewedId(id: string): string {
  const [, base, number] = /^(.*?)(?:~(\d+))?$/s.exec(id)!;
  return `${base}~${Number(number ?? 1) + 1}`;
}

/** The id that the first of them had. */
export function firstId(id: string): string {
  return id.replace(/~\d+$/, '');
}
