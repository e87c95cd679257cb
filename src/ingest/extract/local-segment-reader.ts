import { CancelledError } from '../../errors/index.ts';
import { Breather } from '../../util/breathe.ts';
import { groupBy } from '../../util/collections.ts';
import { shorten } from '../../util/tidy.ts';
import { LocalSummarizer } from '../describe/local-summarizer.ts';
import { summarizeEntity } from '../describe/profile-summary.ts';
import type { ExtractedEntity, Extraction, Extractor, TurnToRead } from './extractor.ts';
import { entityKey } from './local/entity-key.ts';
import { LocalExtractor } from './local/local-extractor.ts';
import { speakerName } from './local/speakers.ts';
import { type Judgement, LocalGate } from './local-gate.ts';
import type { CheckedReading, DescribedExtraction, ReadOptions, SegmentReader } from './segment-reader.ts';
import { selfCheck } from './self-check.ts';

/** Maximum number of characters of a description without a model. */
export const MAX_DESCRIPTION = 300;

/**
 * Gives each entity a description: the extraction's statements about it, chosen as for its profile; empty if there
 * are none. Yields to the event loop between two entities.
 */
async function describeGradually(
  { entities, facts }: Extraction,
  breather: Breather,
): Promise<DescribedExtraction> {
  const described: DescribedExtraction['entities'][number][] = [];
  for (const entity of entities) {
    described.push({ ...entity, ...describe(entity, facts) });
    await breather.breathe();
  }
  return { entities: described, facts: facts.map((fact) => ({ ...fact, invalidAt: null })) };
}

function describe({ name, kind, turns }: ExtractedEntity, facts: Extraction['facts']) {
  const entity = { name, kind, mentions: turns.length };
  const own = facts.filter(({ participants }) => participants.includes(name));
  const { summary, tags } = summarizeEntity({ ...entity, facts: own });
  // Without a statement that has content words, the summary only counts mentions.
  const isSaid = summary !== summarizeEntity({ ...entity, facts: [] }).summary;
  return { tags, description: shorten(isSaid ? summary : (own[0]?.statement ?? ''), MAX_DESCRIPTION) };
}

export interface LocalSegmentReaderOptions {
  /** Whether turns may be dropped; without the gate all are kept. Default: true. */
  readonly gate?: boolean | undefined;
  /** Default: Mnemis's own. */
  readonly extractor?: Extractor | undefined;
}

type LocalReadOptions = Pick<ReadOptions, 'known' | 'signal'>;
type Turns = readonly TurnToRead[];

/**
 * The local tier's reader: entities and facts of the turns that the gate keeps, keywords and summary of all turns,
 * descriptions from the segment's own statements, and a self-check by rules. Deterministic.
 */
export class LocalSegmentReader implements SegmentReader {
  readonly #gate: LocalGate | null;
  readonly #extractor: Extractor;
  readonly #summarizer = new LocalSummarizer();
  /** One for all reads: many short reads in a row block the thread as one long read does. */
  readonly #breather = new Breather();

  constructor({ gate = true, extractor = new LocalExtractor() }: LocalSegmentReaderOptions = {}) {
    this.#extractor = extractor;
    this.#gate = gate ? new LocalGate() : null;
  }

  /** Names of one segment count as known in those after it. */
  async read(segments: readonly Turns[], options: LocalReadOptions): Promise<readonly CheckedReading[]> {
    const named = new Set<string>();
    const known = (name: string) => named.has(name.toLowerCase()) || options.known(name);
    const readings: CheckedReading[] = [];
    for (const turns of segments) {
      if (options.signal?.aborted) throw new CancelledError('no segment was read', options.signal.reason);
      const reading = await this.#readOne(turns, { known, signal: options.signal });
      for (const { name } of reading.extraction.entities) named.add(name.toLowerCase());
      readings.push(reading);
    }
    return readings;
  }

  async #readOne(turns: Turns, options: LocalReadOptions): Promise<CheckedReading> {
    const { signal } = options;
    const judgements: readonly Judgement[] =
      (await this.#gate?.judge(turns, { signal })) ?? turns.map(() => 'kept');
    const kept = turns.flatMap((_, at) => (judgements[at] === 'kept' ? [at] : []));
    await this.#breather.breathe();
    const read = await this.#extractor.extract(
      kept.map((at) => turns[at]!),
      options,
    );
    await this.#breather.breathe();
    const extraction = await describeGradually(
      cited(withSpeakers(moved(named(read), kept), turns)),
      this.#breather,
    );
    await this.#breather.breathe();
    const summary = await this.#summarizer.summarize({ turns, extraction }, { signal });
    await this.#breather.breathe();
    return { ...summary, judgements, extraction, verified: selfCheck(turns, extraction) };
  }
}

/**
 * The extraction without empty names, and without entities and facts that have no other. A caller's extractor may
 * return such.
 */
function named({ entities, facts }: Extraction): Extraction {
  const isName = (name: string) => name.trim() !== '';
  const orNull = (name: string | null) => (name !== null && isName(name) ? name : null);
  return {
    entities: entities
      .filter(({ name }) => isName(name))
      .map((entity) => ({ ...entity, aliases: entity.aliases.filter(isName) })),
    facts: facts
      .filter(({ statement }) => isName(statement))
      .map((fact) => ({
        ...fact,
        subject: orNull(fact.subject),
        object: orNull(fact.object),
        participants: fact.participants.filter(isName),
      })),
  };
}

/** Converts positions of an extraction of some turns to positions in the unit; drops positions that do not exist. */
function moved({ entities, facts }: Extraction, places: readonly number[]): Extraction {
  const move = (turns: readonly number[]) =>
    [...new Set(turns.map((at) => places[at]).filter((at) => at !== undefined))].sort((a, b) => a - b);
  return {
    entities: entities.map((entity) => ({ ...entity, turns: move(entity.turns) })),
    facts: facts.map((fact) => ({ ...fact, turns: move(fact.turns) })),
  };
}

/** Drops entities and facts without turns. */
function cited({ entities, facts }: Extraction): Extraction {
  const isCited = ({ turns }: { readonly turns: readonly number[] }) => turns.length > 0;
  return { entities: entities.filter(isCited), facts: facts.filter(isCited) };
}

/** Adds the speakers, also those whose turns the gate dropped. */
function withSpeakers({ entities, facts }: Extraction, turns: Turns): Extraction {
  const speakers = groupBy([...turns.keys()], (at) => entityKey(speakerName(turns[at]!)));
  const found = entities.map((entity) => {
    const spoken = speakers.get(entityKey(entity.name)) ?? [];
    return { ...entity, turns: [...new Set([...entity.turns, ...spoken])].sort((a, b) => a - b) };
  });
  const keys = new Set(entities.map(({ name }) => entityKey(name)));
  const missing = [...speakers].flatMap(([key, spoken]): ExtractedEntity[] => {
    const name = speakerName(turns[spoken[0]!]!);
    return keys.has(key) ? [] : [{ name, kind: 'person', aliases: [], turns: spoken }];
  });
  return { facts, entities: [...found, ...missing] };
}
