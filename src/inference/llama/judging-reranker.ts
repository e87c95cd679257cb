import { CancelledError, ModelClosedError } from '../../errors/index.ts';
import { LOCAL_TIMEOUT_SECONDS, rethrow } from '../language-model/backends/local.ts';
import { withDeadline } from '../language-model/calling/model-caller.ts';
import { classifyFailure, DeadlinePassed, failureError } from '../language-model/calling/model-failure.ts';
import type { RerankOptions } from '../reranker.ts';
import type { ModelHost } from './model-host.ts';

interface JudgingSettings {
  /** As it is shown, such as `local:qwen3-4b-instruct`. */
  readonly name: string;
  readonly host: ModelHost;
  readonly contextTokens: number;
  /** For one call with all its documents; 600,000 by default. */
  readonly milliseconds?: number;
}

/**
 * A chat model of this computer as a reranker: the probability that its reply would begin with yes, not no. A call
 * throws CancelledError, ModelClosedError, PackageMissingError without the runtime, ModelProcessError (the next call
 * starts another process), and ModelUnavailableError after the time limit. Others may use the process, so `close` leaves it.
 */
export function judgingReranker({ name, host, contextTokens, ...settings }: JudgingSettings) {
  const { milliseconds = LOCAL_TIMEOUT_SECONDS * 1_000 } = settings;
  let isClosed = false;
  const close = async () => {
    isClosed = true;
  };
  const rerank = async (
    query: string,
    documents: readonly string[],
    { signal = new AbortController().signal }: RerankOptions = {},
  ): Promise<number[]> => {
    if (isClosed) throw new ModelClosedError(name);
    if (documents.length === 0) return [];
    try {
      const judged = await withDeadline({ milliseconds, signal }, (stop) =>
        host.judge(query, documents, stop),
      );
      return [...judged];
    } catch (error) {
      if (signal.aborted)
        throw new CancelledError('nothing was reranked, memory is unchanged', signal.reason);
      if (!(error instanceof DeadlinePassed)) return rethrow(name, contextTokens)(error);
      throw failureError(classifyFailure(error, Date.now), { model: name, contextTokens, attempts: 1 });
    }
  };
  return {
    model: name,
    /** `cpu` before the first call. */
    get device() {
      return host.lastLoaded?.device ?? 'cpu';
    },
    rerank,
    close,
    [Symbol.asyncDispose]: close,
  };
}
