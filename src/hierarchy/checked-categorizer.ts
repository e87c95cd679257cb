import { z } from 'zod';
import { InvalidInputError } from '../errors/index.ts';
import { NO_MODEL_USAGE } from '../inference/language-model/tokens/usage-meter.ts';
import { describeIssues } from '../util/describe-issues.ts';
import type { Categorization, Categorizer } from './categorizer.ts';

const countSchema = z.number().nonnegative().default(0);
const categorizationSchema = z.object({
  categories: z.array(
    z.object({
      name: z.string(),
      tags: z.array(z.string()).default([]),
      aliases: z.array(z.string()).default([]),
      nodes: z.array(z.string()),
    }),
  ),
  notes: z.array(z.string()).default([]),
  usage: z
    .object({
      calls: countSchema,
      failedCalls: countSchema,
      promptTokens: countSchema,
      completionTokens: countSchema,
      cachedPromptTokens: countSchema,
      estimated: z.boolean().default(false),
    })
    .default(NO_MODEL_USAGE),
});

/** A categorizer from outside, whose answers are looked at before they are written. @throws InvalidInputError */
export function checkedCategorizer(categorizer: Categorizer): Categorizer {
  const { name, nodesAtOnce } = categorizer;
  return {
    name,
    nodesAtOnce,
    async categorize(request, calls): Promise<Categorization> {
      const given = await categorizer.categorize(request, calls);
      const read = categorizationSchema.safeParse(given);
      if (read.success) return read.data;
      throw new InvalidInputError(`The categorizer’s answer does not fit: ${describeIssues(read.error)}`);
    },
  };
}
