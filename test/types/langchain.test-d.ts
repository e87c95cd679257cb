/** Types of `mnemis/langchain` and `mnemis/langgraph`, checked with the rest of the types. */
import type { BaseListChatMessageHistory } from '@langchain/core/chat_history';
import type { DocumentInterface } from '@langchain/core/documents';
import type { EmbeddingsInterface } from '@langchain/core/embeddings';
import type { BaseDocumentCompressor } from '@langchain/core/retrievers/document_compressors';
import type { BaseRetriever } from '@langchain/core/retrievers';
import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint';
import { createAgent, FakeToolCallingModel } from 'langchain';
import { expectTypeOf } from 'vitest';
import { Mnemis } from '../../src/index.ts';
import * as adapters from '../../src/langchain/index.ts';
import * as graphs from '../../src/langgraph/index.ts';

const engine = await Mnemis.open({ path: ':memory:' });
const memory = engine.scope('a');
