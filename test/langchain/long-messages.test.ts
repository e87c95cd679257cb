import { AIMessage } from '@langchain/core/messages';
import { createAgent, fakeModel } from 'langchain';
import { expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import { memoryMiddleware } from '../../src/langchain/memory-middleware.ts';
import { MnemisRetriever } from '../../src/langchain/mnemis-retriever.ts';

it('long questions and messages break neither a search nor a run, and a user may be a number', async () => {
  await using engine = await Mnemis.open({ path: ':memory:', automatic: false });
  const failures: unknown[] = [];
  const memory = memoryMiddleware({ engine, onError: (error) => failures.push(error) });
  const model = fakeModel().respond(new AIMessage('ok')).respond(new AIMessage('Ghent'));
  const agent = createAgent({ model, tools: [], middleware: [memory] });
  const run = (content: string, thread: string) =>
    agent.invoke(
      { messages: [{ role: 'user', content }] },
      { context: { userId: 42 as unknown as string }, configurable: { thread_id: thread } },
    );
  await run('I moved to Ghent last week.', 'one');
  await memory.settled();
  await run(`${'lorem ipsum '.repeat(25_000)} Where do I live? In Ghent?`, 'two');
  await memory.settled();
  expect(failures).toEqual([]);
  expect(
    model.calls
      .at(-1)!
      .messages.map(({ text }) => text.slice(0, 2_000))
      .join(' '),
  ).toContain('I moved to Ghent');
  // Two messages, two parts of a long one, one reply each.
  expect((await engine.scope('42').stats()).episode).toBe(5);
  const retriever = new MnemisRetriever({ memory: engine.scope('42') });
  expect((await retriever.invoke(`${'word '.repeat(20_000)} Ghent`)).length).toBeGreaterThan(0);
});
