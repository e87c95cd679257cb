import type { DropLog } from '../../../src/inference/language-model/reading/drop-log.ts';
import type { LanguageModel, ModelCallOptions } from '../../../src/inference/language-model.ts';
import type { TurnToRead } from '../../../src/ingest/extract/extractor.ts';
import type { ReadEntity } from '../../../src/ingest/extract/llm/reading-rules-prompt.ts';
import type { SegmentReply } from '../../../src/ingest/extract/llm/split-reply.ts';
import { entityKey } from '../../../src/ingest/extract/local/entity-key.ts';
import { speakerName } from '../../../src/ingest/extract/local/speakers.ts';
import type { Prompt } from '../../../src/model/prompt.ts';
import { asLabel, DATA, fence } from '../../../src/prompts/as-data.ts';
import {
  type PromptTurn,
  renderEarlierTurns,
  renderTurns,
  TURNS_FORM,
} from '../../../src/prompts/render-turns.ts';
import { tidyName } from '../../../src/util/tidy.ts';

export interface StepOptions {
  readonly model: LanguageModel;
  readonly calls: ModelCallOptions;
  readonly log: DropLog;
  /** The turns just before those to be read, the oldest first. */
  readonly recent: readonly PromptTurn[];
  /** Whether to run the paper's gate and its reflection. */
  readonly gate: boolean;
  readonly reflection: boolean;
  /** The names of entities in memory, in order. */
  readonly resolve?: ((named: readonly ReadEntity[]) => Promise<readonly string[]>) | undefined;
}

/** The calls for one segment, one after another. */
export class Steps {
  readonly options: StepOptions;
  #cut: string | null = null;

  constructor(options: StepOptions) {
    this.options = options;
  }

  /** The name of the first prompt whose reply was truncated. */
  get cut(): string | null {
    return this.#cut;
  }

  /** @throws The errors of `LanguageModel.structured`. */
  async ask<Input, Output>(prompt: Prompt<Input, Output>, input: Input): Promise<Output> {
    const { model, calls } = this.options;
    const { value, truncated } = await model.structured(prompt, input, calls);
    if (truncated) this.#cut ??= prompt.name;
    return value;
  }
}

/** Reads one segment as one paper does. Its turns are numbered from 1 in the reply. */
export type ReadInSteps = (turns: readonly TurnToRead[], steps: Steps) => Promise<SegmentReply>;

export function allTurns(turns: readonly unknown[]): number[] {
  return turns.map((_, at) => at + 1);
}

/** Turns that a reply cites. A single turn is the evidence of everything read from it, even without a citation. */
export function citing<Read extends { readonly turns: number[] }>(
  read: Read,
  turns: readonly unknown[],
): Read {
  return turns.length === 1 && read.turns.length === 0 ? { ...read, turns: [1] } : read;
}

type Named = Pick<ReadEntity, 'name' | 'kind'> & { readonly turns: readonly number[] };

/** The entities that the steps name, each under its first name. */
export class NameList {
  readonly #entities = new Map<string, ReadEntity>();

  /** The speakers are first in the list. */
  constructor(turns: readonly TurnToRead[]) {
    for (const [at, turn] of turns.entries())
      this.add({ name: speakerName(turn), kind: 'person', turns: [at + 1] });
  }

  get names(): string[] {
    return [...this.#entities.values()].map(({ name }) => name);
  }

  /** A pronoun or an empty text is no name. */
  add({ name, kind, turns }: Named): void {
    const tidied = tidyName(name);
    if (tidied === null) return;
    const key = entityKey(tidied);
    const entity = this.#entities.get(key) ?? {
      name: tidied,
      kind,
      aliases: [],
      tags: [],
      description: '',
      turns: [],
    };
    this.#entities.set(key, { ...entity, turns: [...new Set([...entity.turns, ...turns])] });
  }

  /** Puts each entity under the name that memory has for it; what the turns call it becomes an alias. */
  async rename(resolve: NonNullable<StepOptions['resolve']>): Promise<void> {
    const said = this.toArray();
    const names = await resolve(said);
    this.#entities.clear();
    for (const [at, entity] of said.entries()) {
      const name = names[at]!;
      const known = this.#entities.get(entityKey(name));
      const aliases = entityKey(entity.name) === entityKey(name) ? [] : [entity.name];
      this.#entities.set(entityKey(name), {
        ...entity,
        name,
        aliases: [...(known?.aliases ?? []), ...aliases],
        turns: [...new Set([...(known?.turns ?? []), ...entity.turns])],
      });
    }
  }

  /** By its number in prompts, from 1; an unknown number is ignored. */
  describe(number: number, { tags, ...said }: Pick<ReadEntity, 'description' | 'tags' | 'turns'>): boolean {
    const [key, entity] = [...this.#entities][number - 1] ?? [];
    if (key === undefined || entity === undefined || entity.description !== '') return false;
    const turns = [...new Set([...entity.turns, ...said.turns])];
    this.#entities.set(key, { ...entity, description: said.description, tags, turns });
    return true;
  }

  toArray(): ReadEntity[] {
    return [...this.#entities.values()];
  }
}

/** Turns to be read, and those just before them, which "she" and "there" may point to (Mnemis §2.1). */
export interface TurnsInContext {
  readonly turns: readonly PromptTurn[];
  /** The oldest first. They have been read already. */
  readonly recent?: readonly PromptTurn[] | undefined;
}

const LONGEST_NAME = 100;
const LONGEST_STATEMENT = 300;

/** The prompts' explanation of the format of `contextPart` and `renderTurns`. */
export const CONTEXT_FORM = `${TURNS_FORM} Turns with "-" for a number came before; they only explain the numbered ones.`;

/** The context turns, then the turns to read. */
export function contextPart({ turns, recent = [] }: TurnsInContext): string {
  const before = recent.length === 0 ? '' : `Before:\n${fence(DATA, renderEarlierTurns(recent))}\n`;
  return `${before}Turns to read:\n${fence(DATA, renderTurns(turns))}`;
}

/** A numbered list of names under a heading. */
export function namesPart(heading: string, names: readonly string[]): string {
  return listPart(
    heading,
    names.map((name) => asLabel(name, LONGEST_NAME)),
  );
}

/** A numbered list of statements under a heading. */
export function statementsPart(heading: string, statements: readonly string[]): string {
  return listPart(
    heading,
    statements.map((statement) => asLabel(statement, LONGEST_STATEMENT)),
  );
}

function listPart(heading: string, lines: readonly string[]): string {
  return `${heading}:\n${fence(DATA, lines.map((line, at) => `${at + 1} ${line}`).join('\n'))}`;
}
