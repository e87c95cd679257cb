/** How `import` of the contract names a turn of its list, by its position from 0. */
export const placeOf = (position: number): string => `turn ${position + 1}`;

/** The position that such a name means; -1 where it means none. */
export function positionIn(place: string): number {
  return Number(/^turn (\d+)$/.exec(place)?.[1] ?? 0) - 1;
}
