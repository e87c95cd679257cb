import type { Column } from '../../src/model/columns.ts';
import type { EntityId, Scope } from '../../src/model/ids.ts';
import { NODE_KINDS, type NodeKind, type NodeRows, TIME_PRECISIONS } from '../../src/model/nodes.ts';
import { RELATIONSHIPS, type Relationship } from '../../src/model/relationships.ts';
import { columnsByName } from '../../src/model/rows.ts';

export const scopeOf = (name: string) => name as Scope;

/** A value of a column: for a text its name. */
function sampleOf(name: string, column: Column): unknown {
  switch (column.type) {
    case 'name':
    case 'text':
      return name;
    case 'integer':
    case 'time':
      return 1;
    case 'number':
      return 0.9;
    case 'boolean':
      return false;
    case 'code':
      return column.values[0];
    case 'json':
      return [];
    case 'vector':
      return Float32Array.of(0.6, 0.8);
    case 'optionalName':
    case 'optionalTime':
    case 'interval':
      return null;
  }
}

/** Where a row of the tests is not of samples. */
const OWN: { readonly [K in NodeKind]?: (id: string) => Partial<NodeRows[K]> } = {
  episode: (id) => ({
    key: `key of ${id}`,
    session: 'main',
    index: 0,
    content: `content of ${id}`,
    speaker: 'Ann',
    validAt: 1_700_000_000_000,
    atText: '2023-11-14T22:13:20Z',
    createdAt: 1_700_000_000_001,
    source: 'api',
    contentHash: 'hash',
    metadata: {},
    trust: 'normal',
  }),
  segment: () => ({ session: 'main', keywords: ['one', 'two'], endAt: 2, createdAt: 3 }),
  profile: () => ({ owner: 'entity' as EntityId, aliases: ['alias'], tags: ['tag'] }),
  fact: (id) => ({ statement: `statement of ${id}`, relation: 'likes', createdAt: 2 }),
  hierarchy: () => ({
    categorizer: 'local',
    stoppedBy: 'nothing-merged',
    layers: 2,
    minimumChildren: 3,
    maximumLayers: 5,
    entities: 40,
    topNodes: 4,
    createdAt: 2,
  }),
  failure: () => ({ session: 'main', code: 'model-reply', reason: 'the reply did not fit', attempts: 3 }),
  correction: () => ({
    author: 'Ann',
    targets: ['f1', 'f2'],
    detail: '{"statement":"Ann lives in Ghent"}',
  }),
  item: () => ({ namespace: ['users', '1'], value: '{"a":1}' }),
  embedding: () => ({ model: 'test' }),
};

type Rows = { readonly [K in NodeKind]: NodeRows[K][] };

/** A row whose columns are what `valueFor` returns, and samples where that is undefined. */
function rowWith(
  kind: NodeKind,
  id: string,
  valueFor: (column: Column) => unknown = () => undefined,
): object {
  const own: Readonly<Record<string, unknown>> = { ...OWN[kind]?.(id), id };
  const columns = Object.entries(columnsByName(kind));
  return Object.fromEntries(
    columns.map(([name, column]) => [
      name,
      (name === 'id' ? id : valueFor(column)) ?? own[name] ?? sampleOf(name, column),
    ]),
  );
}

const byKind = (valueFor: (kind: NodeKind) => unknown) =>
  Object.fromEntries(NODE_KINDS.map((kind) => [kind, valueFor(kind)])) as unknown;

export const aRowOf = byKind((kind) => (id: string, more: object = {}) => ({
  ...rowWith(kind, id),
  ...more,
})) as { readonly [K in NodeKind]: (id: string, more?: Partial<NodeRows[K]>) => NodeRows[K] };

export const {
  episode,
  segment,
  entity,
  profile,
  description,
  fact,
  category,
  hierarchy,
  failure,
  correction,
  tombstone,
  item,
  embedding,
} = aRowOf;

const TEXTS = ['name', 'optionalName', 'text', 'json', 'interval'] satisfies Column['type'][];

/** A row of each kind with a text in all its columns of these types. */
export function rowsWithText(text: string, types: readonly Column['type'][] = TEXTS): Rows {
  const attachments = [
    { kind: text, description: text, uri: text },
    { kind: 'k', description: '' },
  ];
  const valueFor = (column: Column) => {
    if (!types.includes(column.type)) return undefined;
    if (column.type === 'interval') return { start: 1, end: 2, precision: 'day', text };
    if (column.type !== 'json') return text;
    return [[text, '', text], attachments, { text }].find((value) => column.form.safeParse(value).success);
  };
  return byKind((kind) => [rowWith(kind, `${kind} with text`, valueFor)]) as Rows;
}

/** Rows of each kind with every value of every list, and every precision of an interval. */
export function rowsWithCodes(): Rows {
  return byKind((kind) => {
    const most = Math.max(...Object.values(columnsByName(kind)).map((column) => valuesOf(column).length));
    return Array.from({ length: most }, (_, at) =>
      rowWith(kind, `${kind} ${at}`, (column) => valuesOf(column)[at % valuesOf(column).length]),
    );
  }) as Rows;
}

function valuesOf(column: Column): readonly unknown[] {
  if (column.type === 'code') return column.values;
  if (column.type === 'boolean') return [false, true];
  if (column.type !== 'interval') return [];
  return TIME_PRECISIONS.map((precision, at) => ({ start: -1 - at, end: at, precision, text: precision }));
}

/** Another value for each column of a kind that may change. */
export const changedColumns = (kind: NodeKind): object =>
  mutableColumns(kind, (column) => valuesOf(column).at(-1) ?? 7);

/** Null for each column of a kind that may change and may be without a value. */
export const clearedColumns = (kind: NodeKind): object =>
  mutableColumns(kind, (column) => (column.type === 'optionalTime' ? null : undefined));

function mutableColumns(kind: NodeKind, valueFor: (column: Column) => unknown): object {
  const columns = Object.entries(columnsByName(kind)).filter(([, column]) => column.isMutable);
  const values = columns.map(([name, column]) => [name, valueFor(column)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

type Extra = Partial<Pick<Relationship, 'role' | 'relation' | 'confidence'>>;
type Pair = readonly [Relationship['fromKind'], Relationship['toKind']];

export function edge(
  kind: Relationship['kind'],
  from: string,
  to: string,
  extra: Extra = {},
  pair: Pair = kind === 'CATEGORIZES' ? ['category', 'entity'] : RELATIONSHIPS[kind].pairs[0],
): Relationship {
  return { kind, fromKind: pair[0], from, toKind: pair[1], to, ...extra };
}
