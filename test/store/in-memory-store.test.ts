import { InMemoryStore } from '../../src/store/in-memory/in-memory-store.ts';
import { graphStoreContract } from '../contract/graph-store.ts';

graphStoreContract('InMemoryStore', async () => new InMemoryStore());
