/** What a person should look at: contradictions, uncertain merges, turns that were set aside. */
export const reviewMethods = {} as const;
