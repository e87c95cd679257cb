/** The id of a heading: lower case, spaces as hyphens, without punctuation. */
export function headingId(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Mark}\p{Number}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}
