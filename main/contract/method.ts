import { z } from 'zod';

/** What a method does to memory: a client may retry only one that `reads`. */
export type Effect = 'reads' | 'writes' | 'removes';

/** A method with one reply. */
export interface Call<Input extends z.ZodType, Output extends z.ZodType> {
  readonly kind: 'call';
  readonly effect: Effect;
  readonly input: Input;
  readonly output: Output;
}

/** A method with a stream of events; its event type says which event is the last. */
export interface Stream<Input extends z.ZodType, Event extends z.ZodType> {
  readonly kind: 'stream';
  readonly effect: Effect;
  readonly input: Input;
  readonly event: Event;
  /** Whether it can run until the client leaves: a server that stops ends such a stream at once. */
  readonly isEndless: boolean;
  /**
   * Whether a client may continue it with another engine: it begins with an event that says which engine it is, and
   * the events of the time between are not needed.
   */
  readonly isResumed: boolean;
}

export function call<Input extends z.ZodType, Output extends z.ZodType>(
  effect: Effect,
  input: Input,
  output: Output,
): Call<Input, Output> {
  return { kind: 'call', effect, input, output };
}

export function stream<Input extends z.ZodType, Event extends z.ZodType>(
  effect: Effect,
  input: Input,
  event: Event,
): Stream<Input, Event> {
  return { kind: 'stream', effect, input, event, isEndless: false, isResumed: false };
}

/** A stream that runs until the client leaves. */
export function endless<Input extends z.ZodType, Event extends z.ZodType>(
  effect: Effect,
  input: Input,
  event: Event,
): Stream<Input, Event> {
  return { ...stream(effect, input, event), isEndless: true };
}

/** An endless stream that clients continue with the next engine. */
export function resumed<Input extends z.ZodType, Event extends z.ZodType>(
  effect: Effect,
  input: Input,
  event: Event,
): Stream<Input, Event> {
  return { ...endless(effect, input, event), isResumed: true };
}

/**
 * A reply of the engine, in the engine's own type. Only required fields are checked, and unknown ones are kept, so that
 * a reply from another version stays complete.
 */
export function reply<T>(shape: z.ZodType): z.ZodType<T> {
  return z.custom<T>((value) => shape.safeParse(value).success, { error: 'is not a reply of this method' });
}
