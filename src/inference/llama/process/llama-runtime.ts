/**
 * The parts of the optional package `node-llama-cpp` that Mnemis uses. Declared here because the package is no
 * dependency, not even of development: it takes 700 MB. `npm run peers` compiles against the real one. Where it takes
 * objects of its own classes, the type is `never`, since they have private parts.
 */
export interface LlamaRuntime {
  getLlama(options: {
    readonly build: 'never';
    readonly skipDownload: true;
    readonly progressLogs: false;
    readonly logger: () => void;
  }): Promise<Llama>;
  readonly LlamaChat: new (options: { readonly contextSequence: never }) => LlamaChat;
  /** What is added to the logits of tokens. */
  readonly TokenBias: new (
    tokenizer: never,
  ) => { set(token: never, bias: { readonly logit: number }): unknown };
}

export interface Llama {
  /** Interface of the accelerator; false for none. */
  readonly gpu: string | false;
  /** Cores that calculate. */
  readonly cpuMathCores: number;
  loadModel(options: { readonly modelPath: string }): Promise<LlamaModel>;
  createGrammar(options: { readonly grammar: string }): Promise<object>;
}

export interface LlamaModel {
  readonly trainContextSize: number;
  readonly tokenizer: object;
  tokenize(text: string): readonly number[];
  createContext(options: {
    readonly contextSize: { readonly min: number; readonly max: number };
    readonly sequences: number;
    readonly threads: number;
  }): Promise<LlamaContext>;
}

export interface LlamaContext {
  /** Tokens of one sequence. */
  readonly contextSize: number;
  getSequence(): LlamaSequence;
}

/** One reply being written, with the evaluated tokens of the last one. */
export interface LlamaSequence {
  readonly tokenMeter: {
    readonly usedInputTokens: number;
    readonly usedOutputTokens: number;
  };
  /** How many tokens are evaluated. */
  readonly nextTokenIndex: number;
  compareContextTokens(tokens: never): { readonly firstDifferentIndex: number };
  clearHistory(): Promise<void>;
  /** Forgets what stands after the beginning that is shared with these tokens. */
  adaptStateToTokens(tokens: never, allowShift: false): Promise<void>;
  /** Does nothing for models that need none. */
  takeCheckpoint(): Promise<void>;
  /** Evaluates tokens; one that stands with options gets the probabilities of the token after it. */
  controlledEvaluate(tokens: never): Promise<readonly (LlamaNext | undefined)[]>;
}

interface LlamaNext {
  readonly next: { readonly probabilities?: ReadonlyMap<number, number> };
}

/** Of a model that reasons. */
interface LlamaThought {
  readonly type: 'segment';
  readonly segmentType: 'thought';
  readonly text: string;
  readonly ended: boolean;
}

export type LlamaTurn =
  | { readonly type: 'system' | 'user'; readonly text: string }
  | { readonly type: 'model'; readonly response: (string | LlamaThought)[] };

export interface LlamaChat {
  readonly chatWrapper: {
    /** With `thought` for models that may reason. */
    readonly settings: { readonly segments?: { readonly thought?: object } };
    generateContextState(options: { readonly chatHistory: LlamaTurn[] }): {
      readonly contextText: { tokenize(tokenizer: never): readonly number[] };
    };
  };
  generateResponse(history: LlamaTurn[], options: GenerateOptions): Promise<LlamaResponse>;
}

interface GenerateOptions {
  readonly grammar?: never;
  readonly signal: AbortSignal;
  readonly stopOnAbortSignal: true;
  readonly maxTokens: number;
  readonly temperature: number;
  readonly seed: number;
  readonly customStopTriggers: string[];
  readonly onResponseChunk: (chunk: { readonly type?: 'segment'; readonly text: string }) => void;
}

interface LlamaResponse {
  readonly response: string;
  readonly metadata: {
    /** `maxTokens`, `abort`, or another. */
    readonly stopReason: string;
  };
}
