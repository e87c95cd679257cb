import { type CorrectionRequest, carryOut } from '../edit/correct/carry-out.ts';
import { correctionsOf } from '../edit/correct/corrections-of-turns.ts';
import { dependentCorrections, versionsByHand } from '../edit/correct/dependent-corrections.ts';
import { type CorrectionRecord, describeCorrection } from '../edit/correct/describe-correction.ts';
import type { CorrectionEvent } from '../edit/correct/draft.ts';
import {
  factsAmong,
  liveEntity,
  liveFact,
  mentionsAmong,
  openCorrection,
  type UncertainPair,
  uncertainPairs,
} from '../edit/correct/find-rows.ts';
import { admitted, correctionInputs, readInput } from '../edit/correct/inputs.ts';
import { undoCorrection } from '../edit/correct/undo.ts';
import { InvalidInputError } from '../errors/index.ts';
import type { IngestContext } from '../ingest/ingest-context.ts';
import type {
  CorrectionListing,
  CorrectionOptions,
  FactEdit,
  ProfileEdit,
  SplitOff,
} from '../model/correction-input.ts';
import type { CorrectionId, EntityId, FactId } from '../model/ids.ts';
import { entityNameKey } from '../util/tidy.ts';
import type { ScopeQueue } from './scope-queue.ts';

export type { CorrectionRecord } from '../edit/correct/describe-correction.ts';
export type { UncertainEntity, UncertainPair } from '../edit/correct/find-rows.ts';
export type {
  CorrectionListing,
  CorrectionOptions,
  FactEdit,
  ProfileEdit,
  SplitOff,
} from '../model/correction-input.ts';

/** A correction that was committed. */
export interface CorrectionMade {
  readonly correction: CorrectionId;
}

/**
 * Corrections of memory by a user. Each correction is one transaction and one event with its author. It deletes
 * nothing, outranks what is read from turns (before or after it), and can be undone exactly.
 *
 * All methods throw InvalidInputError for input that does not fit, such as ids of another scope; memory is then
 * unchanged.
 */
export class Corrections {
  readonly #scope: ScopeQueue;

  constructor(scope: ScopeQueue) {
    this.#scope = scope;
  }

  /** Replaces a fact by an edited version. The former version stays in its history. */
  async editFact(
    factId: string,
    patch: FactEdit,
    options?: CorrectionOptions,
  ): Promise<CorrectionMade & { readonly fact: FactId }> {
    const id = idOf('fact', factId);
    const read = readInput(correctionInputs.factPatch, patch, 'The edit');
    const { correction, made } = await this.#correct(options, async (context) => {
      const fact = await liveFact(context, id);
      const clean = (text: string | undefined) => text && admitted(text, context.admission);
      const changed = changedOnly(
        {
          ...read,
          statement: clean(read.statement),
          relation: read.relation === '' ? '' : clean(read.relation),
        },
        fact,
      );
      return { kind: 'edit-fact', fact, patch: changed };
    });
    return { correction, fact: made as FactId };
  }

  /** Rejects a fact: memory no longer believes it, and the facts that it ended hold again. */
  async rejectFact(factId: string, options?: CorrectionOptions): Promise<CorrectionMade> {
    return this.#correctFact('reject-fact', factId, options);
  }

  /** Pins a fact: no newer fact ends it, and reading its turns again does not change it. */
  async pinFact(factId: string, options?: CorrectionOptions): Promise<CorrectionMade> {
    return this.#correctFact('pin-fact', factId, options);
  }

  /** Sets name, aliases, summary or tags of an entity. Later versions of its profile keep what is set here. */
  async editProfile(
    entityId: string,
    patch: ProfileEdit,
    options?: CorrectionOptions,
  ): Promise<CorrectionMade> {
    const id = idOf('entity', entityId);
    const read = readInput(correctionInputs.profilePatch, patch, 'The edit');
    const { correction } = await this.#correct(options, async (context) => {
      const entity = await liveEntity(context, id);
      const clean = (text: string) => admitted(text, context.admission);
      const { name, aliases, summary, tags } = read;
      const known = context.index.entities.profileOf(entity)!;
      const [row] = await context.store.get(context.scope, 'profile', [known.id]);
      const cleaned = {
        name: name === undefined ? undefined : clean(name),
        aliases: aliases && uniqueNames(aliases.map(clean)),
        summary: summary === undefined ? undefined : clean(summary),
        tags: tags && [...new Set(tags.map(clean))],
      };
      return { kind: 'edit-profile', entity, patch: changedOnly(cleaned, row!) };
    });
    return { correction };
  }

  /**
   * Merges two entities. Everything known about the second moves to the first; its names refer to the first from now
   * on.
   */
  async mergeEntities(
    keepId: string,
    mergedId: string,
    options?: CorrectionOptions,
  ): Promise<CorrectionMade & { readonly entity: EntityId }> {
    const [one, other] = [idOf('entity', keepId), idOf('entity', mergedId)];
    if (one === other) throw new InvalidInputError('An entity cannot be merged with itself');
    const { correction } = await this.#correct(options, async (context) => ({
      kind: 'merge-entities',
      keep: await liveEntity(context, one),
      merged: await liveEntity(context, other),
    }));
    return { correction, entity: one as EntityId };
  }

  /**
   * Splits an entity in two: the given mentions and facts move to a new entity. Facts supported only by those turns
   * move too.
   */
  async splitEntity(
    entityId: string,
    part: SplitOff,
    options?: CorrectionOptions,
  ): Promise<CorrectionMade & { readonly entity: EntityId }> {
    const id = idOf('entity', entityId);
    const { name, episodes, facts } = readInput(correctionInputs.split, part, 'The split');
    if (episodes.length + facts.length === 0)
      throw new InvalidInputError('Name the episodes or facts that belong to the other entity');
    const { correction, made } = await this.#correct(options, async (context) => {
      const entity = await liveEntity(context, id);
      return {
        kind: 'split-entity',
        entity,
        name: admitted(name, context.admission),
        episodes: mentionsAmong(context, entity, episodes),
        facts: await factsAmong(context, entity, facts),
      };
    });
    return { correction, entity: made as EntityId };
  }

  /** Pairs of entities that may be the same, the likeliest first. Settle them with `mergeEntities` or `keepApart`. */
  async uncertain(): Promise<readonly UncertainPair[]> {
    return uncertainPairs(await this.#scope.read());
  }

  /** Records that two entities are different: they are never merged and no longer listed as uncertain. */
  async keepApart(a: string, b: string, options?: CorrectionOptions): Promise<CorrectionMade> {
    const [one, other] = [idOf('entity', a), idOf('entity', b)];
    if (one === other) throw new InvalidInputError('An entity cannot be kept apart from itself');
    const { correction } = await this.#correct(options, async (context) => ({
      kind: 'keep-apart',
      entities: [await liveEntity(context, one), await liveEntity(context, other)],
    }));
    return { correction };
  }

  /**
   * Undoes a correction: restores every row, edge and vector as before it. What was read since is kept and attached to
   * the restored rows.
   *
   * @throws InvalidInputError when later corrections depend on it; the message lists them in the order in which to undo
   * them.
   */
  async undo(correctionId: string, options?: CorrectionOptions): Promise<CorrectionMade> {
    const id = idOf('correction', correctionId);
    const { author } = readInput(correctionInputs.options, options ?? {}, 'The correction');
    const correction = await this.#scope.write(async (context) => {
      const undone = openCorrection(context, id);
      const versions = await versionsByHand(context);
      const dependents = dependentCorrections(
        context.index.corrections.all,
        undone,
        (version) => versions.get(version)?.owner,
      );
      if (dependents.length > 0)
        throw new InvalidInputError(
          `Later corrections depend on it; undo these first, in this order: ${dependents.map((each) => each.id).join(', ')}`,
        );
      const event = eventOf(context, author);
      const changes = await undoCorrection({ ...context, clock: () => event.at }, undone, event);
      await context.store.commit(context.scope, changes);
      this.#scope.index.invalidate(); // the index cannot apply it; it is rebuilt from the graph
      return event.id;
    });
    this.#scope.recalled.forget();
    return { correction };
  }

  /** The newest first, including undone ones. */
  async list(listing: CorrectionListing = {}): Promise<readonly CorrectionRecord[]> {
    const { limit, before } = readInput(correctionInputs.listing, listing, 'The listing');
    const { corrections } = (await this.#scope.read()).index;
    const all = corrections.all;
    const end =
      before === undefined
        ? all.length
        : all.findIndex(({ id }) => id === corrections.correction(before)?.id);
    if (end < 0) throw new InvalidInputError('No correction of this scope has that id');
    return all
      .slice(Math.max(0, end - limit), end)
      .reverse()
      .map((each) => describeCorrection(each, (id) => corrections.correction(id)));
  }

  /**
   * Those in force that would lose their meaning with some turns: of facts that one of the turns supports, of entities
   * that nothing else mentions, and splits that name one of the turns.
   */
  async ofTurns(episodes: readonly string[]): Promise<readonly CorrectionRecord[]> {
    const { index } = await this.#scope.read();
    const { corrections } = index;
    return correctionsOf(index, new Set(episodes)).map((each) =>
      describeCorrection(each, (id) => corrections.correction(id)),
    );
  }

  async #correctFact(
    kind: 'reject-fact' | 'pin-fact',
    factId: string,
    options: CorrectionOptions | undefined,
  ): Promise<CorrectionMade> {
    const id = idOf('fact', factId);
    const { correction } = await this.#correct(options, async (context) => {
      return { kind, fact: await liveFact(context, id) };
    });
    return { correction };
  }

  async #correct(
    options: CorrectionOptions | undefined,
    requested: (context: IngestContext) => Promise<CorrectionRequest>,
  ): Promise<{ correction: CorrectionId; made: string | null }> {
    const { author } = readInput(correctionInputs.options, options ?? {}, 'The correction');
    const done = await this.#scope.write(async (context) => {
      const request = await requested(context);
      const event = eventOf(context, author);
      const { changes, made } = await carryOut(context, request, event);
      await context.store.commit(context.scope, changes);
      context.index.apply(changes);
      return { correction: event.id, made };
    });
    this.#scope.recalled.forget();
    return done;
  }
}

function idOf(what: 'fact' | 'entity' | 'correction', id: string): string {
  return readInput(correctionInputs.id, id, `The id of the ${what}`);
}

function eventOf({ newId, clock }: IngestContext, author: string): CorrectionEvent {
  return { id: newId() as CorrectionId, author, at: clock() };
}

/** The fields of the patch that differ from the row. @throws InvalidInputError when none does. */
function changedOnly<Patch extends object>(patch: Patch, row: object): Patch {
  const before = row as Readonly<Record<string, unknown>>;
  const given = Object.entries(patch).filter(([, value]) => value !== undefined);
  if (given.length === 0) throw new InvalidInputError('The edit is empty');
  const changed = given.filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field]));
  if (changed.length === 0) throw new InvalidInputError('The edit changes nothing');
  return Object.fromEntries(changed) as Patch;
}

function uniqueNames(names: readonly string[]): string[] {
  return [...new Map(names.map((name) => [entityNameKey(name), name])).values()];
}
