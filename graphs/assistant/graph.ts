import type { BaseCheckpointSaver, RetryPolicy } from '@langchain/langgraph';
import { MnemisError } from '../../src/errors/index.ts';
import { compileGraph } from '../compile.ts';
import { END, type GraphDefinition } from '../definition.ts';
import { type AssistantSetup, assistantNodes } from './nodes.ts';
import { AssistantState, assistantContext } from './state.ts';

export interface AssistantGraphOptions extends AssistantSetup {
  /** Persists threads across restarts; interrupts need one. Studio supplies its own. */
  readonly checkpointer?: BaseCheckpointSaver | undefined;
  /** Names of recipes that the context may give; default: those of the library. */
  readonly recipes?: readonly string[] | undefined;
}

const Input = AssistantState.pick({ messages: true, private: true });
const Output = AssistantState.pick({
  messages: true,
  evidence: true,
  citations: true,
  isQuoted: true,
  remembered: true,
});

/**
 * START → recall → respond → remember → END; a private turn ends after respond, in which a model may call tools. With
 * `confirm` in the context, remember interrupts the run and waits for a decision: resume it with
 * `new Command({ resume: 'approve' })`, at any time and in any process. Interrupted and resumed runs never add a turn twice.
 */
export function assistantGraph({ checkpointer, recipes, ...setup }: AssistantGraphOptions) {
  return compileGraph(assistantDefinition(setup, recipes), { checkpointer });
}

function assistantDefinition(
  setup: AssistantSetup,
  recipes: readonly string[] | undefined,
): GraphDefinition<typeof AssistantState, typeof Input, typeof Output, ReturnType<typeof assistantContext>> {
  const context = assistantContext(recipes);
  const nodes = assistantNodes(setup, context);
  return {
    name: 'assistant',
    state: AssistantState,
    input: Input,
    output: Output,
    context,
    first: 'recall',
    steps: 25,
    nodes: {
      recall: { run: nodes.recall, next: 'respond', retryPolicy: retryOn('store-read') },
      // The model's client retries on its own until the first piece of a reply was streamed.
      respond: {
        run: nodes.respond,
        retryPolicy: retryOn('store-read'),
        next: {
          by: ({ isPrivate }) => (isPrivate ? 'private' : 'to remember'),
          to: { private: END, 'to remember': 'remember' },
        },
      },
      remember: {
        run: nodes.remember,
        next: END,
        retryPolicy: retryOn('store-read', 'store-write'),
      },
    },
  };
}

/** Retries only errors with these codes. */
function retryOn(...codes: readonly string[]): RetryPolicy {
  return {
    maxAttempts: 3,
    initialInterval: 200,
    logWarning: false,
    retryOn: (error) => MnemisError.isInstance(error) && codes.includes(error.code),
  };
}
