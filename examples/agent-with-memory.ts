// An agent that remembers across conversations, separately for each user.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent } from 'langchain';
import { Mnemis } from 'mnemis';
import { memoryMiddleware } from 'mnemis/langchain';
import { chatModel } from './chat-model.ts';

const folder = await mkdtemp(join(tmpdir(), 'mnemis-example-'));
const model = chatModel([
  'Noted: no nuts.',
  'A carrot cake without nuts.',
  'I do not know of any allergies of yours.',
]);

/** As in another process on another day: opens the memory again and keeps no other state. */
async function conversation(userId: string, message: string): Promise<string> {
  const engine = await Mnemis.open({ path: join(folder, 'memory.db') });
  const memory = memoryMiddleware({ engine });
  const agent = createAgent({ model, tools: [], middleware: [memory] });
  const { messages } = await agent.invoke(
    { messages: [{ role: 'human', content: message }] },
    { context: { userId } },
  );
  await memory.settled();
  const { episodes } = await engine.scope(userId).search(message, { k: 3 });
  console.log(`${userId}: ${message}\n  agent: ${messages.at(-1)?.text}`);
  console.log(`  in memory: ${episodes.map(({ content }) => content).join(' | ')}`);
  await engine.close();
  return messages.at(-1)?.text ?? '';
}

await conversation('ana', 'I am allergic to nuts.');
await conversation('ana', 'Which cake should I bake, given my allergies?');
await conversation('ben', 'Which allergies do I have?'); // another user does not see Ana's memory
await rm(folder, { recursive: true });
