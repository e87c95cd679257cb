import { type ImportCounts, type ImportEvent, NO_TURNS } from '../../src/engine/import-turns.ts';
import type { ImportRecord, TurnRecord } from '../../src/importers/importer.ts';
import { NO_MODEL_USAGE } from '../../src/inference/language-model/tokens/usage-meter.ts';
import type { InputOf, MemoryClient, RequestOptions } from '../contract.ts';

type Done = Extract<ImportEvent, { type: 'done' }>;
type Rejected = Extract<ImportEvent, { type: 'rejected' }>;

interface PartedImport extends RequestOptions, Pick<InputOf<'import'>, 'scope' | 'tokenBudget'> {
  readonly enrich: boolean;
}

/** Of one request; it goes on to the end of its session, as the engine's own batches do. */
const TURNS = 1_000;
const MOST_TURNS = 16_000;
/** However long they are, a request stays below what a server takes. */
const CHARACTERS = 6_000_000;

/**
 * A long stream of turns through a client: as `MemoryScope.import` tells it, but in requests of some turns each, so that
 * neither side holds them all. What was stored is kept whatever ends it; the same turns once more are known.
 */
export async function* importInParts(
  client: MemoryClient,
  records: AsyncIterable<ImportRecord>,
  { enrich, ...request }: PartedImport,
): AsyncGenerator<ImportEvent, void> {
  const started = performance.now();
  const state = () => ({ counts, usage, seconds: (performance.now() - started) / 1000 });
  let counts = NO_TURNS;
  let usage = NO_MODEL_USAGE;
  let hierarchy: Done['hierarchy'] = null;
  let byStage: Done['byStage'] = {};
  let dropped: Done['dropped'] = [];
  for await (const event of storeAll(client, records, request)) {
    if ('type' in event) yield event;
    else {
      counts = event;
      yield { type: 'progress', phase: 'storing', toGo: null, ...state() };
    }
  }
  const { scope, tokenBudget, signal } = request;
  if (enrich)
    for await (const event of client.resume({ scope, tokenBudget }, { signal })) {
      counts = { ...counts, ...event.counts, pending: event.pending };
      ({ usage } = event);
      if (event.type === 'done') ({ hierarchy, byStage, dropped } = event);
      else {
        const { type, toGo, grouping } = event;
        yield { type, phase: 'enriching', toGo, grouping, ...state() };
      }
    }
  yield { type: 'done', hierarchy, byStage, dropped, ...state() };
}

/** What became of all records so far, after each part. */
async function* storeAll(
  client: MemoryClient,
  records: AsyncIterable<ImportRecord>,
  { scope, signal }: Pick<PartedImport, 'scope' | 'signal'>,
): AsyncGenerator<Rejected | ImportCounts> {
  let counts = NO_TURNS;
  for await (const part of partsOf(records)) {
    yield* part.rejected;
    counts = plus(counts, { read: part.rejected.length, rejected: part.rejected.length });
    let stored: Partial<ImportCounts> = {};
    if (part.turns.length > 0)
      for await (const event of client.import({ scope, turns: turnsOf(part), enrich: false }, { signal }))
        if (event.type === 'rejected')
          yield { ...event, where: part.turns[positionIn(event.where)]?.where ?? event.where };
        else stored = event.counts;
    counts = plus(counts, stored);
    yield counts;
  }
}

interface Part {
  readonly turns: readonly TurnRecord[];
  readonly rejected: readonly Rejected[];
}

async function* partsOf(records: AsyncIterable<ImportRecord>): AsyncGenerator<Part> {
  let [turns, rejected, characters]: [TurnRecord[], Rejected[], number] = [[], [], 0];
  for await (const record of records) {
    if (record.kind === 'rejected') {
      rejected.push({ type: 'rejected', where: record.where, reason: record.reason });
      continue;
    }
    const isAtEnd = turns.at(-1)?.turn.session !== record.turn.session;
    const isFull = turns.length >= (isAtEnd ? TURNS : MOST_TURNS) || characters >= CHARACTERS;
    if (isFull) {
      yield { turns, rejected };
      [turns, rejected, characters] = [[], [], 0];
    }
    turns.push(record);
    characters += lengthOf(record);
  }
  if (turns.length + rejected.length > 0) yield { turns, rejected };
}

/** Size of the other fields, which are short. */
function lengthOf({ turn: { content, attachments = [] } }: TurnRecord): number {
  return attachments.reduce((sum, { description = '' }) => sum + description.length, content.length);
}

const turnsOf = ({ turns }: Part) => turns.map(({ turn }) => turn);

/** The number of waiting turns is the latest one. */
function plus(counts: ImportCounts, part: Partial<ImportCounts>): ImportCounts {
  const { read = 0, added = 0, known = 0, superseding = 0, rejected = 0, pending = counts.pending } = part;
  return {
    ...counts,
    read: counts.read + read,
    added: counts.added + added,
    known: counts.known + known,
    superseding: counts.superseding + superseding,
    rejected: counts.rejected + rejected,
    pending,
  };
}

/** How `import` of the contract names a turn of its list, by its position from 0. */
export const placeOf = (position: number): string => `turn ${position + 1}`;

/** The position that such a name means; -1 where it means none. */
function positionIn(place: string): number {
  return Number(/^turn (\d+)$/.exec(place)?.[1] ?? 0) - 1;
}
