import { ingestionGraph } from '../../../graphs/ingestion/graph.ts';
import { demoTurns } from '../../cli/demo/conversation.ts';
import type { AppContext } from '../app-context.ts';

export const SAMPLE_SCOPE = 'sample';

/** Questions that the local tier answers from the sample; a test checks each. */
export const SAMPLE_QUESTIONS = [
  'Is Nora still a vegetarian?',
  'Which trips has Ilan been on?',
  'When did Nora adopt a dog?',
  'Who is Nora’s boss?',
  'When is the book launch?',
] as const;

export interface Sample {
  readonly scope: string;
  readonly turns: number;
  readonly questions: string[];
}

/** A memory to play with, in a scope of its own. */
export class SampleMemory {
  readonly #context: Pick<AppContext, 'engine'>;
  #opening: Promise<Sample> | null = null;

  constructor(context: Pick<AppContext, 'engine'>) {
    this.#context = context;
  }

  /** Created at the first call; two windows that ask at once share the work, which neither cancels. */
  open(): Promise<Sample> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #open(): Promise<Sample> {
    const scope = this.#context.engine.scope(SAMPLE_SCOPE);
    const { episode, enrichment } = await scope.stats();
    const all = demoTurns();
    // What the user forgot of a complete sample stays forgotten; an interrupted one is completed.
    if (episode === 0) await scope.add(all);
    if (episode === 0 || enrichment.pending > 0) await this.#read();
    const turns = (await scope.stats()).episode;
    return { scope: SAMPLE_SCOPE, turns, questions: [...SAMPLE_QUESTIONS] };
  }

  /** By local rules: nobody wants to pay a model, or to wait for it, for a sample. Categories stay for a later flush. */
  async #read(): Promise<void> {
    const { engine } = this.#context;
    const scope = engine.scope(SAMPLE_SCOPE);
    if (engine.describeIngestion().tier === 'local') await scope.flush();
    else await ingestionGraph(async () => scope.ingestionSteps({ tier: 'local' })).invoke({ ended: true });
  }
}
