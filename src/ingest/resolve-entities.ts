export type { ResolvedEntity } from './resolve/resolved-entity.ts';
