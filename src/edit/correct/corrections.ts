import { InvalidInputError } from '../../errors/index.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type {
  CorrectionListing,
  CorrectionOptions,
  FactEdit,
  ProfileEdit,
  SplitOff,
} from '../../model/correction-input.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { CorrectionId, EntityId, FactId } from '../../model/ids.ts';
import { entityNameKey } from '../../util/tidy.ts';
import { type CorrectionRequest, carryOut } from './carry-out.ts';
import { dependentCorrections, versionsByHand } from './dependent-corrections.ts';
import { type CorrectionRecord, describeCorrection } from './describe-correction.ts';
import type { CorrectionEvent } from './draft.ts';
import {
  factsAmong,
  liveEntity,
  liveFact,
  mentionsAmong,
  openCorrection,
  type UncertainPair,
  uncertainPairs,
} from './find-rows.ts';
import { admitted, correctionInputs, readInput } from './inputs.ts';
import { undoCorrection } from './undo.ts';

export type {
  CorrectionListing,
  CorrectionOptions,
  FactEdit,
  ProfileEdit,
  SplitOff,
} from '../../model/correction-input.ts';
export type { CorrectionRecord } from './describe-correction.ts';
export type { UncertainEntity, UncertainPair } from './find-rows.ts';

/** What corrections need of their scope. */
export interface CorrectionAccess {
  /** Runs a job while nobody else writes. */
  write<T>(job: (context: IngestContext) => Promise<T>): Promise<T>;
  read(): Promise<IngestContext>;
  /** Lets go of the index, where it cannot follow what was committed. */
  rebuildIndex(): void;
  /** Told after each commit. */
  changed(): void;
}

/** A correction that was carried out. */
export interface CorrectionMade {
  readonly correction: CorrectionId;
}

/**
 * What people put right in memory by hand. Each correction is one transaction and an event with its author; it deletes
 * nothing, stands above what is read from turns, now and later, and it can be undone to the exact state of before.
 *
 * All of them throw InvalidInputError, and memory is as it was, for what does not fit, ids of another scope included.
 */
export class Corrections {
  readonly #access: CorrectionAccess;

  constructor(access: CorrectionAccess) {
    this.#access = access;
  }

  /** What is known better of a fact. The former version stays in its history. */
  async editFact(
    factId: string,
    patch: FactEdit,
    options?: CorrectionOptions,
  ): Promise<CorrectionMade & { readonly fact: FactId }> {
    const id = readInput(correctionInputs.id, factId, 'The id of the fact');
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

  /** It is not so: memory no longer believes it, and what it had ended holds again. */
  async rejectFact(factId: string, options?: CorrectionOptions): Promise<CorrectionMade> {
    const id = readInput(correctionInputs.id, factId, 'The id of the fact');
    const { correction } = await this.#correct(options, async (context) => ({
      kind: 'reject-fact',
      fact: await liveFact(context, id),
    }));
    return { correction };
  }

  /** It stays: no newer fact ends it, and reading its turns again leaves it as it is. */
  async pinFact(factId: string, options?: CorrectionOptions): Promise<CorrectionMade> {
    const id = readInput(correctionInputs.id, factId, 'The id of the fact');
    const { correction } = await this.#correct(options, async (context) => ({
      kind: 'pin-fact',
      fact: await liveFact(context, id),
    }));
    return { correction };
  }

  /** What an entity is called and about. What is set here stays in every later version of its profile. */
  async editProfile(
    entityId: string,
    patch: ProfileEdit,
    options?: CorrectionOptions,
  ): Promise<CorrectionMade> {
    const id = readInput(correctionInputs.id, entityId, 'The id of the entity');
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

  /** Two entities are one. What is known of the second goes to the first, and its names mean the first from now on. */
  async mergeEntities(
    keepId: string,
    mergedId: string,
    options?: CorrectionOptions,
  ): Promise<CorrectionMade & { readonly entity: EntityId }> {
    const [one, other] = [keepId, mergedId].map((id) =>
      readInput(correctionInputs.id, id, 'The id of the entity'),
    ) as [string, string];
    if (one === other) throw new InvalidInputError('An entity cannot be merged with itself');
    const { correction } = await this.#correct(options, async (context) => ({
      kind: 'merge-entities',
      keep: await liveEntity(context, one),
      merged: await liveEntity(context, other),
    }));
    return { correction, entity: one as EntityId };
  }

  /** One entity is two: these mentions and facts are another's. Facts that rest on those turns alone go with them. */
  async splitEntity(
    entityId: string,
    part: SplitOff,
    options?: CorrectionOptions,
  ): Promise<CorrectionMade & { readonly entity: EntityId }> {
    const id = readInput(correctionInputs.id, entityId, 'The id of the entity');
    const { name, episodes, facts } = readInput(correctionInputs.split, part, 'The split');
    if (episodes.length + facts.length === 0)
      throw new InvalidInputError('Name the episodes or facts that are of the other entity');
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

  /** Pairs of entities that may be one, the likeliest first: settle them by `mergeEntities` or `keepApart`. */
  async uncertain(): Promise<readonly UncertainPair[]> {
    return uncertainPairs(await this.#access.read());
  }

  /** Two entities are two: they are never taken for one, nor listed as uncertain again. */
  async keepApart(a: string, b: string, options?: CorrectionOptions): Promise<CorrectionMade> {
    const [one, other] = [a, b].map((id) => readInput(correctionInputs.id, id, 'The id of the entity')) as [
      string,
      string,
    ];
    if (one === other) throw new InvalidInputError('An entity cannot be kept apart from itself');
    const { correction } = await this.#correct(options, async (context) => ({
      kind: 'keep-apart',
      entities: [await liveEntity(context, one), await liveEntity(context, other)],
    }));
    return { correction };
  }

  /**
   * Takes a correction back: every row, edge and vector is as before it. What was read since stays, with the rows of
   * before.
   *
   * @throws InvalidInputError when later corrections rest on it: it names them in the order in which to undo them.
   */
  async undo(correctionId: string, options?: CorrectionOptions): Promise<CorrectionMade> {
    const id = readInput(correctionInputs.id, correctionId, 'The id of the correction');
    const { author } = readInput(correctionInputs.options, options ?? {}, 'The correction');
    const correction = await this.#access.write(async (context) => {
      const undone = openCorrection(context, id);
      const versions = await versionsByHand(context);
      const resting = dependentCorrections(
        context.index.corrections.all,
        undone,
        (version) => versions.get(version)?.owner,
      );
      if (resting.length > 0)
        throw new InvalidInputError(
          `Later corrections rest on it; undo these first, in this order: ${resting.map((each) => each.id).join(', ')}`,
        );
      const event = eventOf(context, author);
      const changes = await undoCorrection({ ...context, clock: () => event.at }, undone, event);
      await context.store.commit(context.scope, changes);
      this.#access.rebuildIndex();
      return event.id;
    });
    this.#access.changed();
    return { correction };
  }

  /** The newest first; undone ones too. */
  async list(listing: CorrectionListing = {}): Promise<readonly CorrectionRecord[]> {
    const { limit, before } = readInput(correctionInputs.listing, listing, 'The listing');
    const { corrections } = (await this.#access.read()).index;
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

  async #correct(
    options: CorrectionOptions | undefined,
    requested: (context: IngestContext) => Promise<CorrectionRequest>,
  ): Promise<{ correction: CorrectionId; made: string | null }> {
    const { author } = readInput(correctionInputs.options, options ?? {}, 'The correction');
    const done = await this.#access.write(async (context) => {
      const request = await requested(context);
      const event = eventOf(context, author);
      const { changes, made } = await carryOut(context, request, event);
      await commit(context, changes);
      return { correction: event.id, made };
    });
    this.#access.changed();
    return done;
  }
}

async function commit({ store, scope, index }: IngestContext, changes: GraphChanges): Promise<void> {
  await store.commit(scope, changes);
  index.apply(changes);
}

function eventOf({ newId, clock }: IngestContext, author: string): CorrectionEvent {
  return { id: newId() as CorrectionId, author, at: clock() };
}

/** What differs from the row. @throws InvalidInputError when nothing does. */
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
