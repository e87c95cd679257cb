import type { EntityKind, ExtractedEntity } from '../extractor.ts';
import { entityKey } from './entity-key.ts';
import type { Mention } from './find-mentions.ts';
import type { Nickname } from './nicknames.ts';

interface Collected {
  readonly name: string;
  kind: EntityKind;
  readonly aliases: Set<string>;
  readonly turns: Set<number>;
}

/** The entities of a unit while it is read, one to a key. Only those noted in some turn come out. */
export class EntityCollection {
  readonly #entities = new Map<string, Collected>();
  /** Key of a nickname to the key of the name. */
  readonly #nicknames = new Map<string, string>();

  /** From here on the alias names the same entity, which is known by its name. */
  addNickname({ name, alias }: Nickname): void {
    const [key, other] = [entityKey(name), entityKey(alias)];
    if (key === other || this.#entities.has(other)) return;
    this.nameOf({ name, kind: 'person', alias });
    this.#nicknames.set(other, this.#keyOf(name));
  }

  /** The name under which the unit knows what is mentioned: the first that was used. */
  nameOf({ name, kind, alias }: Pick<Mention, 'name' | 'kind' | 'alias'>): string {
    const key = this.#keyOf(name);
    const entity = this.#entities.get(key) ?? { name, kind, aliases: new Set(), turns: new Set() };
    this.#entities.set(key, entity);
    if (entity.kind === 'thing') entity.kind = kind;
    if (alias !== null) entity.aliases.add(alias);
    return entity.name;
  }

  /** For names that no mention gave: a date, worked out from words such as "yesterday". */
  ensure(name: string, kind: EntityKind): void {
    if (!this.#entities.has(this.#keyOf(name))) this.nameOf({ name, kind, alias: null });
  }

  note(name: string, turn: number): void {
    this.#entities.get(this.#keyOf(name))?.turns.add(turn);
  }

  #keyOf(name: string): string {
    const key = entityKey(name);
    return this.#nicknames.get(key) ?? key;
  }

  toArray(): ExtractedEntity[] {
    const noted = [...this.#entities.values()].filter(({ turns }) => turns.size > 0);
    return noted.map(({ name, kind, aliases, turns }) => {
      return { name, kind, aliases: [...aliases].sort(), turns: [...turns].sort((a, b) => a - b) };
    });
  }
}
