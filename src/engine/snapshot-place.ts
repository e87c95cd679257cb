import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scope } from '../model/ids.ts';
import type { Sections } from '../search/sections.ts';
import {
  decodeSnapshot,
  encodeSnapshot,
  readSnapshot,
  removeSnapshot,
  writeSnapshot,
} from '../search/snapshot.ts';
import type { ScopeState } from '../store/graph-store.ts';
import type { SharedSnapshots } from '../store/store-sharing.ts';

/** Gives the stamp of a snapshot of that state. */
type StampOf = (state: ScopeState) => string;

/** A snapshot, and the state of the scope that it was made of. */
export interface PlacedSnapshot {
  readonly sections: Sections;
  readonly state: ScopeState;
}

/** Where the index snapshot of one scope is kept. */
export interface SnapshotPlace {
  /** Null if there is none that can be used. */
  read(stampOf: StampOf): Promise<PlacedSnapshot | null>;
  /**
   * Keeps a snapshot, in the place of the one before. Returns whether it did: a place of several processes takes no snapshot
   * of a state that another one has changed, and none where the last one is nearly as new.
   *
   * @throws DiskFullError, StoreWriteError, and errors of the file system.
   */
  write(stampOf: StampOf, snapshot: PlacedSnapshot): Promise<boolean>;
  /** Part of forgetting: no bytes of it are left. */
  remove(): Promise<void>;
}

/** A file in a folder beside the memory, of the scope's last commit. Named by a hash, because scope names may contain any character. */
export function fileSnapshot(
  folder: string,
  { scope, stateOf }: { readonly scope: Scope; readonly stateOf: () => Promise<ScopeState> },
): SnapshotPlace {
  const name = createHash('sha256').update(scope).digest('hex').slice(0, 32);
  const path = join(folder, `${name}.index`);
  return {
    async read(stampOf) {
      const state = await stateOf();
      const { snapshot } = await readSnapshot(path, stampOf(state));
      return snapshot && { sections: snapshot.sections, state };
    },
    async write(stampOf, { sections, state }) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeSnapshot(path, stampOf(state), sections);
      return true;
    },
    remove: () => removeSnapshot(path),
  };
}

/** A snapshot is worth writing after so many commits; before, the log is followed from the last one. */
const COMMITS_BETWEEN = 128;

/** A row in the database, which is followed by the commit log. */
export function sharedSnapshot(snapshots: SharedSnapshots, scope: Scope): SnapshotPlace {
  return {
    async read(stampOf) {
      const found = await snapshots.read(scope);
      if (found === null) return null;
      const { snapshot } = decodeSnapshot(found.bytes, stampOf(found.state));
      return snapshot && { sections: snapshot.sections, state: found.state };
    },
    async write(stampOf, { sections, state }) {
      const last = await snapshots.stateOf(scope);
      if (
        last !== null &&
        last.sequence <= state.sequence &&
        state.sequence - last.sequence < COMMITS_BETWEEN
      )
        return false;
      return snapshots.write(scope, {
        state,
        bytes: Buffer.concat(encodeSnapshot(stampOf(state), sections)),
      });
    },
    remove: () => snapshots.remove(scope),
  };
}

/** For a memory that keeps no snapshots. */
export const NO_SNAPSHOT: SnapshotPlace = {
  read: async () => null,
  write: async () => false,
  remove: async () => undefined,
};
