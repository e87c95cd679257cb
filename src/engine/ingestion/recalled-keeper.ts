import { RecalledTexts } from '../../ingest/admit/recalled-texts.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { Scope } from '../../model/ids.ts';
import type { Episode } from '../../model/nodes.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { Breather } from '../../util/breathe.ts';

/**
 * The texts of one scope that memory may give out, by which it recognises them when they come back. Read from the
 * graph when consolidation first asks, and kept in step; searches do without. What has expired was given out before,
 * so that it stays.
 */
export class RecalledKeeper {
  readonly #store: GraphStore;
  readonly #scope: Scope;
  #texts: Promise<RecalledTexts> | null = null;

  constructor(store: GraphStore, scope: Scope) {
    this.#store = store;
    this.#scope = scope;
  }

  load(): Promise<RecalledTexts> {
    this.#texts ??= this.#read().catch((error: unknown) => {
      this.#texts = null;
      throw error;
    });
    return this.#texts;
  }

  /** Follows a commit of consolidation and the turns that it brought into the graph. */
  async follow({ nodes = {} }: GraphChanges, episodes: readonly Episode[]): Promise<void> {
    const texts = await this.#texts;
    if (texts === null) return;
    for (const { statement } of nodes.fact ?? []) texts.add('fact', statement);
    for (const { summary } of nodes.profile ?? []) texts.add('profile', summary);
    for (const { summary } of nodes.segment ?? []) texts.add('segment', summary);
    for (const episode of episodes) addTurn(texts, episode);
  }

  /** After rows came or went in other ways. */
  forget(): void {
    this.#texts = null;
  }

  async #read(): Promise<RecalledTexts> {
    const [store, scope, texts, breather] = [this.#store, this.#scope, new RecalledTexts(), new Breather()];
    for await (const rows of store.scan(scope, 'episode', ['content', 'attachments', 'status']))
      for (const episode of rows) {
        if (episode.status === 'extracted') addTurn(texts, episode);
        await breather.breathe();
      }
    for await (const rows of store.scan(scope, 'fact', ['statement']))
      for (const { statement } of rows) {
        texts.add('fact', statement);
        await breather.breathe();
      }
    for await (const rows of store.scan(scope, 'profile', ['summary']))
      for (const { summary } of rows) {
        texts.add('profile', summary);
        await breather.breathe();
      }
    for await (const rows of store.scan(scope, 'segment', ['summary']))
      for (const { summary } of rows) texts.add('segment', summary);
    return texts;
  }
}

function addTurn(
  texts: RecalledTexts,
  { content, attachments }: Pick<Episode, 'content' | 'attachments'>,
): void {
  texts.add('turn', content);
  for (const { description } of attachments) texts.add('turn', description);
}
