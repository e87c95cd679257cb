import type { GraphChanges } from '../model/graph-changes.ts';
import type { EpisodeId } from '../model/ids.ts';
import type { Episode } from '../model/nodes.ts';
import type { EpisodeReference } from './graph-store.ts';

/** The columns of an episode that the directory uses. */
export type ListedEpisode = Pick<
  Episode,
  'id' | 'key' | 'version' | 'session' | 'index' | 'source' | 'sourceId' | 'createdAt' | 'expiredAt'
>;

/**
 * The current episodes of one scope by the keys and sources that callers use. Kùzu indexes only primary keys, and every
 * `add` looks up a key. The directory stays correct because the store is the only writer of its file.
 */
export class EpisodeDirectory {
  readonly #episodes = new Map<string, ListedEpisode>();
  readonly #ids = new Map<string, Set<string>>();

  constructor(episodes: Iterable<ListedEpisode> = []) {
    for (const episode of episodes) this.#add(episode);
  }

  byKey(key: string): EpisodeId | null {
    return this.#newest(keyName(key));
  }

  find(reference: EpisodeReference): EpisodeId | null {
    if ('id' in reference) return this.#episodes.get(reference.id)?.id ?? null;
    return this.#newest(
      'session' in reference
        ? placeName(reference.session, reference.index)
        : sourceName(reference.source, reference.sourceId),
    );
  }

  /** Applies a commit; false if the directory must be reloaded, because an expired episode became current again. */
  follow(changes: GraphChanges): boolean {
    for (const episode of changes.nodes?.episode ?? []) this.#add(episode);
    for (const update of changes.updates ?? []) {
      if (update.kind !== 'episode' || update.set.expiredAt === undefined) continue;
      if (update.set.expiredAt === null) {
        if (!this.#episodes.has(update.id)) return false;
      } else this.#drop(update.id);
    }
    for (const removal of changes.removals ?? []) if (removal.kind === 'episode') this.#drop(removal.id);
    return true;
  }

  #add(episode: ListedEpisode): void {
    if (episode.expiredAt !== null) return;
    const { id, key, version, session, index, source, sourceId, createdAt, expiredAt } = episode;
    this.#episodes.set(id, { id, key, version, session, index, source, sourceId, createdAt, expiredAt });
    for (const name of namesOf(episode)) {
      const ids = this.#ids.get(name);
      if (ids === undefined) this.#ids.set(name, new Set([id]));
      else ids.add(id);
    }
  }

  #drop(id: string): void {
    const episode = this.#episodes.get(id);
    if (episode === undefined) return;
    this.#episodes.delete(id);
    for (const name of namesOf(episode)) {
      const ids = this.#ids.get(name);
      ids?.delete(id);
      if (ids?.size === 0) this.#ids.delete(name);
    }
  }

  #newest(name: string): EpisodeId | null {
    let newest: ListedEpisode | undefined;
    for (const id of this.#ids.get(name) ?? []) {
      const episode = this.#episodes.get(id);
      if (episode !== undefined && (newest === undefined || isNewer(episode, newest))) newest = episode;
    }
    return newest?.id ?? null;
  }
}

/** A total order, so that every store returns the same episode when several turns share a place. */
function isNewer(a: ListedEpisode, b: ListedEpisode): boolean {
  if (a.version !== b.version) return a.version > b.version;
  if (a.createdAt !== b.createdAt) return a.createdAt > b.createdAt;
  return a.id > b.id;
}

function namesOf(episode: ListedEpisode): string[] {
  const names = [keyName(episode.key), placeName(episode.session, episode.index)];
  if (episode.sourceId !== null) names.push(sourceName(episode.source, episode.sourceId));
  return names;
}

const keyName = (key: string) => `k${key}`;
const placeName = (session: string, index: number) => `p${index}:${session}`;
const sourceName = (source: string, sourceId: string) => `s${JSON.stringify([source, sourceId])}`;
