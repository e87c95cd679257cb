import { z } from 'zod';
import { parseJson } from '../../importers/json/parse-json.ts';
import type { Correction } from '../../model/nodes.ts';

/** What was asked to be forgotten; never in the words in which it was asked. */
export const FORGET_TARGETS = ['episode', 'session', 'time', 'entity', 'query', 'all', 'episodes'] as const;
export type ForgetTargetKind = (typeof FORGET_TARGETS)[number];

const former = z.object({
  at: z.number(),
  session: z.string(),
  expired: z.boolean(),
  episodes: z.array(z.string()),
});
const schema = z.object({
  target: z.enum(FORGET_TARGETS),
  /** Turns to go, in every version; of `all` none is listed. */
  turns: z.array(z.string()),
  entities: z.array(z.string()),
  /** When the first of the turns came; null where no turn goes. */
  since: z.number().nullable(),
  /** Segments that go: what re-derivation must know of them. */
  regroup: z.array(former),
  counts: z.record(z.string(), z.number()),
  /** Of `all`: when the youngest row was made that it is to remove. */
  until: z.number().nullable().optional(),
  /** Whether corrections by hand were there: one that goes takes along what memory was before it. */
  corrected: z.boolean().optional(),
  /** Whether everything derived goes, since what rests on the turns could not be told: see `coarseRemovalOf`. */
  coarse: z.boolean().optional(),
});

/** The detail of a 'forget' correction: while it is under way what is to go, afterwards how much went. */
export type ForgetDetail = Readonly<z.infer<typeof schema>>;

/** Null for what is no such detail. */
export function forgetDetail({ kind, detail }: Pick<Correction, 'kind' | 'detail'>): ForgetDetail | null {
  const json = kind === 'forget' ? parseJson(detail) : null;
  const parsed = schema.safeParse(json?.ok ? json.value : null);
  return parsed.success ? parsed.data : null;
}

/** Every id that the detail speaks of, as the targets of its correction. */
export function targetsOf({ turns, entities, regroup }: ForgetDetail): string[] {
  return [...new Set([...turns, ...entities, ...regroup.flatMap(({ episodes }) => episodes)])];
}
