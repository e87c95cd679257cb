// From LangChain's chat histories and buffer memories: their messages become turns; running it again adds nothing
// twice.
import { InMemoryChatMessageHistory } from '@langchain/core/chat_history';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { Mnemis } from 'mnemis';
import { MnemisChatMessageHistory } from 'mnemis/langchain';

// In place of your own history; `new BufferMemory({ chatHistory })` also keeps its messages in one.
const old = new InMemoryChatMessageHistory([
  new HumanMessage({ id: 'm1', content: 'My cello teacher is called Joris.' }),
  new AIMessage({ id: 'm2', content: 'How long have you been learning?' }),
  new HumanMessage({ id: 'm3', content: 'Since March.' }),
]);

const engine = await Mnemis.open({ path: ':memory:' });
const memory = engine.scope('alice');
const history = new MnemisChatMessageHistory({ memory, session: 'before-mnemis' });
for (let run = 1; run <= 2; run++) {
  await history.addMessages(await old.getMessages());
  console.log(`run ${run}: ${(await memory.stats()).episode} turns`);
}
console.log((await memory.ask('Who is the cello teacher?', { answerer: 'local' })).text);
console.log((await history.getMessages()).map((message) => `${message.type}: ${message.text}`).join('\n'));
await engine.close();
