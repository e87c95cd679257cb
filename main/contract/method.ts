import { z } from 'zod';

/** What a method does to memory: what only `reads` may be asked twice. */
export type Effect = 'reads' | 'writes' | 'removes';

/** A method with one reply. */
export interface Call<Input extends z.ZodType, Output extends z.ZodType> {
  readonly kind: 'call';
  readonly effect: Effect;
  readonly input: Input;
  readonly output: Output;
}

/** A method that tells events until it is done; which of them is the last one its event type says. */
export interface Stream<Input extends z.ZodType, Event extends z.ZodType> {
  readonly kind: 'stream';
  readonly effect: Effect;
  readonly input: Input;
  readonly event: Event;
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
  return { kind: 'stream', effect, input, event };
}

/**
 * A reply of the engine in the engine's own type. What a reader cannot do without is checked; all that came is kept, so
 * that a reply from a process of another version loses nothing on its way.
 */
export function reply<T>(shape: z.ZodType): z.ZodType<T> {
  return z.custom<T>((value) => shape.safeParse(value).success, { error: 'is not a reply of this method' });
}
