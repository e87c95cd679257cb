const OF_STORES = [
  'add turns',
  'consolidate',
  'search',
  'memory, bytes',
  'open with its snapshot',
  'open without its snapshot',
  'forget a turn',
  'file, bytes a turn',
] as const;
type OfStores = (typeof OF_STORES)[number];

/** Groups of figures, each measured in one process. */
export type FigureGroup = 'kuzu' | 'sqlite' | 'preview' | 'processes';
/** In bytes, or processor time as a multiple of that of a kernel. Less is better. */
export type Figure =
  | `${'kuzu' | 'sqlite'}: ${OfStores}`
  | 'preview 5,000 lines'
  | 'import the package'
  | 'ask a warm file';

export const FIGURES: Readonly<Record<FigureGroup, readonly Figure[]>> = {
  kuzu: OF_STORES.map((name) => `kuzu: ${name}` as const),
  sqlite: OF_STORES.map((name) => `sqlite: ${name}` as const),
  preview: ['preview 5,000 lines'],
  processes: ['import the package', 'ask a warm file'],
};
