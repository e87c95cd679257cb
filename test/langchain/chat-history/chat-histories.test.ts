import { InMemoryChatMessageHistory } from '@langchain/core/chat_history';
import { afterAll } from 'vitest';
import { Mnemis } from '../../../src/engine.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { MnemisChatMessageHistory } from '../../../src/langchain/index.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { chatHistoryContract } from '../../contract/chat-history.ts';

const engine = await Mnemis.open({
  path: ':memory:',
  embedder: new HashingEmbedder({ analyze, dimension: 32 }),
  automatic: false,
});
afterAll(() => engine.close());
let count = 0;

chatHistoryContract('MnemisChatMessageHistory', {
  open: async () => {
    const memory = engine.scope(`scope-${++count}`);
    return (session) => new MnemisChatMessageHistory({ memory, session });
  },
});

chatHistoryContract('LangChain’s history in memory', {
  open: async () => {
    const sessions = new Map<string, InMemoryChatMessageHistory>();
    return (session) => {
      const history = sessions.get(session) ?? new InMemoryChatMessageHistory();
      sessions.set(session, history);
      return history;
    };
  },
  skips: {
    shared: 'an instance is the conversation: two of one session know nothing of each other',
    ids: 'it takes whatever it is given, the same message over and over',
    'side by side': 'its addMessages waits after each message, and others get between',
    'own list': 'it hands out the list that it keeps',
    'own messages': 'it keeps and hands out the very objects that it was given',
  },
});
