import type { WireError } from '../contract.ts';
import { OK, type Outcome } from './outcome.ts';

interface EventStreamOptions {
  /** Interval of empty lines that keep a quiet stream alive. */
  readonly heartbeatMilliseconds: number;
  /** The part of an error that the client sees. */
  readonly describe: (error: unknown) => WireError;
  /** Throws if the stream has to end before its events do. */
  readonly check: () => void;
}

/** Events as lines of JSON, taken no faster than the client reads. The last line is an end or an error. */
export function eventStream(
  events: AsyncGenerator<unknown>,
  { heartbeatMilliseconds, describe, check }: EventStreamOptions,
): { readonly body: ReadableStream<Uint8Array>; readonly outcome: Promise<Outcome> } {
  const encoder = new TextEncoder();
  const lineOf = (value: object) => encoder.encode(`${JSON.stringify(value)}\n`);
  let heartbeat: NodeJS.Timeout;
  let isLeft = false;
  let settle: (outcome: Outcome) => void;
  const outcome = new Promise<Outcome>((resolve) => {
    settle = resolve;
  });
  const next = async () => {
    try {
      const { done, value } = await events.next();
      check();
      return done ? { last: { end: true }, outcome: OK } : { line: { event: value } };
    } catch (error) {
      void events.return(undefined).catch(() => undefined);
      const wire = describe(error);
      return { last: { error: wire }, outcome: wire.code };
    }
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      heartbeat = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode('\n'));
      }, heartbeatMilliseconds);
    },
    async pull(controller) {
      const step = await next();
      if (isLeft) return settle(step.outcome ?? 'cancelled');
      controller.enqueue(lineOf(step.last ?? step.line));
      if (step.last === undefined) return;
      clearInterval(heartbeat);
      controller.close();
      settle(step.outcome);
    },
    async cancel() {
      isLeft = true;
      clearInterval(heartbeat);
      await events.return(undefined).catch(() => undefined);
      settle('cancelled');
    },
  });
  return { body, outcome };
}
