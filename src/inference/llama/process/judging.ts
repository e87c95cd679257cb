import type { LlamaChat, LlamaModel, LlamaRuntime, LlamaSequence } from './llama-runtime.ts';
import { Refused } from './messages.ts';

const INSTRUCTIONS =
  'You are given a question and a note from a memory. Does the note answer the question, or help to answer it? Reply with one word: yes or no.';

/** Longer prompts are cut: as much as the listed cross-encoders read of a pair. */
const MOST_TOKENS = 1_024;
/** The most that any vocabulary needs; texts are cut to it before they are split into tokens. */
const CHARACTERS_PER_TOKEN = 32;
/** More than the logits of two tokens differ by, and small enough for their fractions in 32 bits. */
const BIAS = 100;
/** A model that reasons would begin with its thoughts. */
const NO_THOUGHTS = [{ type: 'segment', segmentType: 'thought', text: '', ended: true } as const, '\n\n'];

interface Loaded {
  readonly runtime: LlamaRuntime;
  readonly model: LlamaModel;
  readonly chat: LlamaChat;
  readonly contextTokens: number;
}

/**
 * What all prompts about a question begin with, and the judgement of a text: P(yes) / (P(yes) + P(no)) of the first token
 * of the model's reply. The question keeps up to half of the room, the text gets the rest.
 *
 * @throws Refused where the context is too short for the instructions, or the vocabulary has no tokens for yes and no.
 */
export function judging(
  { runtime, model, chat: { chatWrapper: chat }, contextTokens }: Loaded,
  question: string,
) {
  const most = Math.min(MOST_TOKENS, contextTokens - 1);
  const response = chat.settings.segments?.thought === undefined ? [] : NO_THOUGHTS;
  const promptOf = (about: string, text: string): readonly number[] =>
    chat
      .generateContextState({
        chatHistory: [
          { type: 'system', text: INSTRUCTIONS },
          { type: 'user', text: `Question: ${about}\n\nNote: ${text}` },
          { type: 'model', response },
        ],
      })
      .contextText.tokenize(model.tokenizer as never);
  const asked = cut(question, most / 2, (kept) => promptOf(kept, '').length);
  const bare = promptOf(asked, '');
  if (bare.length > most) throw new Refused('context', `the instructions have ${bare.length} tokens`);
  const start = bare.slice(0, sharedStart(bare, promptOf(asked, 'a')));
  const [yes, no] = [tokensOf('yes', model), tokensOf('no', model)];
  const tokenBias = new runtime.TokenBias(model.tokenizer as never);
  for (const token of [...yes, ...no]) tokenBias.set(token as never, { logit: BIAS });
  // All answers get the same bias, so that they are the most probable tokens and keep their shares; the
  // probabilities of the whole vocabulary take longer than evaluating a short text.
  const options = { temperature: 1, topK: yes.size + no.size, topP: 1, minP: 0, tokenBias };
  const judge = async (sequence: LlamaSequence, text: string): Promise<number> => {
    const kept = cut(text, most, (each) => promptOf(asked, each).length);
    const rest = await goTo(sequence, start, promptOf(asked, kept));
    const last = [rest.at(-1)!, { generateNext: { probabilities: true, options } }];
    const outcome = await sequence.controlledEvaluate([...rest.slice(0, -1), last] as never);
    const probabilities = [...(outcome.at(-1)?.next.probabilities ?? [])];
    const all = sum(probabilities);
    if (!(all > 0)) throw new Refused('other', 'the runtime gave no probabilities');
    return sum(probabilities.filter(([token]) => yes.has(token))) / all;
  };
  return { start, judge };
}

/** How many tokens two prompts begin with that are the same. */
export function sharedStart(one: readonly number[], other: readonly number[]): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

/**
 * Leaves a sequence after the start of a prompt, which is evaluated on its own, so that a judgement does not depend on
 * the prompts before. @returns the tokens that are left to evaluate.
 */
async function goTo(sequence: LlamaSequence, start: readonly number[], prompt: readonly number[]) {
  const shared = start.slice(0, sharedStart(start, prompt));
  if (sequence.compareContextTokens(shared as never).firstDifferentIndex < shared.length) {
    await sequence.clearHistory();
    await sequence.controlledEvaluate(shared as never);
    // Models with sliding windows go back to checkpoints only.
    await sequence.takeCheckpoint();
  }
  await sequence.adaptStateToTokens(shared as never, false);
  return prompt.slice(sequence.nextTokenIndex);
}

/** The ways to write a word that are one token. */
function tokensOf(word: string, model: LlamaModel): ReadonlySet<number> {
  const written = [word, word[0]!.toUpperCase() + word.slice(1), word.toUpperCase()];
  const tokens = written.flatMap((form) => [model.tokenize(form), model.tokenize(` ${form}`)]);
  const single = tokens.filter(({ length }) => length === 1).map(([token]) => token!);
  if (single.length === 0) throw new Refused('other', `the vocabulary has no token for “${word}”`);
  return new Set(single);
}

/** A beginning of a text with which a prompt has at most so many tokens; empty where no text fits. */
function cut(text: string, most: number, tokensWith: (kept: string) => number): string {
  const bare = tokensWith('');
  for (let kept = text.slice(0, most * CHARACTERS_PER_TOKEN).toWellFormed(); ; ) {
    const tokens = tokensWith(kept);
    if (tokens <= most || kept === '') return kept;
    kept = kept.slice(0, Math.max(0, Math.floor((kept.length * (most - bare)) / (tokens - bare))));
  }
}

function sum(probabilities: readonly (readonly [number, number])[]): number {
  return probabilities.reduce((total, [, probability]) => total + probability, 0);
}
