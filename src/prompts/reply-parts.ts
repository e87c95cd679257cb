import { z } from 'zod';

/**
 * A part of a reply that is read leniently: where the value is of another type, `salvage` makes the best of it
 * (undefined where it is missing). Unlike `default` and `preprocess`, this leaves the JSON Schema that the model sees
 * short, and every property in it required.
 */
function salvaged<Output>(schema: z.ZodType<Output>, salvage: (raw: unknown) => Output) {
  // zod calls it without a context too, to write the default into the JSON Schema.
  return schema.catch((context: { readonly value?: unknown } | undefined) => salvage(context?.value));
}

/** Empty where nothing was said. */
export const replyText = salvaged(z.string(), (raw) =>
  typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : '',
);

/** A list of texts, also when written as one text with commas. */
export const replyTexts = salvaged(z.array(replyText), (raw) =>
  typeof raw === 'string' ? raw.split(/[,;\n]/).map((part) => part.trim()) : [],
);

/** The number of a turn or an entry as prompts show it, from 1; 0 for what is none. */
export const replyNumber = salvaged(z.number(), toNumber);

export const replyNumbers = salvaged(z.array(replyNumber), (raw) => {
  if (typeof raw === 'number') return [raw];
  return typeof raw === 'string' ? (raw.match(/\d{1,9}/g) ?? []).map(Number) : [];
});

/** From 0 to 1; what is out of bounds is clamped by whoever reads it. 0.5 where the model did not say. */
export const replyConfidence = salvaged(z.number(), (raw) => {
  const number = typeof raw === 'string' ? Number.parseFloat(raw) : Number.NaN;
  if (Number.isNaN(number)) return 0.5;
  return String(raw).includes('%') ? number / 100 : number;
});

/** One of a few words, any capitals; `otherwise` for any other. */
export function replyWord<const Word extends string>(words: readonly Word[], otherwise: Word) {
  return salvaged<Word>(z.enum(words), (raw) => {
    const said = String(raw).trim().toLowerCase();
    return words.find((word) => word === said) ?? otherwise;
  });
}

/**
 * A list of objects, null for each that is none. A list of nothing but such does not fit: the model is then asked
 * again rather than taken to have found nothing.
 */
export function replyList<Item>(item: z.ZodType<Item>) {
  const nullable = salvaged(item as z.ZodType<Item | null>, () => null);
  return salvaged(z.array(nullable), () => []).refine(
    (items) => items.length === 0 || items.some((each) => each !== null),
    'no entry of the list is an object of the asked shape',
  );
}

function toNumber(raw: unknown): number {
  return typeof raw === 'string' ? Number(/\d{1,9}/.exec(raw)?.[0] ?? 0) : 0;
}
