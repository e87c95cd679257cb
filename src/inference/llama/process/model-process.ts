import { constants, setPriority } from 'node:os';
import { LoadedLlama, Refused } from './loaded-llama.ts';
import { type ProcessReply, requestSchema } from './messages.ts';

/**
 * The program of a model's process. It loads one model and decodes until its parent ends or ends it. What it is sent
 * is checked like anything from outside.
 */
let model: Promise<LoadedLlama> | null = null;
const running = new Map<number, AbortController>();

process.on('message', (message) => void answer(message));
process.on('disconnect', () => process.exit(0));
// A terminal's Ctrl-C reaches all processes; the parent decides when this one ends.
process.on('SIGINT', () => undefined);
try {
  // Decoding takes whole cores; what the user waits for besides goes first.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
} catch {
  // Not every system allows it.
}

async function answer(message: unknown): Promise<void> {
  const request = requestSchema.parse(message);
  if (request.kind === 'cancel') return running.get(request.id)?.abort();
  const id = request.kind === 'load' ? null : request.id;
  try {
    if (request.kind === 'load') {
      model = LoadedLlama.load(request);
      send({ kind: 'loaded', ...(await model).facts });
      return;
    }
    const loaded = await model!;
    if (request.kind === 'count') {
      send({ kind: 'counted', id: request.id, tokens: loaded.count(request.text) });
      return;
    }
    const controller = new AbortController();
    running.set(request.id, controller);
    const reply = await loaded
      .generate(request, {
        signal: controller.signal,
        onText: (text) => send({ kind: 'piece', id: request.id, text }),
      })
      .finally(() => running.delete(request.id));
    send({ kind: 'end', id: request.id, ...reply });
  } catch (error) {
    const refusal = error instanceof Refused ? error.refusal : 'other';
    send({ kind: 'refused', id, refusal, reason: error instanceof Error ? error.message : String(error) });
  }
}

function send(reply: ProcessReply): void {
  if (process.connected) process.send!(reply);
}
