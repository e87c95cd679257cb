import type { DropLog } from '../../../inference/language-model/reading/drop-log.ts';
import { isPlaceholder } from '../../../prompts/broken-text.ts';
import { MAX_TAGS, says, shorten, tidy, tidyName, tidyTags } from '../../../util/tidy.ts';
import type { EntityKind } from '../extractor.ts';
import { entityKey } from '../local/entity-key.ts';
import type { DescribedEntity } from '../segment-reader.ts';
import { isNoProse } from './garbage.ts';
import type { ReadEntity } from './reading-rules-prompt.ts';
import type { Talk } from './talk.ts';

const MAX_DESCRIPTION = 600;
const MAX_ALIASES = 10;
/** Speakers and names from facts are not counted. */
const MAX_ENTITIES_PER_TURN = 10;

interface Entry {
  readonly name: string;
  readonly kind: EntityKind;
  readonly aliases: Map<string, string>;
  readonly tags: Map<string, string>;
  readonly descriptions: Set<string>;
  readonly turns: Set<number>;
}

/** The entities of a reply, each under one name. Each is cited or named by a turn. */
export class ReplyEntities {
  readonly #talk: Talk;
  readonly #log: DropLog;
  readonly #entries = new Map<string, Entry>();
  readonly #keys = new Map<string, Entry>();
  readonly #elsewhere = new Map<string, Pick<Entry, 'name' | 'kind'>>();

  constructor(talk: Talk, log: DropLog) {
    this.#talk = talk;
    this.#log = log;
  }

  /** Adds names before aliases, so that no alias takes the name of another entity. */
  addAll(read: readonly ReadEntity[]): void {
    const most = MAX_ENTITIES_PER_TURN * this.#talk.turns.length;
    this.#log.note('entity', 'too-much', read.length - most);
    const entered = read.slice(0, most).flatMap((entity) => {
      const entry = this.#enter(entity);
      return entry === null ? [] : [{ entry, entity }];
    });
    const claims = claimsOf(entered, (entry, alias) => !this.#isAnother(entry, alias));
    for (const { entry, entity } of entered) this.#addAliases(entry, entity.aliases, claims);
  }

  /** Adds every speaker, also those that the reply does not name. */
  addSpeakers(): void {
    for (const speaker of new Set(this.#talk.speakers)) {
      const entry = this.#find(speaker) ?? this.#make(speaker, 'person');
      for (const at of this.#talk.spokenBy(speaker)) entry.turns.add(at);
    }
  }

  /** Registers entities of other segments; one is added when a fact of this segment names it. */
  addElsewhere(read: readonly ReadEntity[]): void {
    for (const { kind, ...entity } of read) {
      const tidied = tidyName(entity.name);
      const name = tidied === null || isPlaceholder(tidied) ? null : tidied;
      for (const each of name === null
        ? []
        : [name, ...entity.aliases.flatMap((alias) => tidyName(alias) ?? [])]) {
        const key = entityKey(each);
        if (name !== null && !this.#elsewhere.has(key)) this.#elsewhere.set(key, { name, kind });
      }
    }
  }

  /**
   * Resolves a name in a fact to an entity, and marks the fact's turns as mentions of it. Adds an unknown name if one
   * of these turns contains it; else returns null.
   */
  resolve(name: string, turns: readonly number[]): string | null {
    const tidied = tidyName(name);
    if (tidied === null) return null;
    const said = turns.some((at) => this.#talk.says(at, tidied));
    const other =
      this.#elsewhere.get(entityKey(tidied)) ?? (said ? { name: tidied, kind: 'thing' as const } : null);
    const entry =
      this.#find(tidied) ??
      (other === null ? null : (this.#find(other.name) ?? this.#make(other.name, other.kind)));
    for (const at of entry === null ? [] : turns) entry?.turns.add(at);
    return entry?.name ?? null;
  }

  /** Under which names the reply knows entities, those of other segments too. */
  names(): Pick<DescribedEntity, 'name' | 'aliases'>[] {
    const own = [...this.#entries.values()].map(({ name, aliases }) => ({
      name,
      aliases: [...aliases.values()],
    }));
    return [...own, ...[...this.#elsewhere.values()].map(({ name }) => ({ name, aliases: [] }))];
  }

  namesIn(text: string): string[] {
    return [...this.#entries.values()].filter(({ name }) => says(text, name)).map(({ name }) => name);
  }

  toArray(): DescribedEntity[] {
    return [...this.#entries.values()].map(({ name, kind, aliases, tags, descriptions, turns }) => ({
      name,
      kind,
      aliases: [...aliases.values()].slice(0, MAX_ALIASES),
      tags: [...tags.values()].slice(0, MAX_TAGS),
      description: shorten([...descriptions].join(' '), MAX_DESCRIPTION),
      turns: [...turns].sort((a, b) => a - b),
    }));
  }

  #find(name: string): Entry | undefined {
    return this.#keys.get(entityKey(name));
  }

  #make(name: string, kind: EntityKind): Entry {
    const [aliases, tags] = [new Map<string, string>(), new Map<string, string>()];
    const entry: Entry = { name, kind, aliases, tags, descriptions: new Set(), turns: new Set() };
    this.#entries.set(entityKey(name), entry);
    this.#keys.set(entityKey(name), entry);
    return entry;
  }

  #enter(entity: ReadEntity): Entry | null {
    const name = tidyName(entity.name);
    if (name === null) {
      this.#log.note('entity', 'empty');
      return null;
    }
    if (isPlaceholder(name) && this.#talk.where(name).length === 0) {
      this.#log.note('entity', 'garbage');
      return null;
    }
    const cited = this.#talk.cited(entity.turns, this.#log);
    const turns = cited.length > 0 ? cited : this.#talk.where(name);
    if (turns.length === 0) {
      this.#log.note('entity', 'uncited');
      return null;
    }
    if (entity.kind !== 'date' && !this.#talk.knows(name)) {
      this.#log.note('entity', 'not-said');
      return null;
    }
    const known = this.#find(name);
    if (known !== undefined) this.#log.note('entity', 'repeated');
    const entry = known ?? this.#make(name, entity.kind);
    for (const at of turns) entry.turns.add(at);
    const isBad =
      entity.description !== '' && isNoProse(entity.description, (text) => this.#talk.contains(text));
    if (isBad) this.#log.note('description', 'garbage');
    const description = isBad ? '' : tidy(entity.description);
    if (description !== '' && cited.length === 0) this.#log.note('citation', 'uncited');
    else if (description !== '') entry.descriptions.add(description);
    for (const tag of tidyTags(entity.tags, (reason, count) => this.#log.note('tag', reason, count)))
      entry.tags.set(tag.toLowerCase(), tag);
    return entry;
  }

  /** Whether the alias names another speaker. "Ann" may be Ann Berg, but neither a puppy nor Annabel. */
  #isAnother({ name }: Entry, alias: string): boolean {
    return (
      this.#talk.speakers.some((speaker) => entityKey(speaker) === entityKey(alias)) && !says(name, alias)
    );
  }

  /** Adds other forms of the name that a turn uses and that belong to no other entity. */
  #addAliases(
    entry: Entry,
    aliases: readonly string[],
    claims: ReadonlyMap<string, ReadonlySet<Entry>>,
  ): void {
    for (const raw of aliases) {
      const alias = tidyName(raw);
      const key = alias === null ? '' : entityKey(alias);
      if (alias === null) this.#log.note('alias', 'empty');
      else if (this.#keys.get(key) === entry) continue;
      else if (this.#keys.has(key) || claims.get(key)!.size > 1 || this.#isAnother(entry, alias))
        this.#log.note('alias', 'ambiguous');
      else if (this.#talk.where(alias).length === 0) this.#log.note('alias', 'not-said');
      else {
        entry.aliases.set(key, alias);
        this.#keys.set(key, entry);
      }
    }
  }
}

/** Which entities claim each alias: an alias of several entities identifies none. */
function claimsOf(
  entered: readonly { readonly entry: Entry; readonly entity: ReadEntity }[],
  mayClaim: (entry: Entry, alias: string) => boolean,
): ReadonlyMap<string, ReadonlySet<Entry>> {
  const claims = new Map<string, Set<Entry>>();
  for (const { entry, entity } of entered) {
    for (const alias of entity.aliases.flatMap((raw) => tidyName(raw) ?? [])) {
      const claimants = claims.get(entityKey(alias)) ?? new Set();
      claims.set(entityKey(alias), mayClaim(entry, alias) ? claimants.add(entry) : claimants);
    }
  }
  return claims;
}
