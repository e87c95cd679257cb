import { type BaseCheckpointSaver, END, type RetryPolicy, START, StateGraph } from '@langchain/langgraph';
import { MnemisError } from '../../src/errors/index.ts';
import { type AssistantSetup, assistantNodes } from './nodes.ts';
import { AssistantState } from './state.ts';

export interface AssistantGraphOptions extends AssistantSetup {
  /** Persists threads across restarts; interrupts need one. Studio supplies its own. */
  readonly checkpointer?: BaseCheckpointSaver | undefined;
}

/**
 * START → recall → respond → remember → END; a private turn ends after respond. With `confirm` in the state, remember
 * interrupts the run and waits for a decision: resume it with `new Command({ resume: 'approve' })`, at any time and
 * in any process. Interrupted and resumed runs never add a turn twice.
 */
export function assistantGraph({ checkpointer, ...setup }: AssistantGraphOptions) {
  const nodes = assistantNodes(setup);
  return (
    new StateGraph(AssistantState)
      .addNode('recall', nodes.recall, { retryPolicy: retryOn('store-read') })
      // The model's client retries on its own until the first piece of a reply was streamed.
      .addNode('respond', nodes.respond, { retryPolicy: retryOn('store-read') })
      .addNode('remember', nodes.remember, { retryPolicy: retryOn('store-read', 'store-write') })
      .addEdge(START, 'recall')
      .addEdge('recall', 'respond')
      .addConditionalEdges('respond', ({ isPrivate }) => (isPrivate ? END : 'remember'), ['remember', END])
      .addEdge('remember', END)
      .compile(checkpointer === undefined ? {} : { checkpointer })
  );
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
