import type { HttpMiddleware } from './http-env.ts';

/** The address whose reply lasts as long as its client is there. */
export const ATTEND = 'attend';

/** Counts the clients that are there, also those that say nothing. @param onChange - receives their number. */
export function attendance(onChange: (clients: number) => void): HttpMiddleware {
  let clients = 0;
  return async (context) => {
    onChange(++clients);
    context.env.outgoing.once('close', () => onChange(--clients));
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('\n')),
    });
    return context.body(body, 200, { 'content-type': 'application/x-ndjson' });
  };
}
