import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, stepCountIs } from 'ai';
import { expect, it } from 'vitest';
import { memoryFiles } from '../../src/ai-sdk/index.ts';
import { Mnemis } from '../../src/engine.ts';
import { memoryCall, messagesServer, words } from '../fixtures/anthropic-messages.ts';

/** What a model of the AI SDK gets back for its calls of Anthropic's memory tool. */
async function resultsOf(path: string, user: string, calls: readonly object[]) {
  const engine = await Mnemis.open({ path, automatic: false });
  const replies = calls.map((input, at) => [memoryCall(`call_${at}`, input)]);
  const server = await messagesServer([...replies, [words('Done.')]]);
  try {
    const anthropic = createAnthropic({ baseURL: server.url, apiKey: 'none' });
    const memory = anthropic.tools.memory_20250818(memoryFiles({ memory: engine.scope(user) }));
    const { text } = await generateText({
      model: anthropic('claude-sonnet-4-5'),
      tools: { memory },
      prompt: 'Go on.',
      stopWhen: stepCountIs(calls.length + 1),
    });
    expect(text).toBe('Done.');
    expect(server.requests[0]!.tools).toEqual([{ type: 'memory_20250818', name: 'memory' }]);
    return server.results();
  } finally {
    await server.close();
    await engine.close();
  }
}

it('gives Anthropic’s memory tool of the AI SDK the files of each user, in one process after another', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'ai-sdk-files-')), 'm.sqlite');
  const file = '/memories/pets.md';
  const view = { command: 'view', path: file };
  expect(
    await resultsOf(path, 'ann', [
      { command: 'view', path: '/memories' },
      { command: 'create', path: file, file_text: 'Cat: Miso\n' },
      { command: 'str_replace', path: file, old_str: 'Miso', new_str: 'Coco' },
    ]),
  ).toEqual([
    expect.stringMatching(/\n0B\t\/memories$/),
    `File created successfully at: ${file}`,
    expect.stringMatching(/^The memory file has been edited\..*\n {5}1\tCat: Coco\n/),
  ]);
  expect(await resultsOf(path, 'bo', [view])).toEqual([
    `The path ${file} does not exist. Please provide a valid path.`,
  ]);
  expect(await resultsOf(path, 'ann', [view, { command: 'delete', path: file }])).toEqual([
    `Here's the content of ${file} with line numbers:\n     1\tCat: Coco\n     2\t`,
    `Successfully deleted ${file}`,
  ]);
});
