/** "1 turn", "1,234 turns"; "2 entries" where the plural is given. */
export const counted = (count: number, one: string, more = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : more}`;
