import { CancelledError, EmbedderFaultError, MnemisError, ReembedStoppedError } from '../../errors/index.ts';
import type { Scope } from '../../model/ids.ts';
import type { EmbeddingFingerprint } from '../../model/nodes.ts';
import { embeddingModel, sameFingerprint } from '../../store/graph-store.ts';
import { capitalized } from '../../util/tidy.ts';
import { Move, type MoveContext } from './move.ts';

interface ReembedContext extends MoveContext {
  /** Whether searches compare the vectors of the fingerprint in use. */
  readonly comparesVectors: boolean;
  /** Lets searches go over to the new vectors, after `complete`, while nobody writes. */
  readonly switchOver: (complete: () => Promise<void>) => Promise<void>;
}

/** Goes through scopes that grow meanwhile so often while writers go on; then they wait for the rest. */
const ROUNDS = 3;

/**
 * Moves a memory to another embedder (docs/decisions/2026-11-21-reembedding.md). It may end at any point, by a
 * signal, an error, a kill or a consumer that takes no more: the memory works as before or as moved, never in
 * between, and another call goes on from there.
 */
export async function* reembed(context: ReembedContext): AsyncGenerator<ReembedEvent> {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  const move = new Move(context);
  let isSwitched = false;
  try {
    await move.begin();
    for (let round = 0; round < ROUNDS; round++)
      for (const scope of await move.behind())
        for await (const _ of move.catchUp(scope))
          yield { type: 'progress', scope, done: move.done, total: move.total, seconds: seconds() };
    if (move.embedded > 0 || !context.comparesVectors || !sameFingerprint(move.from, move.to)) {
      await move.settle();
      await context.switchOver(() => complete(move));
      isSwitched = true;
      yield { type: 'switched', seconds: seconds() };
    }
    await move.clean();
    const { from, to, embedded, removed } = move;
    const texts = await move.countDone();
    yield { type: 'done', from, to, texts, embedded, removed, seconds: seconds() };
  } catch (error) {
    throw withKept(error, isSwitched ? describeSwitched(move) : describeBegun(move), context);
  }
}

async function complete(move: Move): Promise<void> {
  for (const scope of await move.behind()) for await (const _ of move.catchUp(scope)); // nobody is told: others wait
}

function withKept(error: unknown, kept: string, { signal }: ReembedContext): unknown {
  if (signal?.aborted) return new CancelledError(kept, error);
  if (EmbedderFaultError.isInstance(error))
    return new ReembedStoppedError(`the embedder gave ${error.what}`, capitalized(kept), error);
  if (MnemisError.isInstance(error)) return error;
  // Never its message, which may quote what a turn says.
  return new ReembedStoppedError('the embedder failed', capitalized(kept), error);
}

function describeBegun({ done, total, from, to }: Move): string {
  if (sameFingerprint(from, to))
    return done < total
      ? `${done} of ${total} texts have a vector of ${embeddingModel(to)} and keep it; run mnemis reembed again to go on`
      : `the memory goes by ${embeddingModel(to)}, and all its texts have their vector`;
  return `${done} of ${total} texts are moved and kept, and the memory still goes by ${embeddingModel(from)}; run mnemis reembed again to go on`;
}

function describeSwitched({ from, to }: Move): string {
  return `the memory goes by ${embeddingModel(to)} now; run mnemis reembed again to remove what is left of ${embeddingModel(from)}`;
}

/**
 * How far `Mnemis.reembed` is, `seconds` since its start. `switched` comes at most once: not where the memory had
 * this embedder and every text its vector.
 */
export type ReembedEvent =
  /** `done` of `total` texts of all scopes have a vector of the new embedder, durably. `scope` is being worked on. */
  | {
      readonly type: 'progress';
      readonly scope: Scope;
      readonly done: number;
      readonly total: number;
      readonly seconds: number;
    }
  /** From here on searches compare the new vectors; what follows only removes the old ones. */
  | { readonly type: 'switched'; readonly seconds: number }
  | ReembedResult;

/**
 * What a move to another embedder came to, over all scopes. `from` and `to` are equal where it only completed what
 * was missing.
 */
export interface ReembedResult {
  readonly type: 'done';
  readonly from: EmbeddingFingerprint;
  readonly to: EmbeddingFingerprint;
  /** Texts that have a vector now. */
  readonly texts: number;
  /** Texts that were embedded by this call; the others had their vector already. */
  readonly embedded: number;
  /** Vectors of other embedders that were removed. */
  readonly removed: number;
  readonly seconds: number;
}
