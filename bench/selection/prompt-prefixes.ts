/** Simulates a provider's cache of prompt prefixes, shared by all prompts. */
export class PromptPrefixes {
  readonly #prompts: string[] = [];

  /** Length of the longest common prefix with an earlier prompt, in characters; then adds the prompt. */
  take(prompt: string): number {
    let most = 0;
    for (const earlier of this.#prompts) most = Math.max(most, commonStart(earlier, prompt));
    this.#prompts.push(prompt);
    return most;
  }
}

/** A cache of prefixes from 1,024 tokens, in steps of 128, as OpenAI's. */
export function heldTokens(shared: number): number {
  return shared < 1_024 ? 0 : Math.floor(shared / 128) * 128;
}

function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  return at;
}
