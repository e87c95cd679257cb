import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { InvalidInputError } from '../../../src/errors/index.ts';
import { readStatements } from '../../../src/importers/server-memory/server-memory.ts';
import {
  factOf,
  SERVER_MEMORY,
  type Statement,
  statementOf,
  turnOf,
} from '../../../src/importers/server-memory/statement.ts';
import type { Logger } from '../../../src/model/logger.ts';
import type { Trust } from '../../../src/model/nodes.ts';
import { SerialQueue } from '../../../src/util/serial-queue.ts';
import type { MemoryClient } from '../../contract.ts';

export interface GraphEntity {
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly string[];
}

export interface GraphRelation {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

export interface Graph {
  readonly entities: readonly GraphEntity[];
  readonly relations: readonly GraphRelation[];
}

export interface KnowledgeGraphOptions {
  readonly client: MemoryClient;
  readonly scope: string;
  readonly trust: Trust;
  readonly logger: Logger;
  /** The file of `@modelcontextprotocol/server-memory`, which is imported and never written. */
  readonly file: string | undefined;
}

interface HeldEntity {
  readonly name: string;
  readonly type: string;
  readonly turns: string[];
  /** By text. */
  readonly observations: Map<string, string[]>;
}

interface HeldRelation extends GraphRelation {
  readonly turns: string[];
}

interface HeldGraph {
  readonly entities: ReadonlyMap<string, HeldEntity>;
  readonly relations: ReadonlyMap<string, HeldRelation>;
}

interface Named {
  readonly statement: Statement;
  readonly sourceId: string;
}

const PAGE = 500;
const BATCH = 1_000;
const MOST_FOUND = 10;
const LEAST_RELEVANCE = 0.3;

/**
 * The graph of `@modelcontextprotocol/server-memory` in a scope: each entity, observation and relation is a turn of its
 * own, and a fact, so that two programs that write at once do not replace each other's. What two of them wrote alike
 * counts once.
 */
export class KnowledgeGraph {
  readonly #options: KnowledgeGraphOptions;
  /** Calls of one client may come in parallel, and each looks before it writes. */
  readonly #calls = new SerialQueue();
  #imported = false;

  constructor(options: KnowledgeGraphOptions) {
    this.#options = options;
  }

  /** Returns those that were not there. */
  createEntities(entities: readonly GraphEntity[], signal: AbortSignal): Promise<readonly GraphEntity[]> {
    return this.#run(signal, async (graph) => {
      const created = firstOfEach(entities, ({ name }) => name).filter(
        ({ name }) => !graph.entities.has(name),
      );
      await this.#store(
        created.flatMap(({ name, entityType: type, observations }): Statement[] => [
          { statement: 'entity', name, type },
          ...observations.map((text) => ({ statement: 'observation' as const, name, text })),
        ]),
        signal,
      );
      return created;
    });
  }

  /** Returns those that were not there. */
  createRelations(
    relations: readonly GraphRelation[],
    signal: AbortSignal,
  ): Promise<readonly GraphRelation[]> {
    return this.#run(signal, async (graph) => {
      const created = firstOfEach(relations, keyOf).filter((each) => !graph.relations.has(keyOf(each)));
      await this.#store(
        created.map(({ from, to, relationType: type }) => ({ statement: 'relation', from, to, type })),
        signal,
      );
      return created;
    });
  }

  /** Returns the new ones of each. @throws InvalidInputError for an unknown entity; then nothing is stored */
  addObservations(
    added: readonly { readonly entityName: string; readonly contents: readonly string[] }[],
    signal: AbortSignal,
  ): Promise<readonly { readonly entityName: string; readonly addedObservations: readonly string[] }[]> {
    return this.#run(signal, async (graph) => {
      const seen = new Set<string>();
      const results = added.map(({ entityName, contents }) => {
        const entity = graph.entities.get(entityName);
        if (entity === undefined) throw new InvalidInputError(`Entity with name ${entityName} not found`);
        const isNew = (text: string) => {
          const key = JSON.stringify([entityName, text]);
          return !entity.observations.has(text) && !seen.has(key) && seen.add(key);
        };
        return { entityName, addedObservations: contents.filter(isNew) };
      });
      await this.#store(
        results.flatMap(({ entityName: name, addedObservations }) =>
          addedObservations.map((text) => ({ statement: 'observation' as const, name, text })),
        ),
        signal,
      );
      return results;
    });
  }

  /** With their relations. */
  deleteEntities(names: readonly string[], signal: AbortSignal): Promise<void> {
    return this.#run(signal, async ({ entities, relations }) => {
      const gone = new Set(names);
      const turns = names.flatMap((name) => {
        const entity = entities.get(name);
        return entity === undefined ? [] : [...entity.turns, ...[...entity.observations.values()].flat()];
      });
      const ends = [...relations.values()].filter(({ from, to }) => gone.has(from) || gone.has(to));
      await this.#forget([...turns, ...ends.flatMap((each) => each.turns)], signal);
    });
  }

  deleteObservations(
    deletions: readonly { readonly entityName: string; readonly observations: readonly string[] }[],
    signal: AbortSignal,
  ): Promise<void> {
    return this.#run(signal, async ({ entities }) => {
      const turns = deletions.flatMap(({ entityName, observations }) =>
        observations.flatMap((text) => entities.get(entityName)?.observations.get(text) ?? []),
      );
      await this.#forget(turns, signal);
    });
  }

  deleteRelations(deleted: readonly GraphRelation[], signal: AbortSignal): Promise<void> {
    return this.#run(signal, async ({ relations }) => {
      await this.#forget(
        deleted.flatMap((each) => relations.get(keyOf(each))?.turns ?? []),
        signal,
      );
    });
  }

  read(signal: AbortSignal): Promise<Graph> {
    return this.#run(signal, async (graph) => shown(graph));
  }

  open(names: readonly string[], signal: AbortSignal): Promise<Graph> {
    const wanted = new Set(names);
    return this.#run(signal, async (graph) => shown(graph, (name) => wanted.has(name)));
  }

  /** Entities with the words as they are in their name, type or an observation; else those that a search finds. */
  search(query: string, signal: AbortSignal): Promise<Graph> {
    return this.#run(signal, async (graph) => {
      const words = query.toLowerCase();
      const has = (text: string) => text.toLowerCase().includes(words);
      const literal = [...graph.entities.values()].filter(
        ({ name, type, observations }) => has(name) || has(type) || [...observations.keys()].some(has),
      );
      const found =
        literal.length > 0 ? new Set(literal.map(({ name }) => name)) : await this.#find(query, signal);
      return shown(graph, (name) => found.has(name));
    });
  }

  async #find(query: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const { client, scope } = this.#options;
    const asked = {
      scope,
      query,
      k: MOST_FOUND,
      filter: { source: SERVER_MEMORY },
      minScore: LEAST_RELEVANCE,
    };
    const { episodes } = await client.search(asked, { signal });
    const turns =
      episodes.length === 0
        ? []
        : await client.episodes({ scope, ids: episodes.map(({ id }) => id) }, { signal });
    return new Set(
      turns.flatMap((turn) => {
        const statement = statementOf(turn);
        if (statement === null) return [];
        return statement.statement === 'relation' ? [statement.from, statement.to] : [statement.name];
      }),
    );
  }

  #run<T>(signal: AbortSignal, job: (graph: HeldGraph) => Promise<T>): Promise<T> {
    return this.#calls.run(async () => {
      const graph = await this.#read(signal);
      if (this.#imported) return job(graph);
      const isMore = await this.#import(graph, signal);
      this.#imported = true;
      return job(isMore ? await this.#read(signal) : graph);
    });
  }

  /** In the order in which they were stored. */
  async #read(signal: AbortSignal): Promise<HeldGraph> {
    const { client, scope } = this.#options;
    const turns: { readonly id: string; readonly index: number; readonly statement: Statement }[] = [];
    for (let after: string | undefined; ; ) {
      const page = await client.turns({ scope, source: SERVER_MEMORY, limit: PAGE, after }, { signal });
      for (const turn of page.items) {
        const statement = statementOf(turn);
        if (statement !== null) turns.push({ id: turn.id, index: turn.index, statement });
      }
      if (page.next === null) break;
      after = page.next;
    }
    turns.sort((a, b) => a.index - b.index);
    return heldGraph(turns);
  }

  /** Returns whether anything was stored. What was deleted since an earlier import stays deleted. */
  async #import({ entities, relations }: HeldGraph, signal: AbortSignal): Promise<boolean> {
    const { file, logger } = this.#options;
    if (file === undefined || !existsSync(file)) return false;
    const isKnown = (statement: Statement) => {
      if (statement.statement === 'relation')
        return relations.has(keyOf({ ...statement, relationType: statement.type }));
      const entity = entities.get(statement.name);
      return statement.statement === 'entity'
        ? entity !== undefined
        : entity?.observations.has(statement.text) === true;
    };
    const found: Named[] = [];
    let unreadable = 0;
    for await (const record of readStatements(file, { signal }))
      if (record.kind === 'rejected') unreadable++;
      else if (!isKnown(record.statement)) found.push(record);
    if (unreadable > 0)
      logger.warn(
        `${unreadable} lines of ${file} could not be read and are left out; the file is left as it is.`,
      );
    for (let at = 0; at < found.length; at += BATCH) await this.#add(found.slice(at, at + BATCH), signal);
    return found.length > 0;
  }

  async #store(statements: readonly Statement[], signal: AbortSignal): Promise<void> {
    const named = statements.map((statement) => ({ statement, sourceId: randomUUID() }));
    if (named.length === 0) return;
    const reasons = await this.#add(named, signal);
    if (reasons.length > 0)
      throw new InvalidInputError(
        `${reasons.length} of ${named.length} were not stored (${[...new Set(reasons)].join('; ')}); the others are`,
      );
  }

  /** Returns the reasons of those that were rejected. */
  async #add(named: readonly Named[], signal: AbortSignal): Promise<readonly string[]> {
    const { client, scope, trust } = this.#options;
    const turns = named.map(({ statement, sourceId }) => ({ ...turnOf(statement, sourceId), trust }));
    const { outcomes } = await client.add({ scope, turns }, { signal });
    const stored = named.filter((_, at) => outcomes[at]?.status === 'added');
    const facts = stored.flatMap(({ statement, sourceId }) => factOf(statement, sourceId) ?? []);
    if (facts.length > 0) await client.addFacts({ scope, facts }, { signal });
    return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  }

  async #forget(turns: readonly string[], signal: AbortSignal): Promise<void> {
    if (turns.length === 0) return;
    const { client, scope } = this.#options;
    const target = { episodes: [...new Set(turns)] };
    for await (const _ of client.forget({ scope, target, author: 'mcp' }, { signal }));
  }
}

function heldGraph(turns: readonly { readonly id: string; readonly statement: Statement }[]): HeldGraph {
  const entities = new Map<string, HeldEntity>();
  const relations = new Map<string, HeldRelation>();
  for (const { id, statement } of turns)
    if (statement.statement === 'entity') {
      const { name, type } = statement;
      const held = entities.get(name) ?? { name, type, turns: [], observations: new Map<string, string[]>() };
      held.turns.push(id);
      entities.set(name, held);
    } else if (statement.statement === 'relation') {
      const relation = { from: statement.from, to: statement.to, relationType: statement.type };
      const held = relations.get(keyOf(relation)) ?? { ...relation, turns: [] };
      held.turns.push(id);
      relations.set(keyOf(relation), held);
    }
  for (const { id, statement } of turns)
    if (statement.statement === 'observation') {
      const observations = entities.get(statement.name)?.observations;
      observations?.set(statement.text, [...(observations.get(statement.text) ?? []), id]);
    }
  return { entities, relations };
}

/** The entities, and the relations that one of them has; without a condition, all. */
function shown({ entities, relations }: HeldGraph, isWanted?: (name: string) => boolean): Graph {
  const names = new Set([...entities.keys()].filter((name) => isWanted?.(name) ?? true));
  return {
    entities: [...entities.values()]
      .filter(({ name }) => names.has(name))
      .map(({ name, type, observations }) => ({
        name,
        entityType: type,
        observations: [...observations.keys()],
      })),
    relations: [...relations.values()]
      .filter(({ from, to }) => isWanted === undefined || names.has(from) || names.has(to))
      .map(({ from, to, relationType }) => ({ from, to, relationType })),
  };
}

const keyOf = ({ from, to, relationType }: GraphRelation) => JSON.stringify([from, to, relationType]);

function firstOfEach<T>(all: readonly T[], keyOf: (each: T) => string): readonly T[] {
  return [...new Map(all.toReversed().map((each) => [keyOf(each), each])).values()].reverse();
}
