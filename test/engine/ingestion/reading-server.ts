import type { ChatAsked, Fault, Said } from '../../fakes/openai-server/script.ts';
import { openLab } from '../../inference/language-model/model-lab.ts';
import { goodReply, isReading, type Reply } from './good-reply.ts';
import { memoryOver, watchedStore } from './memory-over.ts';

export { goodReply, isReading, type Reply };

export interface ReadingLabOptions {
  readonly reply?: (asked: ChatAsked, good: Reply) => Said;
  readonly faultOf?: (asked: ChatAsked) => Fault | null;
  readonly timeout?: number;
  readonly concurrency?: number;
}

/** A memory over a server that answers as the test wants; other prompts than reading get an empty object. */
export async function openReadingLab({ reply, faultOf, ...options }: ReadingLabOptions = {}) {
  const asked: ChatAsked[] = [];
  const lab = await openLab('openai', {
    ...options,
    server: {
      guessesTokens: true,
      ...(faultOf && { faultOf }),
      reply: (request) => {
        if (!isReading(request)) return {};
        asked.push(request);
        return reply === undefined ? { ...goodReply(request) } : reply(request, goodReply(request));
      },
    },
  });
  const { store } = watchedStore();
  const opened = () => memoryOver(store, { model: lab.model });
  const { memory } = await opened();
  return {
    ...{ memory, server: lab.server },
    /** Requests that read turns and were answered. */
    asked,
    /** The memory as a new process opens it. */
    reopen: async () => (await opened()).memory,
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
}

/** Turns of people who bought boats, in the sessions given. */
export function boats(count: number, sessionOf: (at: number) => string = () => 's') {
  return Array.from({ length: count }, (_, at) => ({
    ...{ session: sessionOf(at), speaker: `P${at}`, at: Date.UTC(2026, 2, 1, 9, at) },
    content: `I bought a boat number ${at} in Ghent.`,
  }));
}

export async function resumed(memory: Awaited<ReturnType<typeof memoryOver>>['memory'], retry: boolean) {
  let last: object | undefined;
  for await (const event of memory.resume({ retry })) last = event;
  return last as { readonly counts: { readonly consolidated: number; readonly setAside: number } };
}
