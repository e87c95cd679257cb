import { assistantGraph } from '../../graphs/assistant/graph.ts';
import { Mnemis } from '../../src/engine.ts';
import { SqliteCheckpointer } from '../../src/langgraph/checkpoints/sqlite-checkpointer.ts';

/** Run as a process that is killed while a human is asked: `folder`, then what the user says. */
const [folder, message] = process.argv.slice(2) as [string, string];
const engine = await Mnemis.open({ path: `${folder}/memory.db` });
const graph = assistantGraph({
  memoryOf: async (scope) => engine.scope(scope),
  checkpointer: await SqliteCheckpointer.open(`${folder}/assistant.sqlite`),
});
await graph.invoke(
  { messages: [{ role: 'user', content: message }] },
  { configurable: { thread_id: 'talk' }, context: { confirm: true, rememberQuotes: true } },
);
process.stdout.write('asked\n');
setInterval(() => {}, 1000);
