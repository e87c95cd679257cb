import type { Peer } from './peer.ts';
import { lancedb } from './peers/lancedb.ts';
import { langchain } from './peers/langchain.ts';
import { langgraph } from './peers/langgraph.ts';
import { mem0 } from './peers/mem0.ts';
import { mnemis } from './peers/mnemis.ts';
import { orama } from './peers/orama.ts';
import { sqliteVec } from './peers/sqlite-vec.ts';

/** In the order of the tables. */
export const PEERS: ReadonlyMap<string, Peer> = new Map([
  ['mnemis', mnemis('kuzu', false)],
  ['mnemis-consolidated', mnemis('kuzu', true)],
  ['mnemis-sqlite', mnemis('sqlite', false)],
  ['mnemis-sqlite-consolidated', mnemis('sqlite', true)],
  ['mem0', mem0],
  ['langgraph', langgraph],
  ['langchain', langchain],
  ['orama', orama],
  ['lancedb', lancedb],
  ['sqlite-vec', sqliteVec],
]);
