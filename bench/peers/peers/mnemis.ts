import { join } from 'node:path';
import type { Peer } from '../peer.ts';

export type MnemisStore = 'kuzu' | 'sqlite';

/** `consolidated` runs the whole local tier after the turns are added, as an import or the end of a session does. */
export function mnemis(store: MnemisStore, consolidated: boolean): Peer {
  return {
    packages: ['mnemis'],
    flags: store === 'sqlite' ? ['--omit=optional'] : [],
    settings: `a ${store === 'sqlite' ? 'SQLite' : 'Kùzu'} file, \`automatic: false\`, \`add\` and \`search\` with their defaults`,
    ...(consolidated
      ? { prepares: '`flush`: facts, entities, topics, categories, and the saved index' }
      : {}),
    durable: 'after each add',
    async open({ folder, embedder }) {
      const { Mnemis } = await import('../../../src/engine.ts');
      const path = join(folder, store === 'sqlite' ? 'memory.sqlite' : 'memory.db');
      const engine = await Mnemis.open({ path, embedder, automatic: false });
      const scopes = new Set<string>();
      return {
        async add(scope, turns) {
          scopes.add(scope);
          await engine.scope(scope).add(turns.map(({ id, turn }) => ({ ...turn, sourceId: id })));
        },
        ...(consolidated
          ? {
              async prepare() {
                for (const scope of scopes) await engine.scope(scope).flush();
              },
            }
          : {}),
        async search(scope, question, k) {
          const { episodes } = await engine.scope(scope).search(question, { k });
          return episodes.flatMap(({ sourceId }) => sourceId ?? []);
        },
        close: () => engine.close(),
      };
    },
  };
}
