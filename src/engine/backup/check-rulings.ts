import { parseJson } from '../../importers/json/parse-json.ts';
import type { Correction, Episode, Tombstone } from '../../model/nodes.ts';
import { counted, type Found } from './check-report.ts';

/** HMAC-SHA-256: nothing else may stand where a forgotten text could. */
const DIGEST = /^[0-9a-f]{64}$/;
const SALT = /^[0-9a-f]{16,}$/;

export function isReadableDetail(detail: string): boolean {
  const read = parseJson(detail);
  return read.ok && typeof read.value === 'object' && read.value !== null && !Array.isArray(read.value);
}

export function isTombstoneDigest({ digest, salt }: Pick<Tombstone, 'digest' | 'salt'>): boolean {
  return DIGEST.test(digest) && SALT.test(salt);
}

/** Holds corrections, tombstones and turns without text against each other. Notes ids and times alone. */
export class RulingCheck {
  readonly #withoutText = new Set<string>();
  readonly #corrections = new Map<string, Pick<Correction, 'kind' | 'targets'>>();
  readonly #digests = new Map<string, number>();
  readonly #salts = new Set<string>();
  #badDetails = 0;
  #forgettings = 0;
  #badTombstones = 0;

  /** Turns that have no text, and so no vector. */
  get withoutText(): number {
    return this.#withoutText.size;
  }

  noteTurn({ id, content, attachments }: Episode): void {
    if (content === '' && attachments.length === 0) this.#withoutText.add(id);
  }

  noteCorrection({ id, kind, targets, detail, finishedAt }: Correction): void {
    if (kind === 'forget' && finishedAt === null) this.#forgettings++;
    this.#corrections.set(id, { kind, targets });
    if (!isReadableDetail(detail)) this.#badDetails++;
  }

  noteTombstone({ digest, salt }: Tombstone): void {
    this.#digests.set(digest, (this.#digests.get(digest) ?? 0) + 1);
    this.#salts.add(salt);
    if (!isTombstoneDigest({ digest, salt })) this.#badTombstones++;
  }

  /** @param turns Ids of all turns. @param isThere Whether any row has the id. */
  findings(turns: ReadonlySet<string>, isThere: (id: string) => boolean): Found[] {
    const twice = [...this.#digests.values()].filter((count) => count > 1).length;
    return [
      ...counted('correction-detail', this.#badDetails, 'corrections hold a detail that cannot be read'),
      ...counted('correction-target', this.#lost(isThere), 'corrections are about nothing that is there'),
      ...counted(
        'tombstone-content',
        this.#badTombstones,
        'tombstones hold something else than a digest and its salt',
      ),
      ...counted('tombstone-repeated', twice, 'tombstones stand for something that another one stands for'),
      ...(this.#salts.size > 1
        ? [
            {
              code: 'tombstone-salts' as const,
              what: `the tombstones have ${this.#salts.size} salts instead of one`,
            },
          ]
        : []),
      ...counted('unfinished-forgetting', this.#forgettings, 'forgettings were begun and not ended'),
      ...this.#textFindings(turns),
    ];
  }

  /** What was forgotten is gone, and a turn that lost its text may be forgotten later: their records may outlive them. */
  #lost(isThere: (id: string) => boolean): number {
    let lost = 0;
    for (const { kind, targets } of this.#corrections.values()) {
      if (kind === 'forget' || kind === 'retain') continue;
      const isKnown = kind === 'undo' ? (id: string) => this.#corrections.has(id) : isThere;
      if (!targets.some(isKnown)) lost++;
    }
    return lost;
  }

  #textFindings(turns: ReadonlySet<string>): Found[] {
    const removed = new Set<string>();
    for (const { kind, targets } of this.#corrections.values())
      if (kind === 'retain') for (const id of targets) removed.add(id);
    const empty = [...this.#withoutText].filter((id) => !removed.has(id)).length;
    const full = [...removed].filter((id) => turns.has(id) && !this.#withoutText.has(id)).length;
    return [
      ...counted('turn-without-text', empty, 'turns have no text, though no retention removed it'),
      ...counted('turn-with-text', full, 'turns still hold the text that retention removed'),
    ];
  }
}
