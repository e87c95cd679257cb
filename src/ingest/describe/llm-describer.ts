import { stageCalls } from '../../inference/language-model/calling/stage-calls.ts';
import { DropLog, type Dropped } from '../../inference/language-model/reading/drop-log.ts';
import type { ModelUsage } from '../../inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel, ModelCallOptions } from '../../inference/language-model.ts';
import { isBroken } from '../../prompts/broken-text.ts';
import { inBatches } from '../../util/collections.ts';
import { shorten, tidy, tidyTags } from '../../util/tidy.ts';
import { ENTITIES_PER_CALL, MAX_WRITTEN_SUMMARY, NOTES_PER_CALL } from './defaults.ts';
import { describeEntities, type EntityNote } from './describe-entities-prompt.ts';

export interface EntityToDescribe {
  readonly name: string;
  /** The profile so far; empty for a new entity. */
  readonly summary: string;
  /** What no profile has used yet, the oldest first. */
  readonly notes: readonly EntityNote[];
}

export interface WrittenProfile {
  readonly summary: string;
  /** At most 5, of at most 3 words each. */
  readonly tags: readonly string[];
}

export interface DescribingResult {
  /** One per entity, in order; null if the model wrote none. */
  readonly profiles: readonly (WrittenProfile | null)[];
  readonly dropped: readonly Dropped[];
  readonly usage: ModelUsage;
}

/** An entity whose notes are not all used yet, and its profile up to those that are. */
interface Unfinished {
  readonly entity: EntityToDescribe;
  readonly written: WrittenProfile | null;
  readonly left: readonly EntityNote[];
}

/** Asks a model for profile summaries and tags (Mnemis §2.1). */
export class LlmDescriber {
  readonly #model: LanguageModel;
  readonly #calls: ModelCallOptions;

  constructor(model: LanguageModel, calls: ModelCallOptions = {}) {
    this.#model = model;
    this.#calls = calls;
  }

  /**
   * Entities without notes are skipped and get null. One with more notes than fit in a call is described again with
   * the next ones, until all are used.
   *
   * @throws what `LanguageModel.structured` throws; no profile is written then.
   */
  async describe(
    entities: readonly EntityToDescribe[],
    given: ModelCallOptions = {},
  ): Promise<DescribingResult> {
    const calls = stageCalls(this.#calls, given);
    const log = new DropLog();
    const written = new Map<EntityToDescribe, WrittenProfile>();
    let open = entities.flatMap((entity): Unfinished[] => {
      const left = entity.notes.filter(({ text }) => tidy(text) !== '');
      return left.length === 0 ? [] : [{ entity, written: null, left }];
    });
    while (open.length > 0) {
      const rest: Unfinished[] = [];
      for (const batch of inBatches(open, ENTITIES_PER_CALL)) {
        const replies = await this.#ask(batch, log, calls);
        for (const [at, { entity, left }] of batch.entries()) {
          const profile = replies.get(at);
          if (profile === undefined) written.delete(entity);
          else written.set(entity, profile);
          const next = left.slice(fitting(left).length);
          if (profile !== undefined && next.length > 0) rest.push({ entity, written: profile, left: next });
        }
      }
      open = rest;
    }
    const profiles = entities.map((entity) => written.get(entity) ?? null);
    return { profiles, dropped: calls.meter.recordDropped(log.list()), usage: calls.meter.total };
  }

  /** The profiles of a reply by position in the batch. */
  async #ask(
    batch: readonly Unfinished[],
    log: DropLog,
    calls: ModelCallOptions,
  ): Promise<ReadonlyMap<number, WrittenProfile>> {
    const shown = batch.map(({ entity: { name, summary }, written, left }) => ({
      name,
      summary: written?.summary ?? summary,
      notes: fitting(left),
    }));
    const { value } = await this.#model.structured(describeEntities, { entities: shown }, calls);
    const replies = new Map<number, WrittenProfile>();
    for (const { entity, summary, tags } of log.wellFormed(value.profiles)) {
      const at = entity - 1;
      const text = shorten(tidy(summary), MAX_WRITTEN_SUMMARY);
      const isSaid = (part: string) => textsOf(shown[at]!).some((said) => said.includes(part));
      if (shown[at] === undefined) log.note('profile', 'unknown-number');
      else if (text !== '' && isBroken(text, isSaid)) log.note('profile', 'garbage');
      else if (text === '' || replies.has(at)) log.note('profile', text === '' ? 'empty' : 'repeated');
      else
        replies.set(at, {
          summary: text,
          tags: tidyTags(tags, (reason, count) => log.note('tag', reason, count)),
        });
    }
    return replies;
  }
}

function textsOf({ summary, notes }: Omit<EntityToDescribe, 'name'>): string[] {
  return [summary, ...notes.map(({ text }) => text)];
}

/** The oldest notes that fit into one call; at least one. */
function fitting(notes: readonly EntityNote[]): readonly EntityNote[] {
  let left = NOTES_PER_CALL;
  const end = notes.findIndex(({ text }, at) => {
    left -= text.length;
    return at > 0 && left < 0;
  });
  return end === -1 ? notes : notes.slice(0, end);
}
