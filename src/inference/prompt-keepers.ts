/** What keeps the text of prompts outside this process: the processes of models. */
const keepers = new Set<() => void>();

/** Calls `forget` at each forgetting, until the function that is returned is called. */
export function keepPrompts(forget: () => void): () => void {
  keepers.add(forget);
  return () => void keepers.delete(forget);
}

/** Has all models of this process lose the prompts that they have read. Waits for nothing. */
export function forgetPrompts(): void {
  for (const forget of keepers) forget();
}
