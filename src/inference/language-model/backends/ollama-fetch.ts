import { z } from 'zod';

/** A reply with an error status, in the form that failures are read in. */
interface StatusFailure {
  readonly status: number;
  readonly message: string;
  readonly headers: Headers;
}

const bodySchema = z.object({ error: z.string() }).catch({ error: '' });

/**
 * `fetch` as Ollama's client needs it and does not do it itself: every request ends with the signal, an error
 * status keeps its headers (`retry-after`), and a line that is no JSON breaks the reply off instead of being printed.
 */
export function ollamaFetch(signal: AbortSignal): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, signal });
    if (!response.ok) {
      const { error } = bodySchema.parse(await response.json().catch(() => undefined));
      throw { status: response.status, message: error, headers: response.headers } satisfies StatusFailure;
    }
    if (response.body === null) return response;
    return new Response(response.body.pipeThrough(onlyJsonLines()), response);
  };
}

/** Passes bytes on as they are, and fails at the first whole line that is no JSON. */
function onlyJsonLines(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let rest = '';
  return new TransformStream({
    transform(chunk, controller) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) JSON.parse(line);
      controller.enqueue(chunk);
    },
    flush() {
      if (rest !== '') JSON.parse(rest);
    },
  });
}
