import type { EntityId, FactId, Scope } from '../../model/ids.ts';
import type { GraphView } from '../../search/graph-view.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { NONE } from '../../search/timeline.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { cached } from '../../util/collections.ts';
import { entityNameKey } from '../../util/tidy.ts';
import { informedSpeakers } from './batch-entities.ts';
import { readName } from './name-form.ts';
import { type EntityEvidence, kindOfTags } from './resolution-judge.ts';
import type { NamedEntity } from './resolve-entities-prompt.ts';

/** What memory knows of an entity. */
interface KnownEntity extends NamedEntity, EntityEvidence {
  readonly id: EntityId;
  readonly sessions: ReadonlySet<string>;
}

interface Sources {
  readonly index: ScopeIndex;
  readonly store: GraphStore;
  readonly scope: Scope;
}

/** The oldest facts usually identify a person, the newest give their present situation. */
const OLDEST_FACTS = 15;
const NEWEST_FACTS = 25;
/** The newest turns of an entity, and of a session, that are looked at: so that frequent names do not cost more. */
const MOST_TURNS = 1_024;
/** Number of turns to look up other entities in. */
const MOST_TURNS_FOR_OTHERS = 32;
const MOST_OTHER_NAMES = 60;
const NO_FACTS: readonly FactId[] = [];

/** Loads what memory knows of the entities that a batch may refer to; each is read once. */
export class KnownEntities {
  readonly #sources: Sources;
  readonly #read = new Map<EntityId, KnownEntity>();
  readonly #turns = new Map<EntityId, Uint32Array>();
  readonly #sessions = new Map<EntityId, ReadonlySet<string>>();
  /** Ordinals of the entities that each session mentions. */
  readonly #mentionedIn = new Map<string, ReadonlySet<number>>();
  /** Name keys by the speaker numbers of the timeline; cached because frequent speakers are looked up repeatedly. */
  #speakers: readonly string[] | null = null;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Reads summaries and, for people, statements about them and the entities mentioned with them. */
  async load(ids: Iterable<EntityId>): Promise<void> {
    const { index, store, scope } = this.#sources;
    const missing = [...new Set(ids)].filter((id) => !this.#read.has(id) && index.entities.profileOf(id));
    if (missing.length === 0) return;
    const facts = new Map(missing.map((id) => [id, this.#factsOf(id)]));
    const profiles = await store.get(
      scope,
      'profile',
      missing.map((id) => index.entities.profileOf(id)!.id),
    );
    const rows = await store.get(scope, 'fact', [...new Set([...facts.values()].flat())]);
    const summaries = new Map(profiles.map(({ owner, summary }) => [owner as string, summary]));
    const statements = new Map(rows.map(({ id, statement }) => [id, statement]));
    for (const id of missing) {
      const said = facts.get(id)!.flatMap((fact) => statements.get(fact) ?? []);
      this.#read.set(id, this.#know(id, { context: summaries.get(id) ?? '', statements: said }));
    }
  }

  /** @param id An entity that was loaded. */
  get(id: EntityId): KnownEntity | undefined {
    return this.#read.get(id);
  }

  /** Whether the session mentions it. Needs no loading. */
  isInSession(id: EntityId, session: string): boolean {
    const ordinal = this.#sources.index.entities.ids.ordinalOf(id);
    const isMentioned = ordinal !== undefined && this.#entitiesIn(session).has(ordinal);
    return isMentioned || this.#sessionsOf(id).has(session);
  }

  /** Whether a turn that mentions it was spoken under its name. Needs no loading. */
  hasSpoken(id: EntityId): boolean {
    const { index } = this.#sources;
    const { timeline, conversation } = index.episodes;
    const profile = index.entities.profileOf(id);
    const keys = new Set(profile === undefined ? [] : [profile.name, ...profile.aliases].map(entityNameKey));
    const speakers = this.#speakerKeys();
    const isOwn = (turn: number) => keys.has(speakers[timeline.speaker.at(turn)]!);
    const ordinal = index.entities.ids.ordinalOf(id);
    // Most turns of a speaker are their own: the first ones decide.
    if (ordinal !== undefined)
      for (const turn of index.graphs.mentions.neighbours(ordinal, 'in').ordinals)
        if (conversation.isLive(turn) && isOwn(turn)) return true;
    return this.#turnsOf(id).some(isOwn);
  }

  #entitiesIn(session: string): ReadonlySet<number> {
    return cached(this.#mentionedIn, session, () => {
      const { episodes, graphs } = this.#sources.index;
      const { timeline } = episodes;
      const mentioned = new Set<number>();
      let turn = timeline.lastTurn(session);
      for (let count = 0; turn !== NONE && count < MOST_TURNS; count++, turn = timeline.previous.at(turn))
        for (const entity of graphs.mentions.neighbours(turn).ordinals) mentioned.add(entity);
      return mentioned;
    });
  }

  #sessionsOf(id: EntityId): ReadonlySet<string> {
    return cached(this.#sessions, id, () => {
      const { timeline } = this.#sources.index.episodes;
      const numbers = new Set(this.#turnsOf(id).map((turn) => timeline.session.at(turn)));
      return new Set(Array.from(numbers, (number) => timeline.sessions[number]!));
    });
  }

  #factsOf(id: EntityId): readonly FactId[] {
    const { index } = this.#sources;
    if (!this.#isPersonal(id)) return NO_FACTS;
    const facts = index.factsAbout(id);
    if (facts.length <= OLDEST_FACTS + NEWEST_FACTS) return facts;
    return [...facts.slice(0, OLDEST_FACTS), ...facts.slice(-NEWEST_FACTS)];
  }

  /** Things are distinguished by name and kind, without their statements. A thing with a capital may be a person. */
  #isPersonal(id: EntityId): boolean {
    const profile = this.#sources.index.entities.profileOf(id);
    if (profile === undefined) return false;
    const kind = kindOfTags(profile.tags);
    return kind === 'person' || ((kind ?? 'thing') === 'thing' && readName(profile.name).isProper);
  }

  #know(id: EntityId, said: { context: string; statements: readonly string[] }): KnownEntity {
    const { index } = this.#sources;
    const { timeline } = index.episodes;
    const { name, aliases, tags } = index.entities.profileOf(id)!;
    const turns = this.#turnsOf(id);
    const own = entityNameKey(name);
    const speakers = new Set(turns.map((turn) => timeline.speaker.at(turn)));
    const mentionedBy = informedSpeakers(Array.from(speakers, (number) => this.#speakerKeys()[number]!));
    mentionedBy.delete(own);
    return {
      id,
      name,
      aliases,
      kind: kindOfTags(tags),
      ...said,
      mentionedWith: this.#isPersonal(id) ? this.#otherNamesIn(id, turns) : new Set(),
      mentionedBy,
      sessions: this.#sessionsOf(id),
    };
  }

  #otherNamesIn(id: EntityId, turns: Uint32Array): ReadonlySet<string> {
    const { index } = this.#sources;
    const mentionedWith = new Set<string>();
    for (const turn of turns.slice(-MOST_TURNS_FOR_OTHERS)) {
      for (const other of index.entitiesMentionedIn(index.episodes.ids.idOf(turn))) {
        const profile = other === id ? undefined : index.entities.profileOf(other);
        if (profile === undefined || mentionedWith.size >= MOST_OTHER_NAMES) continue;
        const { key, isProper } = readName(profile.name);
        if (isProper && kindOfTags(profile.tags) !== 'date' && !this.#isSpeaker(key)) mentionedWith.add(key);
      }
    }
    return mentionedWith;
  }

  #isSpeaker(key: string): boolean {
    return this.#speakerKeys().includes(key);
  }

  #speakerKeys(): readonly string[] {
    this.#speakers ??= this.#sources.index.episodes.timeline.speakers.map(entityNameKey);
    return this.#speakers;
  }

  /** Ordinals of the newest live turns that mention it or support a fact about it, oldest first. */
  #turnsOf(id: EntityId): Uint32Array {
    return cached(this.#turns, id, () => {
      const { entities, graphs, facts, episodes } = this.#sources.index;
      const ordinal = entities.ids.ordinalOf(id);
      const turns: number[] = [];
      if (ordinal !== undefined) {
        const isLive = (turn: number) => episodes.conversation.isLive(turn);
        turns.push(...newest(graphs.mentions, ordinal, isLive));
        // Given facts support no mention, so their turns are added here.
        for (const fact of newest(graphs.about, ordinal, (each) => facts.lexical.has(each)))
          for (const turn of graphs.evidence.neighbours(fact, 'out').ordinals)
            if (isLive(turn)) turns.push(turn);
      }
      return Uint32Array.from(new Set(turns)).sort().slice(-MOST_TURNS);
    });
  }
}

/** The newest rows with an edge to the entity. */
function newest(graph: GraphView, entity: number, isWanted: (row: number) => boolean): number[] {
  const found: number[] = [];
  for (const row of graph.newestNeighbours(entity, 'in')) {
    if (found.length === MOST_TURNS) break;
    if (isWanted(row)) found.push(row);
  }
  return found;
}
