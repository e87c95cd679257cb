/** Types of `mnemis/langchain` and `mnemis/langgraph`, checked with the rest of the types. */
import type { BaseListChatMessageHistory } from '@langchain/core/chat_history';
import type { DocumentInterface } from '@langchain/core/documents';
import type { EmbeddingsInterface } from '@langchain/core/embeddings';
import type { StructuredToolInterface } from '@langchain/core/tools';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint';
import { createAgent } from 'langchain';
import { expectTypeOf } from 'vitest';
import { type Embedder, HashingEmbedder, Mnemis } from '../../src/index.ts';
import {
  type EvidenceMetadata,
  embedderFrom,
  type MnemisChatMessageHistory,
  MnemisEmbeddings,
  MnemisRetriever,
  memoryMiddleware,
  memoryTools,
} from '../../src/langchain/index.ts';
import { MnemisStore, type SqliteCheckpointer } from '../../src/langgraph/index.ts';

const engine = await Mnemis.open({ path: ':memory:' });
const memory = engine.scope('a');

const retriever = new MnemisRetriever({ memory, k: 3, kinds: ['episode', 'fact'] });
expectTypeOf(await retriever.invoke('q')).toExtend<DocumentInterface<EvidenceMetadata>[]>();
// @ts-expect-error whose memory is bound at construction
new MnemisRetriever({ k: 3 });
// @ts-expect-error there are no such kinds
new MnemisRetriever({ memory, kinds: ['category'] });

expectTypeOf<MnemisChatMessageHistory>().toExtend<BaseListChatMessageHistory>();
expectTypeOf<MnemisEmbeddings>().toExtend<EmbeddingsInterface>();
const embeddings = new MnemisEmbeddings({
  embedder: new HashingEmbedder({ analyze: (text) => [text], dimension: 8 }),
});
expectTypeOf(embedderFrom(embeddings, { model: 'm', dimension: 8 })).toExtend<Embedder>();

const tools = memoryTools({ memory });
expectTypeOf(tools).toExtend<readonly StructuredToolInterface[]>();
const middleware = memoryMiddleware({ engine });
expectTypeOf(middleware.settled()).resolves.toBeVoid();
// Whose memory it is comes with each call.
const agent = createAgent({
  model: new FakeListChatModel({ responses: [] }),
  tools,
  middleware: [middleware],
});
await agent.invoke({ messages: [] }, { context: { userId: 'a', private: true } });
// @ts-expect-error a user is a name
await agent.invoke({ messages: [] }, { context: { userId: 7 } });

expectTypeOf<MnemisStore>().toExtend<BaseStore>();
expectTypeOf<SqliteCheckpointer>().toExtend<BaseCheckpointSaver>();
new MnemisStore({ memory });
// @ts-expect-error a store has a memory
new MnemisStore({});
