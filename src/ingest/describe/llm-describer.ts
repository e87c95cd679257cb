import { stageCalls } from '../../inference/language-model/calling/stage-calls.ts';
import type { ModelUsage } from '../../inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel, ModelCallOptions } from '../../inference/language-model.ts';
import { inBatches } from '../../util/collections.ts';
import { shorten, tidy, tidyTags } from '../../util/tidy.ts';
import { DropLog, type Dropped } from '../extract/llm/drop-log.ts';
import { ENTITIES_PER_CALL } from './defaults.ts';
import { describeEntities } from './describe-entities-prompt.ts';

export interface EntityToDescribe {
  readonly name: string;
  /** Descriptions from segments, oldest first. */
  readonly descriptions: readonly string[];
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
const MAX_SUMMARY = 600;

/** Asks a model for profile summaries and tags (Mnemis §2.1). */
export class LlmDescriber {
  readonly #model: LanguageModel;
  readonly #calls: ModelCallOptions;

  constructor(model: LanguageModel, calls: ModelCallOptions = {}) {
    this.#model = model;
    this.#calls = calls;
  }

  /**
   * Entities without descriptions are skipped and get null.
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
    const withDescriptions = entities.filter(({ descriptions }) =>
      descriptions.some((text) => tidy(text) !== ''),
    );
    for (const batch of inBatches(withDescriptions, ENTITIES_PER_CALL)) {
      const { value } = await this.#model.structured(describeEntities, { entities: batch }, calls);
      for (const { entity, summary, tags } of log.wellFormed(value.profiles)) {
        const described = batch[entity - 1];
        const text = shorten(tidy(summary), MAX_SUMMARY);
        if (described === undefined) log.note('profile', 'unknown-number');
        else if (text === '' || written.has(described))
          log.note('profile', text === '' ? 'empty' : 'repeated');
        else
          written.set(described, {
            summary: text,
            tags: tidyTags(tags, (reason, count) => log.note('tag', reason, count)),
          });
      }
    }
    const profiles = entities.map((entity) => written.get(entity) ?? null);
    return { profiles, dropped: log.list(), usage: calls.meter.total };
  }
}
