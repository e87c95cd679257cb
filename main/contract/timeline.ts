/** What memory learned when, and how answers changed with it. */
export const timelineMethods = {} as const;
