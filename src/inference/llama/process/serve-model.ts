import { LoadedLlama } from './loaded-llama.ts';
import { type ProcessReply, Refused, requestSchema } from './messages.ts';

/** A model's process as its parent sees it. */
export interface ModelWire {
  readonly post: (reply: ProcessReply) => void;
  readonly subscribe: (listener: (message: unknown) => void) => void;
}

/** Loads one model and decodes what is asked for. What it is sent is checked like anything from outside. */
export function serveModel({ post, subscribe }: ModelWire): void {
  let model: Promise<LoadedLlama> | null = null;
  const running = new Map<number, AbortController>();
  const answer = async (message: unknown): Promise<void> => {
    const request = requestSchema.parse(message);
    if (request.kind === 'cancel') return running.get(request.id)?.abort();
    const id = request.kind === 'load' ? null : request.id;
    try {
      if (request.kind === 'load') {
        model = LoadedLlama.load(request);
        post({ kind: 'loaded', ...(await model).facts });
        return;
      }
      const loaded = await model!;
      if (request.kind === 'count') {
        post({ kind: 'counted', id: request.id, tokens: loaded.count(request.text) });
        return;
      }
      const controller = new AbortController();
      const { signal } = controller;
      running.set(request.id, controller);
      try {
        if (request.kind === 'judge') {
          post({ kind: 'judged', id: request.id, scores: await loaded.judge(request, signal) });
          return;
        }
        const onText = (text: string) => post({ kind: 'piece', id: request.id, text });
        post({ kind: 'end', id: request.id, ...(await loaded.generate(request, { signal, onText })) });
      } finally {
        running.delete(request.id);
      }
    } catch (error) {
      const refusal = error instanceof Refused ? error.refusal : 'other';
      post({ kind: 'refused', id, refusal, reason: error instanceof Error ? error.message : String(error) });
    }
  };
  subscribe((message) => void answer(message));
}
