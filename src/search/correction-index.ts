import { z } from 'zod';
import type { GraphChanges, RowRemoval } from '../model/graph-changes.ts';
import { firstId, renewedId } from '../model/ids.ts';
import { CORRECTION_KINDS, type Correction, TOMBSTONE_KINDS, type Tombstone } from '../model/nodes.ts';
import { type Section, type Sections, sectionJson } from './sections.ts';

const time = z.number().nullable();
const schema = z.object({
  corrections: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(CORRECTION_KINDS),
      author: z.string(),
      targets: z.array(z.string()),
      detail: z.string(),
      createdAt: z.number(),
      finishedAt: time,
      undoneAt: time,
    }),
  ),
  tombstones: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(TOMBSTONE_KINDS),
      digest: z.string(),
      salt: z.string(),
      createdAt: z.number(),
    }),
  ),
});

/** The corrections and tombstones of a scope, for ingestion. */
export class CorrectionIndex {
  readonly #corrections = new Map<string, Correction>();
  readonly #tombstones = new Map<string, Tombstone>();
  readonly #ids = new Map<string, string>();
  readonly #salts = new Set<string>();
  #revision = 0;
  #withoutText: { readonly revision: number; readonly turns: ReadonlySet<string> } | null = null;

  /** Increases with every change. */
  get revision(): number {
    return this.#revision;
  }

  /** In the order of their making, including undone ones. */
  get all(): readonly Correction[] {
    return [...this.#corrections.values()];
  }

  /**
   * The turns whose text a retention rule removed: each retention record has them as its targets. Their rows stay as
   * evidence of facts, but they contain nothing to find, quote or read again.
   */
  get turnsWithoutText(): ReadonlySet<string> {
    if (this.#withoutText?.revision !== this.#revision) {
      const runs = this.all.filter(({ kind }) => kind === 'retain');
      this.#withoutText = {
        revision: this.#revision,
        turns: new Set(runs.flatMap(({ targets }) => targets)),
      };
    }
    return this.#withoutText.turns;
  }

  get tombstones(): readonly Tombstone[] {
    return [...this.#tombstones.values()];
  }

  /** For new tombstones; null if there is none yet. */
  get salt(): string | null {
    for (const { salt } of this.#tombstones.values()) return salt;
    return null;
  }

  /** By its id or by an id that it had before it was renewed. */
  correction(id: string): Correction | undefined {
    const known = this.#corrections.get(id);
    if (known !== undefined) return known;
    const first = firstId(id);
    return this.all.find((each) => firstId(each.id) === first);
  }

  /** Of all tombstones; imported tombstones can have another salt. */
  get salts(): Iterable<string> {
    return this.#salts;
  }

  tombstone(digest: string): Tombstone | undefined {
    return this.#tombstones.get(digest);
  }

  hasTombstones(kind: Tombstone['kind']): boolean {
    for (const each of this.#tombstones.values()) if (each.kind === kind) return true;
    return false;
  }

  add(corrections: readonly Correction[], tombstones: readonly Tombstone[]): void {
    for (const each of corrections) this.#corrections.set(each.id, each);
    for (const each of tombstones) {
      this.#tombstones.set(each.digest, each);
      this.#salts.add(each.salt);
      this.#ids.set(each.id, each.digest);
    }
    this.#revision += corrections.length + tombstones.length;
  }

  apply({ nodes = {}, updates = [], removals = [] }: GraphChanges): void {
    this.add(nodes.correction ?? [], nodes.tombstone ?? []);
    for (const { kind, id, set } of updates) {
      const known = kind === 'correction' ? this.#corrections.get(id) : undefined;
      if (known === undefined) continue;
      this.#corrections.set(id, { ...known, ...set });
      this.#revision++;
    }
    this.#placeRenewed(removals);
    for (const { kind, id } of removals) {
      if (kind === 'correction' && this.#corrections.delete(id)) this.#revision++;
      if (kind === 'tombstone' && this.#drop(id)) this.#revision++;
    }
  }

  /**
   * Puts a renewed correction in the place of the one that it replaces, because of two corrections of one row the later
   * one holds.
   */
  #placeRenewed(removals: readonly RowRemoval[]): void {
    const renewed = new Map(
      removals.flatMap(({ kind, id }) => {
        const row = kind === 'correction' ? this.#corrections.get(renewedId(id)) : undefined;
        return row === undefined ? [] : [[id, row] as const];
      }),
    );
    if (renewed.size === 0) return;
    const all = this.all;
    const later = new Set<string>([...renewed.values()].map(({ id }) => id));
    this.#corrections.clear();
    for (const row of all) {
      if (later.has(row.id)) continue;
      this.#corrections.set(row.id, row);
      const next = renewed.get(row.id);
      if (next !== undefined) this.#corrections.set(next.id, next);
    }
  }

  /** False for a tombstone that a newer one of the same text has replaced. */
  #drop(tombstone: string): boolean {
    const digest = this.#ids.get(tombstone) ?? '';
    this.#ids.delete(tombstone);
    return this.#tombstones.get(digest)?.id === tombstone && this.#tombstones.delete(digest);
  }

  toSections(): Sections {
    const json = { corrections: this.all, tombstones: [...this.#tombstones.values()] };
    return new Map<string, Section>([['corrections', { json }]]);
  }

  /** Null if the sections are not those of a correction index. */
  static fromSections(sections: Sections): CorrectionIndex | null {
    const parsed = sectionJson(sections, 'corrections', schema);
    if (parsed === null) return null;
    const index = new CorrectionIndex();
    index.add(parsed.corrections as unknown as Correction[], parsed.tombstones as unknown as Tombstone[]);
    return index;
  }
}
