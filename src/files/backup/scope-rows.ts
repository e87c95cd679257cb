import type { Unlink } from '../../model/graph-changes.ts';
import {
  type Category,
  type Correction,
  type Hierarchy,
  NODE_KINDS,
  type NodeKind,
  type NodeRows,
  type Profile,
  type Tombstone,
} from '../../model/nodes.ts';
import { isEmptied } from '../../model/turn-input.ts';
import { parseJson } from '../../util/parse-json.ts';

/** What the rules of a graph are about: of most rows only the id. Of texts, only names of categories. */
export interface ScopeRows {
  readonly ids: ReadonlyMap<NodeKind, Set<string>>;
  readonly categories: Map<string, Category>;
  /** Of categories. */
  readonly profiles: Pick<Profile, 'id' | 'owner' | 'name' | 'createdAt' | 'expiredAt'>[];
  /** CATEGORIZES. */
  readonly edges: Unlink[];
  readonly records: Hierarchy[];
  readonly corrections: (Pick<Correction, 'id' | 'kind' | 'targets' | 'finishedAt'> & {
    readonly isReadable: boolean;
  })[];
  readonly tombstones: Tombstone[];
  /** Turns without text, and so without a vector. */
  readonly withoutText: Set<string>;
}

export function emptyScopeRows(): ScopeRows {
  return {
    ids: new Map(NODE_KINDS.map((kind) => [kind, new Set()])),
    categories: new Map(),
    profiles: [],
    edges: [],
    records: [],
    corrections: [],
    tombstones: [],
    withoutText: new Set(),
  };
}

/** Categories come first, because a profile is kept if its owner is a category. */
export const READ_ORDER: readonly NodeKind[] = [
  'category',
  ...NODE_KINDS.filter((kind) => kind !== 'category'),
];

const KEEP: { readonly [K in NodeKind]?: (rows: ScopeRows, row: NodeRows[K]) => void } = {
  episode: ({ withoutText }, row) => {
    if (isEmptied(row)) withoutText.add(row.id);
  },
  category: ({ categories }, row) => void categories.set(row.id, row),
  profile: ({ categories, profiles }, { id, owner, name, createdAt, expiredAt }) => {
    if (categories.has(owner)) profiles.push({ id, owner, name, createdAt, expiredAt });
  },
  hierarchy: ({ records }, row) => void records.push(row),
  correction: ({ corrections }, { id, kind, targets, detail, finishedAt }) =>
    void corrections.push({ id, kind, targets, finishedAt, isReadable: isReadableDetail(detail) }),
  tombstone: ({ tombstones }, row) => void tombstones.push(row),
};

/** Notes a row; kinds come in `READ_ORDER`. */
export function keepRow<K extends NodeKind>(rows: ScopeRows, kind: K, row: NodeRows[K]): void {
  rows.ids.get(kind)!.add(row.id);
  KEEP[kind]?.(rows, row);
}

function isReadableDetail(detail: string): boolean {
  const read = parseJson(detail);
  return read.ok && typeof read.value === 'object' && read.value !== null && !Array.isArray(read.value);
}

/** Row fields that refer to other rows, with the kinds they may refer to. */
export const REFERENCES: { readonly [K in NodeKind]?: readonly (readonly [string, readonly NodeKind[]])[] } =
  {
    profile: [['owner', ['entity', 'category']]],
    description: [
      ['entity', ['entity']],
      ['segment', ['segment']],
    ],
    embedding: [['owner', ['episode', 'segment', 'profile', 'description', 'fact']]],
  };
