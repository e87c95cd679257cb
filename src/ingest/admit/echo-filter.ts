import type { GraphChanges } from '../../model/graph-changes.ts';
import type { Scope } from '../../model/ids.ts';
import type { Episode } from '../../model/nodes.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { Breather } from '../../util/breathe.ts';
import { RecalledTexts } from './recalled-texts.ts';

/**
 * The texts of one scope that search results may contain, to recognise them when a caller adds them as turns. Loads
 * them from the graph when consolidation first asks for them and updates them after each commit; searches do not use
 * them. Expired texts stay, because memory may have returned them earlier.
 */
export class EchoFilter {
  readonly #store: GraphStore;
  readonly #scope: Scope;
  #texts: Promise<RecalledTexts> | null = null;

  constructor(store: GraphStore, scope: Scope) {
    this.#store = store;
    this.#scope = scope;
  }

  /** The texts if they are loaded or loading; else null. */
  get loaded(): Promise<RecalledTexts> | null {
    return this.#texts;
  }

  load(): Promise<RecalledTexts> {
    this.#texts ??= this.#read().catch((error: unknown) => {
      this.#texts = null;
      throw error;
    });
    return this.#texts;
  }

  /** Updates the texts after a commit. */
  async follow({ nodes = {} }: GraphChanges): Promise<void> {
    const texts = await this.#texts;
    if (texts === null) return;
    const breather = new Breather();
    for (const row of nodes.episode ?? []) await addTurn(texts, row, breather);
    for (const since of nodes.fact ?? [])
      await texts.addGradually('fact', since.statement, { since, breather });
    for (const since of nodes.profile ?? [])
      await texts.addGradually('profile', since.summary, { since, breather });
    for (const since of nodes.segment ?? [])
      await texts.addGradually('segment', since.summary, { since, breather });
  }

  /** Drops the loaded texts. Call it after rows were added or deleted outside of commits that `follow` sees. */
  forget(): void {
    this.#texts = null;
  }

  async #read(): Promise<RecalledTexts> {
    const [store, scope, texts, breather] = [this.#store, this.#scope, new RecalledTexts(), new Breather()];
    for await (const rows of store.scan(scope, 'episode', ['id', 'content', 'attachments', 'createdAt']))
      for (const episode of rows) {
        await addTurn(texts, episode, breather);
      }
    for await (const rows of store.scan(scope, 'fact', ['id', 'statement', 'createdAt']))
      for (const row of rows) {
        texts.add('fact', row.statement, row);
        await breather.breathe();
      }
    for await (const rows of store.scan(scope, 'profile', ['id', 'summary', 'createdAt']))
      for (const row of rows) {
        texts.add('profile', row.summary, row);
        await breather.breathe();
      }
    for await (const rows of store.scan(scope, 'segment', ['id', 'summary', 'createdAt']))
      for (const row of rows) texts.add('segment', row.summary, row);
    return texts;
  }
}

async function addTurn(
  texts: RecalledTexts,
  since: Pick<Episode, 'id' | 'content' | 'attachments' | 'createdAt'>,
  breather: Breather,
): Promise<void> {
  const { content, attachments } = since;
  for (const text of [content, ...attachments.map(({ description }) => description)])
    await texts.addGradually('turn', text, { since, breather });
}
