import { InvalidInputError } from '../errors/index.ts';
import type { IndexedScope } from '../ingest/ingest-context.ts';
import type { Episode } from '../model/nodes.ts';
import type { PortraitRequest } from '../model/portrait-request.ts';
import type { TimeInput } from '../model/time-input.ts';
import { parseTimestamp } from '../util/parse-timestamp.ts';
import { type CategoryPage, type CategoryPageRequest, categoryPage } from './category-page.ts';
import { type EntityLine, type EntityListRequest, entitiesListed } from './entity-list.ts';
import { type EntityPage, entityPage } from './entity-page.ts';
import type { FactLine } from './fact-line.ts';
import { type ChangesPage, type KeptHistory, recentChanges } from './feed/change-history.ts';
import type { DescribedScope } from './feed/describe-changes.ts';
import { type FindRequest, type Found, findWords } from './find/find.ts';
import type { Page } from './history/page.ts';
import { type Learned, learnedFrom } from './learned.ts';
import { type FactListRequest, factsListed, type TurnListRequest, turnsListed } from './listed.ts';
import { type GraphRequest, graphOf, type MemoryGraph } from './memory-graph.ts';
import { type KnownName, type NamesRequest, namesTyped } from './names.ts';
import { type Portrait, portraitOf } from './portrait.ts';
import { type Reminders, remindersOf } from './reminders.ts';
import {
  type ReviewCounts,
  type ReviewItem,
  type ReviewRequest,
  reviewCounts,
  reviewItems,
} from './review.ts';
import type { ReviewCache } from './review-lists.ts';
import {
  type SessionLine,
  type SessionListing,
  type SessionListRequest,
  sessionLine,
  sessionsListed,
} from './session-list.ts';
import { type SessionPage, type SessionRequest, sessionPage } from './session-page.ts';
import { type Supersession, type SupersessionRequest, supersessionsListed } from './supersessions.ts';
import { type Timeline, type TimelineRequest, timelineOf } from './timeline.ts';

/** Which page of changes, backwards in time. */
export interface RecentChangesOptions {
  /** Only changes before this time, such as the `next` of the previous page; default: all. */
  readonly before?: TimeInput | undefined;
  /**
   * Number of changes, from 1 to 500, 50 by default. A page is longer where more changes have the time of its last
   * one, so that no page splits them.
   */
  readonly limit?: number | undefined;
}

/** An open scope, as its pages are read. */
export interface BrowsedScope extends DescribedScope {
  readonly reviews: ReviewCache;
  read(): Promise<IndexedScope>;
  /** What changed in the scope so far, as the graph shows it. */
  history(): Promise<KeptHistory>;
}

/** What a person may want to see of a scope, page by page: what was learned of turns, and about whom. */
export class ScopeKnowledge {
  readonly #session: BrowsedScope;

  constructor(session: BrowsedScope) {
    this.#session = session;
  }

  /** What memory made of turns. Turns that the scope does not have are left out. */
  async learned(episodes: readonly string[]): Promise<Learned> {
    return learnedFrom(await this.#session.read(), episodes);
  }

  /**
   * What memory holds about a person, by default the user.
   *
   * @throws InvalidInputError if the scope does not have the named entity.
   */
  async portrait(request: PortraitRequest = {}): Promise<Portrait> {
    return portraitOf(await this.#session.read(), request);
  }

  /**
   * What is ahead this week, and what this day was in earlier years.
   *
   * @param name - the user's.
   * @param offset - how far the user's clock is ahead of UTC, in milliseconds; default 0.
   */
  async reminders(name?: string, offset?: number): Promise<Reminders> {
    return remindersOf(await this.#session.read(), name, offset);
  }

  /**
   * Turns of a session around one of them.
   *
   * @throws InvalidInputError if neither a session nor a turn is named, or the turn is not of this scope or session.
   */
  async session(request: SessionRequest): Promise<SessionPage> {
    return sessionPage(await this.#session.read(), request);
  }

  /**
   * Names, conversations, documents, facts and turns by their words, the best of each kind first.
   *
   * @throws InvalidInputError
   */
  async find(request: FindRequest): Promise<readonly Found[]> {
    return findWords(await this.#session.read(), request);
  }

  /** Conversations that memory took from elsewhere, the latest first. @throws InvalidInputError */
  async sessions(request: SessionListRequest = {}): Promise<SessionListing> {
    return sessionsListed(await this.#session.read(), request);
  }

  /** A conversation that memory took from elsewhere; null if it has no turns. */
  async sessionLine(session: string): Promise<SessionLine | null> {
    return sessionLine(await this.#session.read(), session);
  }

  /**
   * Facts that memory believes, the latest first: of an entity or a category, of a period, those that hold or have ended.
   *
   * @throws InvalidInputError
   */
  async facts(request: FactListRequest = {}): Promise<Page<FactLine>> {
    return factsListed(await this.#session.read(), request);
  }

  /**
   * Turns, the latest first: those that mention an entity, of a session, speaker, source or period.
   *
   * @throws InvalidInputError
   */
  async turns(request: TurnListRequest = {}): Promise<Page<Episode>> {
    return turnsListed(await this.#session.read(), request);
  }

  /**
   * What happened when: turns said, facts that began and ceased to hold, or what memory learned, in equal parts of the
   * calendar.
   *
   * @throws InvalidInputError
   */
  async timeline(request: TimelineRequest = {}): Promise<Timeline> {
    return timelineOf(await this.#session.read(), () => this.#session.history(), request);
  }

  /**
   * Which fact superseded which, the latest first: of the scope or of an entity, of a period.
   *
   * @throws InvalidInputError
   */
  async supersessions(request: SupersessionRequest = {}): Promise<Page<Supersession>> {
    return supersessionsListed(await this.#session.read(), () => this.#session.history(), request);
  }

  /**
   * How much there is to review, by kind: contradictions, uncertain merges, suspected injections, facts of little
   * confidence, turns that were set aside or dropped.
   *
   * @param dismissed Ids of items that are not counted.
   */
  async review(dismissed?: ReadonlySet<string>): Promise<ReviewCounts> {
    return reviewCounts(await this.#session.read(), this.#session.reviews, dismissed);
  }

  /**
   * What there is to review of one kind, with its evidence: the surest or the latest first.
   *
   * @throws InvalidInputError
   */
  async reviewItems(request: ReviewRequest): Promise<Page<ReviewItem>> {
    return reviewItems(await this.#session.read(), this.#session.reviews, request);
  }

  /** Names of entities and categories that complete what is typed, the best first. */
  async names(request: NamesRequest): Promise<readonly KnownName[]> {
    const { index } = await this.#session.read();
    return namesTyped(index, request);
  }

  /**
   * Entities with the numbers of their facts and turns, page by page.
   *
   * @throws InvalidInputError
   */
  async entities(request: EntityListRequest = {}): Promise<Page<EntityLine>> {
    const { index } = await this.#session.read();
    return entitiesListed(index, request);
  }

  /**
   * A picture of memory as nodes and links: its most connected part, or the neighbours of a node.
   *
   * @throws InvalidInputError
   */
  async graph(request: GraphRequest = {}): Promise<MemoryGraph> {
    return graphOf(await this.#session.read(), request);
  }

  /**
   * What an entity is, with its place among others. One that was merged has the page of the other.
   *
   * @throws InvalidInputError if memory does not know it.
   */
  async entityPage(entity: string): Promise<EntityPage> {
    return entityPage(await this.#session.read(), entity);
  }

  /**
   * What a category is, with its members.
   *
   * @throws InvalidInputError if the scope has no such category.
   */
  async categoryPage(request: CategoryPageRequest): Promise<CategoryPage> {
    return categoryPage(await this.#session.read(), request);
  }

  /** What changed in memory, the newest first. @throws InvalidInputError */
  async recentChanges({ before, limit = 50 }: RecentChangesOptions = {}): Promise<ChangesPage> {
    const until = before === undefined ? undefined : parseTimestamp(before);
    if (until === null)
      throw new InvalidInputError(
        'before is not a time; give a Date, milliseconds, or text such as "2023-05-08"',
      );
    if (!Number.isInteger(limit) || limit < 1 || limit > 500)
      throw new InvalidInputError('The limit must be a whole number from 1 to 500');
    return recentChanges(this.#session, await this.#session.history(), { before: until, limit });
  }
}
