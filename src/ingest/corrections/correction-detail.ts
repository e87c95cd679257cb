import { z } from 'zod';
import type { CorrectionId, EntityId, EpisodeId, FactId } from '../../model/ids.ts';
import type { Correction, CorrectionKind } from '../../model/nodes.ts';
import { parseJson } from '../../util/parse-json.ts';
import { type Journal, journalSchema, packJournal, unpackJournal } from './journal.ts';

const id = z.string().min(1);
const ids = z.array(id).readonly();
const time = z.number().int();

/**
 * Identifies a fact by what is the same in every memory of the same turns: its words and the turns that support it (a
 * sample). `about` lists its entities.
 */
const factAnchor = z.object({
  id: id.transform((each) => each as FactId),
  statement: z.string(),
  event: z.object({ start: time, end: time }).nullable(),
  about: ids.transform((all) => all as readonly EntityId[]),
  evidence: ids.transform((all) => all as readonly EpisodeId[]),
});
export type FactAnchor = z.output<typeof factAnchor>;

/** Identifies an entity by its names and by turns that mention it (a sample). */
const entityAnchor = z.object({
  id: id.transform((each) => each as EntityId),
  names: z.array(z.string()).readonly(),
  episodes: ids.transform((all) => all as readonly EpisodeId[]),
});
export type EntityAnchor = z.output<typeof entityAnchor>;

const factPatch = z.object({
  statement: z.string().optional(),
  relation: z.string().optional(),
  validAt: time.optional(),
  invalidAt: time.nullable().optional(),
  confidence: z.number().optional(),
});
export type FactPatch = z.output<typeof factPatch>;

const profilePatch = z.object({
  name: z.string().optional(),
  aliases: z.array(z.string()).readonly().optional(),
  summary: z.string().optional(),
  tags: z.array(z.string()).readonly().optional(),
});
export type ProfilePatch = z.output<typeof profilePatch>;

const schemas = {
  'edit-fact': z.object({
    fact: factAnchor,
    patch: factPatch,
    made: id.transform((each) => each as FactId),
  }),
  'reject-fact': z.object({ fact: factAnchor }),
  'pin-fact': z.object({ fact: factAnchor }),
  'edit-profile': z.object({ entity: entityAnchor, patch: profilePatch }),
  'merge-entities': z.object({ keep: entityAnchor, merged: entityAnchor }),
  'split-entity': z.object({
    entity: entityAnchor,
    name: z.string(),
    made: id.transform((each) => each as EntityId),
    episodes: ids.transform((all) => all as readonly EpisodeId[]),
    facts: z.array(factAnchor).readonly(),
  }),
  'keep-apart': z.object({ entities: z.tuple([entityAnchor, entityAnchor]) }),
  undo: z.object({ correction: id.transform((each) => each as CorrectionId) }),
} as const;

/** Kinds of correction that this folder applies; forgetting and retention have details of their own. */
export type HandKind = keyof typeof schemas;
type DetailOf<K extends HandKind> = z.output<(typeof schemas)[K]>;
export type CorrectionDetail = {
  [K in HandKind]: { readonly kind: K; readonly journal: Journal } & DetailOf<K>;
}[HandKind];
export type DetailOfKind<K extends HandKind> = Extract<CorrectionDetail, { kind: K }>;
/** The detail of a correction before it is applied. */
export type NewDetail = { [K in HandKind]: { readonly kind: K } & DetailOf<K> }[HandKind];

export function isHandKind(kind: CorrectionKind): kind is HandKind {
  return kind in schemas;
}

/** Parses the detail of a correction; null for another kind of correction or an invalid detail. */
export function readDetail({
  kind,
  detail,
  targets,
}: Pick<Correction, 'kind' | 'detail' | 'targets'>): CorrectionDetail | null {
  if (!isHandKind(kind)) return null;
  const json = asJson.safeParse(detail);
  if (!json.success) return null;
  const [said, packed] = [schemas[kind].safeParse(json.data), journalSchema.safeParse(json.data.journal)];
  if (!said.success || !packed.success) return null;
  const journal = unpackJournal(packed.data, targets);
  return journal === null ? null : ({ kind, ...said.data, journal } as CorrectionDetail);
}

/**
 * A detail as its row stores it, with every id that it refers to among the targets. The journal stores ids as
 * positions in that list, because a merge moves thousands of edges.
 */
export function writeDetail(
  { kind: _, ...said }: NewDetail,
  journal: Journal,
): Pick<Correction, 'targets' | 'detail'> {
  const packed = packJournal(journal, idsIn(said));
  return { targets: packed.targets, detail: JSON.stringify({ ...said, journal: packed.journal }) };
}

const asJson = z.string().transform((text, context): { journal?: unknown } => {
  try {
    return z.looseObject({}).parse(JSON.parse(text));
  } catch {
    context.addIssue('is no JSON object');
    return z.NEVER;
  }
});

/** Whether these texts alone identify the target of a correction: the words of a fact, every name of an entity. */
export function isIdentifiedBy(correction: AnyCorrection, texts: ReadonlySet<string>): boolean {
  const detail = readDetail(correction);
  if (detail === null) return false;
  const isFact = (fact: FactAnchor) => texts.has(fact.statement);
  const isEntity = ({ names }: EntityAnchor) => names.length > 0 && names.every((name) => texts.has(name));
  switch (detail.kind) {
    case 'edit-fact':
    case 'reject-fact':
    case 'pin-fact':
      return isFact(detail.fact);
    case 'merge-entities':
      return isEntity(detail.keep) || isEntity(detail.merged);
    case 'keep-apart':
      return detail.entities.some(isEntity);
    case 'undo':
      return false;
    default:
      return isEntity(detail.entity);
  }
}

/** The detail without these names of its entities; null if it contains none of them. */
export function withoutNames(correction: AnyCorrection, lost: ReadonlySet<string>): string | null {
  const json = asJson.safeParse(correction.detail);
  if (!json.success) return null;
  let isChanged = false;
  const strip = (anchor: unknown): unknown => {
    const read = entityAnchor.safeParse(anchor);
    if (!read.success || !read.data.names.some((name) => lost.has(name))) return anchor;
    isChanged = true;
    return { ...read.data, names: read.data.names.filter((name) => !lost.has(name)) };
  };
  const stripped = Object.fromEntries(
    Object.entries(json.data).map(([key, value]) => {
      if (key === 'entities' && Array.isArray(value)) return [key, value.map(strip)];
      return [key, ['entity', 'keep', 'merged'].includes(key) ? strip(value) : value];
    }),
  );
  return isChanged ? JSON.stringify(stripped) : null;
}

/** The detail of an edited profile without the summary that the user set. */
export function withoutSummary({ detail }: Pick<Correction, 'detail'>): string {
  const { patch, ...rest } = z.looseObject({ patch: z.looseObject({}) }).parse(JSON.parse(detail));
  return JSON.stringify({ ...rest, patch: { ...patch, summary: undefined } });
}

type AnyCorrection = Pick<Correction, 'kind' | 'detail' | 'targets'>;

const ID_FIELDS: ReadonlySet<string> = new Set(['id', 'made', 'correction', 'about', 'evidence', 'episodes']);

function idsIn(value: unknown, field = ''): string[] {
  if (typeof value === 'string') return ID_FIELDS.has(field) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((each) => idsIn(each, field));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => idsIn(each, key));
}

/** Replaces the ids of a correction's targets in its detail. */
export function renameTargets({ targets, detail }: Correction, rename: (id: string) => string) {
  const ids = new Set(targets);
  const read = parseJson(detail);
  const renamed = renameStrings(read.ok ? read.value : {}, (each) => (ids.has(each) ? rename(each) : each));
  return { targets: targets.map(rename), detail: JSON.stringify(renamed) };
}

function renameStrings(value: unknown, rename: (text: string) => string): unknown {
  if (typeof value === 'string') return rename(value);
  if (Array.isArray(value)) return value.map((each) => renameStrings(each, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, renameStrings(each, rename)]));
}
