// A LangGraph app whose nodes keep facts about a user in a store on disk, searched by meaning.
import { END, START, StateGraph } from '@langchain/langgraph';
import { Mnemis } from 'mnemis';
import { MnemisStore } from 'mnemis/langgraph';
import { z } from 'zod';

const engine = await Mnemis.open({ path: ':memory:' });
const store = new MnemisStore({ memory: engine.scope('my-app') });

const State = z.object({ user: z.string(), message: z.string(), reply: z.string().default('') });
const app = new StateGraph(State)
  .addNode('respond', async ({ user, message }, { store }) => {
    const namespace = ['users', user];
    const known = await store!.search(namespace, { query: message, limit: 1 });
    await store!.put(namespace, `message-${message.length}`, { text: message });
    return { reply: known.length === 0 ? 'Nice to meet you.' : `You once said: ${known[0]!.value.text}` };
  })
  .addEdge(START, 'respond')
  .addEdge('respond', END)
  .compile({ store });

for (const [user, message] of [
  ['ana', 'I play the cello in a quartet.'],
  ['ana', 'Which instrument do I play?'],
  ['anabel', 'Which instrument do I play?'], // namespaces are compared label by label: users/anabel is not users/ana
] as const)
  console.log(`${user}: ${message}\n  ${(await app.invoke({ user, message })).reply}`);
await engine.close();
