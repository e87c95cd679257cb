import { CancelledError, EmbedderFaultError, MnemisError, ReembedStoppedError } from '../../errors/index.ts';
import type { Scope } from '../../model/ids.ts';
import type { EmbeddingFingerprint } from '../../model/nodes.ts';
import { embeddingModel, sameFingerprint } from '../../store/graph-store.ts';
import { capitalized } from '../../util/tidy.ts';
import { Move, type MoveContext } from './move.ts';

interface ReembedContext extends MoveContext {
  /** Whether searches compare all stored vectors of the current fingerprint. */
  readonly comparesVectors: boolean;
  /** Switches searches to the new vectors, after `complete`, while no writer runs. */
  readonly switchOver: (complete: () => Promise<void>) => Promise<void>;
}

/** Rounds over scopes that grow in the meantime while writers run; then writers wait for the rest. */
const ROUNDS = 3;

/**
 * Moves a memory to another embedder (docs/decisions/2026-11-21-reembedding.md). A signal, an error, a kill or a
 * consumer that stops may interrupt it at any point: the memory works as before or as moved, never in between, and
 * another call resumes.
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
  for (const scope of await move.behind()) for await (const _ of move.catchUp(scope)); // no events: writers wait
}

function withKept(error: unknown, kept: string, { signal }: ReembedContext): unknown {
  if (signal?.aborted) return new CancelledError(kept, error);
  if (EmbedderFaultError.isInstance(error))
    return new ReembedStoppedError(`the embedder gave ${error.what}`, capitalized(kept), error);
  if (MnemisError.isInstance(error)) return error;
  // Omits the error's message, which may quote a turn.
  return new ReembedStoppedError('the embedder failed', capitalized(kept), error);
}

function describeBegun({ done, total, from, to }: Move): string {
  if (sameFingerprint(from, to))
    return done < total
      ? `${done} of ${total} texts have a vector of ${embeddingModel(to)} and keep it; run mnemis reembed again to continue`
      : `the memory uses ${embeddingModel(to)}, and all its texts have a vector`;
  return `${done} of ${total} texts are moved and kept, and the memory still uses ${embeddingModel(from)}; run mnemis reembed again to continue`;
}

function describeSwitched({ from, to }: Move): string {
  return `the memory now uses ${embeddingModel(to)}; run mnemis reembed again to remove the vectors of ${embeddingModel(from)}`;
}

/**
 * Progress of `Mnemis.reembed`, `seconds` since its start. `switched` comes at most once; it is skipped if the memory
 * already had this embedder and all vectors.
 */
export type ReembedEvent =
  /** `done` of `total` texts of all scopes have a durable vector of the new embedder. `scope` is in progress. */
  | {
      readonly type: 'progress';
      readonly scope: Scope;
      readonly done: number;
      readonly total: number;
      readonly seconds: number;
    }
  /** From here on searches compare the new vectors; the rest only removes the old ones. */
  | { readonly type: 'switched'; readonly seconds: number }
  | ({ readonly type: 'done' } & ReembedResult);

/**
 * The result of a move to another embedder, over all scopes. `from` and `to` are equal if it only added missing
 * vectors.
 */
export interface ReembedResult {
  readonly from: EmbeddingFingerprint;
  readonly to: EmbeddingFingerprint;
  /** Number of texts that have a vector now. */
  readonly texts: number;
  /** Number of texts embedded by this call; the others already had a vector. */
  readonly embedded: number;
  /** Number of removed vectors of other embedders. */
  readonly removed: number;
  readonly seconds: number;
}
