import { z } from 'zod';

/** What is asked of a probe: a process that may be ended by a broken driver without harm. */
export const probeRequest = z.discriminatedUnion('ask', [
  z.object({ ask: z.literal('devices'), modelsFolder: z.string() }),
  z.object({
    ask: z.literal('embedder'),
    modelsFolder: z.string(),
    name: z.string(),
    dimension: z.number().optional(),
    device: z.string(),
  }),
]);

const measurement = z.discriminatedUnion('state', [
  z.object({ device: z.string(), state: z.literal('works'), startMs: z.number(), gigaflops: z.number() }),
  z.object({ device: z.string(), state: z.literal('failed'), reason: z.string() }),
  z.object({ device: z.string(), state: z.literal('not-installed') }),
  z.object({ device: z.string(), state: z.literal('crashed-before') }),
]);

export const probeAnswer = z.discriminatedUnion('answer', [
  z.object({ answer: z.literal('devices'), measurements: z.array(measurement) }),
  z.object({
    answer: z.literal('embedder'),
    device: z.string(),
    model: z.string(),
    dimension: z.number(),
    textsPerSecond: z.number(),
    warnings: z.array(z.string()),
  }),
  z.object({ answer: z.literal('error'), code: z.string(), message: z.string() }),
]);

export type ProbeRequest = z.infer<typeof probeRequest>;
export type ProbeAnswer = z.infer<typeof probeAnswer>;
export type Measurement = z.infer<typeof measurement>;
