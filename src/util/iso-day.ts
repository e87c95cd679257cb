/** The UTC day of a time, such as 2023-05-08; `an unknown day` for a time that no Date can represent. */
export function isoDay(at: number | null): string {
  const date = new Date(at ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? 'an unknown day' : date.toISOString().slice(0, 10);
}
