import { createHmac, randomBytes } from 'node:crypto';
import type { Milliseconds, TombstoneId } from '../../model/ids.ts';
import type { Episode, Profile, Tombstone, TombstoneKind } from '../../model/nodes.ts';
import type { CorrectionIndex } from '../../search/correction-index.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { collect } from '../../util/collections.ts';
import { entityNameKey } from '../../util/tidy.ts';
import type { IngestContext } from '../ingest-context.ts';

const SALT_BYTES = 32;

/** Identifies a turn and its content: see `turnKey` and `contentHash`. */
type TurnIdentity = Pick<Episode, 'key' | 'contentHash'>;

/** The digest that recognises a forgotten turn. It is keyed, so that nobody can guess the content by trial. */
export function turnDigest({ key, contentHash }: TurnIdentity, salt: string): string {
  return digest('turn', [key, contentHash], salt);
}

/** The digest of a name, ignoring case and accents. */
export function nameDigest(name: string, salt: string): string {
  return digest('entity', [entityNameKey(name)], salt);
}

function digest(kind: 'turn' | 'entity', parts: readonly string[], salt: string): string {
  return createHmac('sha256', Buffer.from(salt, 'hex'))
    .update(JSON.stringify([kind, ...parts]))
    .digest('hex');
}

/** When this turn with this content was last forgotten or moved; null if it never was. */
export function turnForgottenAt(turn: TurnIdentity, corrections: CorrectionIndex): Milliseconds | null {
  return forgottenAt((salt) => turnDigest(turn, salt), corrections);
}

/** Whether all tombstones of a turn are of moves: where it is now tells whether it was forgotten. */
export function wasMoved(turn: TurnIdentity, corrections: CorrectionIndex): boolean {
  const found = Array.from(corrections.salts, (salt) => corrections.tombstone(turnDigest(turn, salt)));
  return found.every((each) => each === undefined || each.kind === 'moved');
}

/**
 * Whether a stored turn was forgotten or moved since: not one that came back by a move, or that was said again, which only
 * its place identifies.
 */
export function wasForgotten(
  turn: TurnIdentity & Pick<Episode, 'sourceId' | 'createdAt'>,
  corrections: CorrectionIndex,
): boolean {
  const at = turnForgottenAt(turn, corrections);
  const comesBack = turn.sourceId === null || wasMoved(turn, corrections);
  return at !== null && (!comesBack || turn.createdAt <= at);
}

/** When the name was last forgotten; null if it never was. */
export function nameForgottenAt(name: string, corrections: CorrectionIndex): Milliseconds | null {
  return forgottenAt((salt) => nameDigest(name, salt), corrections);
}

function forgottenAt(
  digestWith: (salt: string) => string,
  corrections: CorrectionIndex,
): Milliseconds | null {
  let last: Milliseconds | null = null;
  for (const salt of corrections.salts) {
    const at = corrections.tombstone(digestWith(salt))?.createdAt ?? null;
    if (at !== null) last = Math.max(at, last ?? at);
  }
  return last;
}

interface Buried {
  readonly turns?: readonly TurnIdentity[];
  readonly names?: readonly string[];
  /** Whether another scope has the turns. */
  readonly isMove?: boolean;
}

/**
 * New tombstones, one for each text that has none. What is forgotten again gets a newer tombstone, which replaces the
 * old one.
 */
export function tombstonesFor(
  { index: { corrections }, newId, clock }: Pick<IngestContext, 'index' | 'newId' | 'clock'>,
  { turns = [], names = [], isMove = false }: Buried,
): { readonly rows: readonly Tombstone[]; readonly replaced: readonly TombstoneId[] } {
  const salt = corrections.salt ?? randomBytes(SALT_BYTES).toString('hex');
  const createdAt = clock();
  const made = new Map<string, TombstoneKind>();
  for (const turn of turns) made.set(turnDigest(turn, salt), isMove ? 'moved' : 'turn');
  for (const name of names) made.set(nameDigest(name, salt), 'entity');
  const rows: Tombstone[] = [];
  const replaced: TombstoneId[] = [];
  for (const [each, kind] of made) {
    const known = corrections.tombstone(each);
    if (known?.createdAt === createdAt) continue;
    if (known !== undefined) replaced.push(known.id);
    rows.push({ id: newId() as TombstoneId, kind, digest: each, salt, createdAt });
  }
  return { rows, replaced };
}

/** Every name that an entity has or had. */
export async function namesEverOf(
  { store, scope }: Pick<IngestContext, 'store' | 'scope'>,
  entity: string,
): Promise<string[]> {
  const profiles: Pick<Profile, 'owner' | 'name' | 'aliases'>[] = await collect(
    store.scan(scope, 'profile', ['owner', 'name', 'aliases']),
  );
  const own = profiles.filter(({ owner }) => owner === entity);
  return [...new Set(own.flatMap(({ name, aliases }) => [name, ...aliases]))];
}

/**
 * The forgetting that began or ended last; null if there was none. Data that was read before it may contain forgotten
 * content, even from turns that stay. Work that reads turns over a longer time compares this value before it writes.
 */
export function lastForgetting({ corrections }: Pick<ScopeIndex, 'corrections'>): string | null {
  return corrections.all.findLast(({ kind }) => kind === 'forget')?.id ?? null;
}
