import type { Scope } from '../../model/ids.ts';

/** What each kind of finding asks for, by its code, which never changes. */
const ADVICE = {
  'hierarchy-depth': 'Run "mnemis repair": it corrects the record.',
  'hierarchy-records': 'Run "mnemis repair": it keeps the newest record.',
  'hierarchy-edges':
    'Run "mnemis repair": it removes these relationships, and the next update places what they placed.',
  'hierarchy-expired': 'Run "mnemis repair": it removes these rows.',
  'hierarchy-profiles': 'Run "mnemis repair": it keeps the newest profile of each.',
  'hierarchy-nameless': 'Run "mnemis repair": it marks them, and the next update names them again.',
  'hierarchy-empty': 'Run "mnemis repair": it marks them, and the next update fills or removes them.',
  'hierarchy-names':
    'Run "mnemis repair": it keeps the oldest of each name, and the next update places what was in the others.',
  'index-differs':
    'Run "mnemis repair": it deletes the snapshot, and the next open builds the index from the graph.',
  'missing-row': 'Run "mnemis repair": it removes the rows that name one that is not there.',
  'missing-end':
    'Export the scope and restore it into a new file ("mnemis export", "mnemis restore"): what has no end is left out.',
  'bad-vector': 'Run "mnemis repair": it removes these vectors and makes them again.',
  'row-count':
    'Run "mnemis compact", which reads every row into a new file; if that fails, restore a backup.',
  unreadable: 'Export the scope ("mnemis export") to keep what can be read, and restore a backup.',
  'correction-detail': 'Run "mnemis repair": it removes the corrections that nobody can read.',
  'correction-target': 'Run "mnemis repair": it removes the corrections that are about nothing.',
  'tombstone-content': 'Run "mnemis repair": it removes these tombstones.',
  'tombstone-repeated': 'Run "mnemis repair": it keeps one of each.',
  'tombstone-salts':
    'Nothing is lost, and what was forgotten stays forgotten; restore a backup from before if there is one.',
  'turn-without-text': 'Forget these turns, or restore a backup that has their text.',
  'turn-with-text': 'Run "mnemis maintain" to have the retention rules applied again.',
  'unfinished-forgetting':
    'Run "mnemis repair", or search or write in the scope: what was begun is then ended.',
  'unfinished-move':
    'Run "mnemis reembed" to go on with it, or "mnemis repair --abandon-move" to stay with the embedder of before.',
  'missing-vectors':
    'Run "mnemis reembed" with the embedder of the memory: searches find these texts by words alone until then.',
  'backup-file': 'Do not restore this backup; make another one with "mnemis backup".',
  'backup-database': 'Do not restore this backup; make another one with "mnemis backup".',
  'backup-commit': 'Do not restore this backup; make another one with "mnemis backup".',
} as const;

/** Kinds of findings. */
export type FindingCode = keyof typeof ADVICE;

/** Work that was begun and waits to be ended, or is still to be done: nothing is damaged. */
const UNFINISHED: ReadonlySet<FindingCode> = new Set([
  'unfinished-forgetting',
  'unfinished-move',
  'missing-vectors',
]);

/** Something that should not be so. */
export interface Finding {
  /** Null for one about the memory as a whole. */
  readonly scope: Scope | null;
  /** Which kind of finding it is; stable, for programs. */
  readonly code: FindingCode;
  /** What was found, in words of our own: never a text, seldom an id. */
  readonly what: string;
  /** What to do about it. */
  readonly advice: string;
}

/** A finding before it is known of which scope. */
export type Found = Pick<Finding, 'code' | 'what'>;

export function finding(scope: Scope | null, { code, what }: Found): Finding {
  return { scope, code, what, advice: ADVICE[code] };
}

/** One of so many, or nothing where there are none. */
export function counted(code: FindingCode, count: number, what: string): Found[] {
  return count === 0 ? [] : [{ code, what: `${count} ${what}` }];
}

/** Whether nothing is damaged. */
export function isSound(findings: readonly Finding[]): boolean {
  return findings.every(({ code }) => UNFINISHED.has(code));
}

export interface ScopeReport {
  readonly scope: Scope;
  readonly rows: number;
  readonly relationships: number;
  /** Vectors by the embedder that made them. */
  readonly embeddings: Readonly<Record<string, number>>;
  /** Texts without a vector of the embedder in use: searches find them by words alone until `reembed`. */
  readonly withoutVector: number;
  /** Whether the snapshot of the index, if one of this commit is there, says what the graph says. */
  readonly index: 'none' | 'equal' | 'differs';
}

/**
 * What `Mnemis.verify` found when it held the parts of a memory against each other. Nothing was changed: `repair`
 * mends most of it, and each finding says what else to do.
 */
export interface CheckReport {
  /** Whether nothing is damaged: work that was begun and not ended may be among the findings. */
  readonly sound: boolean;
  readonly findings: readonly Finding[];
  /** Every scope that holds something. */
  readonly scopes: readonly ScopeReport[];
}
