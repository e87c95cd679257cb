/** Puts items into columns of about the same height, in order: each goes where there is the most room. */
export function inColumns<Item>(
  items: readonly Item[],
  columns: number,
  heightOf: (item: Item) => number,
): readonly (readonly Item[])[] {
  const filled = Array.from({ length: Math.max(1, columns) }, () => ({ height: 0, items: [] as Item[] }));
  for (const item of items) {
    const shortest = filled.reduce((best, each) => (each.height < best.height ? each : best));
    shortest.items.push(item);
    shortest.height += heightOf(item);
  }
  return filled.map((column) => column.items);
}
