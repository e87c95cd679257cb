import { statSync } from 'node:fs';
import { join } from 'node:path';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { END, MessagesValue, START, StateGraph, StateSchema } from '@langchain/langgraph';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { SqliteCheckpointer } from '../../src/langgraph/checkpoints/sqlite-checkpointer.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';
import { inTier } from '../tier.ts';

const folder = freshFolder();

const TURNS = inTier({ fast: 60, slow: 334 });
/** 5 MB for 334 turns, of which 166 kB are the words. */
const BYTES_PER_TURN = 15_000;
const KINDS = ['turn', 'fact', 'episode'];

const state = new StateSchema({
  messages: MessagesValue,
  query: z.string().default(''),
  evidence: z.array(z.object({ id: z.string(), kind: z.string() })).default([]),
});
const chat = (checkpointer: SqliteCheckpointer) =>
  new StateGraph(state)
    .addNode('prepare', ({ messages }) => ({ query: `${messages.at(-1)?.content}`.slice(0, 100) }))
    .addNode('recall', ({ messages }) => ({
      evidence: Array.from({ length: 30 }, (_, at) => ({
        id: `turn-${messages.length * 30 + at}`,
        kind: KINDS[at % 3]!,
      })),
    }))
    .addNode('respond', ({ messages }) => ({
      messages: [new AIMessage(`answer ${messages.length} `.padEnd(300, 'because of what was said '))],
    }))
    .addNode('remember', () => ({ query: '' }))
    .addEdge(START, 'prepare')
    .addEdge('prepare', 'recall')
    .addEdge('recall', 'respond')
    .addEdge('respond', 'remember')
    .addEdge('remember', END)
    .compile({ checkpointer });

it('the file of a long thread grows with what is said, and shrinks when the thread is deleted', async () => {
  const path = join(folder, 'chat.sqlite');
  const checkpointer = await SqliteCheckpointer.open(path);
  const graph = chat(checkpointer);
  const size = () => {
    checkpointer.file.erase();
    return statSync(path).size;
  };
  const empty = size();
  const thread = { configurable: { thread_id: 't' } };
  const ask = (turn: number) =>
    graph.invoke(
      { messages: [new HumanMessage(`question ${turn} `.padEnd(200, 'what about it then '))] },
      thread,
    );
  for (let turn = 0; turn < TURNS / 2; turn++) await ask(turn);
  const half = size();
  for (let turn = TURNS / 2; turn < TURNS; turn++) await ask(turn);
  const whole = size();
  expect(whole).toBeLessThan(TURNS * BYTES_PER_TURN);
  expect(whole - half).toBeLessThan(1.3 * (half - empty));
  await checkpointer.deleteThread('t');
  expect(statSync(path).size).toBe(empty);
  await checkpointer.close();
});
