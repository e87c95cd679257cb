import { CancelledError, ModelFaultError } from '../../errors/index.ts';
import { breathe } from '../../util/breathe.ts';
import type { Reranker, RerankOptions } from '../reranker.ts';
import type { Encoding } from './batches.ts';
import type { Device, TensorInfo } from './onnx-runtime.ts';
import { type BatchResult, type LoadOptions, type OpenModel, openModel } from './open-model.ts';
import type { RerankerCheck, RerankerProfile } from './profile.ts';
import { selfCheck } from './self-check.ts';

/** Pairs are longer than single texts, so fewer are tokenized before other tasks get their turn. */
const PAIRS_PER_TURN = 16;
const WINDOW = 256;

/** Scores of a batch's rows, from 0 to 1; null if the output has another shape. */
type ReadScores = (batch: BatchResult) => readonly number[] | null;

/** Scores from ONNX files on disk: a cross-encoder, or a language model that answers yes or no. */
export class OnnxReranker implements Reranker {
  readonly model: string;
  readonly #model: OpenModel;
  readonly #profile: RerankerProfile;
  readonly #output: string;
  readonly #read: ReadScores;

  private constructor(model: OpenModel, profile: RerankerProfile) {
    this.model = profile.name;
    this.#model = model;
    this.#profile = profile;
    this.#output = outputOf(profile.name, model.outputs);
    this.#read = readerFor(model, profile);
  }

  /**
   * @throws InvalidInputError, ModelMissingError, ModelFaultError, RuntimeMissingError, DeviceFailedError,
   *   SelfCheckFailedError, CancelledError
   */
  static load(options: LoadOptions<RerankerProfile>): Promise<OnnxReranker> {
    const { profile, signal } = options;
    return openModel(options, async (model) => {
      const reranker = new OnnxReranker(model, profile);
      await reranker.rerank('a query', ['a document to try the device with'], { signal });
      if (options.selfCheck !== 'skip') await selfCheck(model, () => reranker.#check(profile.selfCheck));
      return reranker;
    });
  }

  /** Where it runs. */
  get device(): Device {
    return this.#model.device;
  }

  /** @throws CancelledError, ModelClosedError, ModelFaultError */
  async rerank(query: string, documents: readonly string[], options: RerankOptions = {}): Promise<number[]> {
    const scores: number[] = [];
    for (let start = 0; start < documents.length; start += WINDOW)
      scores.push(...(await this.#score(query, documents.slice(start, start + WINDOW), options)));
    return scores;
  }

  /** Frees the session after the calls under way. Idempotent. */
  async close(): Promise<void> {
    await this.#model.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #score(query: string, documents: readonly string[], { signal }: RerankOptions): Promise<number[]> {
    const scores = documents.map(() => 0);
    const encodings: Encoding[] = [];
    for (let start = 0; start < documents.length; start += PAIRS_PER_TURN) {
      if (signal?.aborted)
        throw new CancelledError('nothing was reranked, memory is unchanged', signal.reason);
      if (start > 0) await breathe();
      encodings.push(...this.#encode(query, documents.slice(start, start + PAIRS_PER_TURN)));
    }
    for await (const batch of this.#model.run(encodings, { output: this.#output, isUrgent: true, signal })) {
      const read = this.#read(batch);
      if (read === null || !read.every(Number.isFinite))
        throw new ModelFaultError(
          this.model,
          'its graph gave no finite logits of the shape that its profile describes',
        );
      for (const [at, row] of batch.rows.entries()) scores[row] = read[at]!;
    }
    return scores;
  }

  #encode(query: string, documents: readonly string[]): Encoding[] {
    const { head } = this.#profile;
    return head.kind === 'sigmoid-logit'
      ? this.#model.tokenizer.encodePairs(query, documents)
      : this.#model.tokenizer.encodeTemplate(head.template, query, documents);
  }

  async #check(checks: readonly RerankerCheck[]): Promise<boolean[]> {
    const answers: boolean[] = [];
    for (const { query, better, worse } of checks) {
      const [high, low] = await this.rerank(query, [better, worse]);
      answers.push(high! > low!);
    }
    return answers;
  }
}

/** By name, or the only one there is. */
function outputOf(model: string, outputs: readonly TensorInfo[]): string {
  const found =
    outputs.find(({ name }) => name === 'logits') ?? (outputs.length === 1 ? outputs[0] : undefined);
  if (found !== undefined) return found.name;
  const names = outputs.map(({ name }) => name).join(', ');
  throw new ModelFaultError(model, `its graph has several outputs and none is named logits: ${names}`);
}

function readerFor({ tokenizer }: OpenModel, { name, head }: RerankerProfile): ReadScores {
  if (head.kind === 'sigmoid-logit') return readSigmoids;
  const [yes, no] = [tokenizer.idOf(head.yes), tokenizer.idOf(head.no)];
  if (yes === undefined || no === undefined)
    throw new ModelFaultError(name, 'its tokenizer has no single tokens for the two answers');
  return (batch) => readAnswers(batch, yes, no);
}

/** One logit a row: rows × 1, or a list. */
function readSigmoids({ rows, output }: BatchResult): readonly number[] | null {
  return output.data.length === rows.length ? Array.from(output.data, sigmoid) : null;
}

/** The next token's logits after each row's last token: softmax over the two answers is the sigmoid of their gap. */
function readAnswers({ spans, output }: BatchResult, yes: number, no: number): readonly number[] | null {
  const [rows, length, vocabulary] = output.dimensions;
  if (output.dimensions.length !== 3 || rows !== spans.length || Math.max(yes, no) >= vocabulary!)
    return null;
  return spans.map(({ end }, row) => {
    // Some graphs return the last position only.
    const at = (row * length! + (length === 1 ? 0 : end - 1)) * vocabulary!;
    return sigmoid(output.data[at + yes]! - output.data[at + no]!);
  });
}

function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}
