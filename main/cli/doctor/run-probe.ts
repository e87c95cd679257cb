import { execFile } from 'node:child_process';
import { z } from 'zod';
import { programOf } from '../../program-of.ts';
import type { Terminal } from '../console.ts';

/** Long enough to load and check a model of some gigabytes; ends a driver that hangs. */
const PATIENCE_MS = 180_000;

export type ProbeResult =
  | ProbeAnswer
  /** The process ended without an answer: a driver crashed or did not return. */
  | { readonly answer: 'none'; readonly how: string };

/** Runs a probe in a separate process, so that a crash there is only reported. */
export function runProbe(
  request: ProbeRequest,
  { terminal, patience = PATIENCE_MS }: { readonly terminal: Terminal; readonly patience?: number },
): Promise<ProbeResult> {
  const options = { timeout: patience, killSignal: 'SIGKILL', env: { ...terminal.env } } as const;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...programOf('main/cli/doctor/probe'), JSON.stringify(request)],
      options,
      (error, output) => {
        const answer = parse(output);
        if (answer !== null) return resolve(answer);
        const signal = error?.signal ?? null;
        if (error?.killed) return resolve({ answer: 'none', how: `no answer in ${patience / 1000} seconds` });
        return resolve({
          answer: 'none',
          how: signal === null ? 'it ended early' : `it was ended by ${signal}`,
        });
      },
    );
  });
}

function parse(output: string): ProbeAnswer | null {
  try {
    return probeAnswer.safeParse(JSON.parse(output)).data ?? null;
  } catch {
    return null;
  }
}

/** The request to a probe, a process that a broken driver may crash without harm. */
export const probeRequest = z.discriminatedUnion('ask', [
  z.object({ ask: z.literal('devices'), modelsFolder: z.string() }),
  z.object({
    ask: z.literal('embedder'),
    modelsFolder: z.string(),
    name: z.string(),
    dimension: z.number().optional(),
    device: z.string(),
  }),
  z.object({ ask: z.literal('memory'), path: z.string() }),
]);

const measurement = z.discriminatedUnion('state', [
  z.object({ device: z.string(), state: z.literal('works'), startMs: z.number(), gigaflops: z.number() }),
  z.object({ device: z.string(), state: z.literal('failed'), reason: z.string() }),
  z.object({ device: z.string(), state: z.literal('not-installed') }),
  z.object({ device: z.string(), state: z.literal('crashed-before') }),
]);

const probeAnswer = z.discriminatedUnion('answer', [
  z.object({ answer: z.literal('devices'), measurements: z.array(measurement) }),
  z.object({
    answer: z.literal('embedder'),
    device: z.string(),
    model: z.string(),
    dimension: z.number(),
    textsPerSecond: z.number(),
    warnings: z.array(z.string()),
  }),
  z.object({ answer: z.literal('memory') }),
  z.object({ answer: z.literal('error'), code: z.string(), message: z.string() }),
]);

export type ProbeRequest = z.infer<typeof probeRequest>;
export type ProbeAnswer = z.infer<typeof probeAnswer>;
export type Measurement = z.infer<typeof measurement>;
