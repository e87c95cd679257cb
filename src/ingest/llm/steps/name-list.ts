import type { ReadEntity } from '../../../prompts/reading-rules.ts';
import { tidyName } from '../../../util/tidy.ts';
import type { TurnToRead } from '../../extractor.ts';
import { entityKey } from '../../local/entity-key.ts';
import { speakerName } from '../../local/speakers.ts';

type Named = Pick<ReadEntity, 'name' | 'kind'> & { readonly turns: readonly number[] };

/** The entities that steps name one after another, each under the first name that it was given. */
export class NameList {
  readonly #entities = new Map<string, ReadEntity>();

  /** Whoever speaks heads the list. */
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

  /** By the number under which prompts list it, from 1; nothing happens for a number of none. */
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
