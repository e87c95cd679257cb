import type { Scope } from '../../model/ids.ts';

/** Advice by finding code; the codes never change. */
const ADVICE = {
  'hierarchy-depth': 'Run "mnemis repair": it corrects the record.',
  'hierarchy-records': 'Run "mnemis repair": it keeps the newest record.',
  'hierarchy-edges':
    'Run "mnemis repair": it removes these relationships, and the next update places their nodes again.',
  'hierarchy-expired': 'Run "mnemis repair": it removes these rows.',
  'hierarchy-profiles': 'Run "mnemis repair": it keeps the newest profile of each.',
  'hierarchy-nameless': 'Run "mnemis repair": it marks them, and the next update names them again.',
  'hierarchy-empty': 'Run "mnemis repair": it marks them, and the next update fills or removes them.',
  'hierarchy-names':
    'Run "mnemis repair": it keeps the oldest of each name, and the next update places the children of the others.',
  'index-differs':
    'Run "mnemis repair": it deletes the snapshot, and the next open builds the index from the graph.',
  'missing-row': 'Run "mnemis repair": it removes the rows that refer to a missing row.',
  'missing-end':
    'Export the scope and restore it into a new file ("mnemis export", "mnemis restore"): relationships without an end are left out.',
  'bad-vector': 'Run "mnemis repair": it removes these vectors and computes them again.',
  'row-count':
    'Run "mnemis compact", which reads every row into a new file; if that fails, restore a backup.',
  unreadable: 'Export the scope ("mnemis export") to save the readable rows, and restore a backup.',
  'correction-detail': 'Run "mnemis repair": it removes the unreadable corrections.',
  'correction-target': 'Run "mnemis repair": it removes the corrections without a target.',
  'tombstone-content': 'Run "mnemis repair": it removes these tombstones.',
  'tombstone-repeated': 'Run "mnemis repair": it keeps one of each.',
  'tombstone-salts':
    'Nothing is lost, and what was forgotten stays forgotten; restore an earlier backup if there is one.',
  'turn-without-text': 'Forget these turns, or restore a backup that has their text.',
  'turn-with-text': 'Run "mnemis maintain" to apply the retention rules again.',
  'unfinished-forgetting':
    'Run "mnemis repair", or search or write in the scope: the unfinished work is then completed.',
  'unfinished-move':
    'Run "mnemis reembed" to continue it, or "mnemis repair --abandon-move" to keep the previous embedder.',
  'unfinished-copy': 'Complete it by the same "mnemis copy" as before, or delete this memory and copy again.',
  'missing-vectors':
    'Run "mnemis reembed" with the embedder of the memory: searches find these texts by words alone until then.',
  'backup-file': 'Do not restore this backup; make another one with "mnemis backup".',
  'backup-database': 'Do not restore this backup; make another one with "mnemis backup".',
  'backup-commit': 'Do not restore this backup; make another one with "mnemis backup".',
} as const;

/** Codes of findings. */
export type FindingCode = keyof typeof ADVICE;

/** Unfinished or pending work: nothing is damaged. */
const UNFINISHED: ReadonlySet<FindingCode> = new Set([
  'unfinished-forgetting',
  'unfinished-move',
  'unfinished-copy',
  'missing-vectors',
]);

/** A violation of an invariant, or unfinished work. */
export interface Finding {
  /** Null if it concerns the memory as a whole. */
  readonly scope: Scope | null;
  /** The kind of finding; stable, for programs. */
  readonly code: FindingCode;
  /** A description that never contains text of users, and rarely an id. */
  readonly what: string;
  /** What to do about it. */
  readonly advice: string;
}

/** A finding before its scope is set. */
export type Found = Pick<Finding, 'code' | 'what'>;

export function finding(scope: Scope | null, { code, what }: Found): Finding {
  return { scope, code, what, advice: ADVICE[code] };
}

/** Whether nothing is damaged. */
export function isSound(findings: readonly Finding[]): boolean {
  return findings.every(({ code }) => UNFINISHED.has(code));
}

export interface ScopeReport {
  readonly scope: Scope;
  readonly rows: number;
  readonly relationships: number;
  /** Number of vectors by embedder. */
  readonly embeddings: Readonly<Record<string, number>>;
  /** Number of texts without a vector of the embedder in use: searches find them by words only until `reembed`. */
  readonly withoutVector: number;
  /** Whether a current index snapshot exists, and whether it matches the graph. */
  readonly index: 'none' | 'equal' | 'differs';
}

/**
 * The result of `Mnemis.verify`, which compares the parts of a memory and changes nothing. `repair` fixes most
 * findings; each has advice.
 */
export interface CheckReport {
  /** Whether nothing is damaged; the findings may still include unfinished work. */
  readonly sound: boolean;
  readonly findings: readonly Finding[];
  /** One report per scope that contains rows. */
  readonly scopes: readonly ScopeReport[];
}
