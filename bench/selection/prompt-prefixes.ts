/** What a provider that keeps the beginnings of prompts would know of the next one: all prompts go to the same cache. */
export class PromptPrefixes {
  readonly #prompts: string[] = [];

  /** Characters that the prompt has in common with the beginning of an earlier one, the most alike; it is then known. */
  take(prompt: string): number {
    let most = 0;
    for (const earlier of this.#prompts) most = Math.max(most, commonStart(earlier, prompt));
    this.#prompts.push(prompt);
    return most;
  }
}

/** A cache that holds beginnings of 1,024 tokens and more, in steps of 128, as OpenAI's does. */
export function heldTokens(shared: number): number {
  return shared < 1_024 ? 0 : Math.floor(shared / 128) * 128;
}

function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  return at;
}
