import { z } from 'zod';

/**
 * A part of a reply that is parsed leniently: for a value of another type, `salvage` returns the best substitute (it
 * gets undefined if the value is missing). Unlike `default` and `preprocess`, this keeps the JSON Schema for the model
 * short and every property in it required.
 */
function salvaged<Output>(schema: z.ZodType<Output>, salvage: (raw: unknown) => Output) {
  // zod also calls it without a context, to write the default into the JSON Schema.
  return schema.catch((context: { readonly value?: unknown } | undefined) => salvage(context?.value));
}

/** Declares other names that models give a property of a reply. */
export function alsoCalled<Schema extends z.ZodType>(schema: Schema, ...aliases: string[]): Schema {
  return schema.meta({ aliases });
}

/** Declares, with its other names, the property that an entry is when it is only a text. */
export function mainProperty<Schema extends z.ZodType>(schema: Schema, ...aliases: string[]): Schema {
  return schema.meta({ aliases, isMain: true });
}

/** Empty if missing. */
export const replyText = salvaged(z.string(), (raw) =>
  typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : '',
);

/**
 * A sentence. Empty if missing, and if it is JSON that a model wrote into a text instead of around it; a sentence may
 * quote JSON.
 */
export const replySentence = salvaged(
  z.string().refine((text) => !isLeakedJson(text)),
  (raw) => (typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : ''),
);

/** A key of JSON with its value, or a list or object that begins. */
const JSON_PART = /["'][\w -]{1,40}["']\s*:\s*["'\d[{tfn-]|^[[{]\s*["'{[]/;
const MARKS = /^[\s`*_#>|-]+(?:json\b)?[\s`:]*/i;

/** Whether a text begins with JSON, or with a mark of code or emphasis and has JSON after it. */
function isLeakedJson(text: string): boolean {
  const bare = text.replace(MARKS, '');
  return JSON_PART.test(bare) && (bare !== text || /^[[{"']/.test(bare));
}

/** A list of texts, or one text with commas. */
export const replyTexts = salvaged(z.array(replyText), (raw) =>
  typeof raw === 'string' ? raw.split(/[,;\n]/).map((part) => part.trim()) : [],
);

/** The number of a turn or an entry as prompts show it, from 1; 0 if it is not a number. */
export const replyNumber = salvaged(z.number(), toNumber);

export const replyNumbers = salvaged(z.array(replyNumber), (raw) => {
  if (typeof raw === 'number') return [raw];
  return typeof raw === 'string' ? (raw.match(/\d{1,9}/g) ?? []).map(Number) : [];
});

/** From 0 to 1, with 0.5 if missing; callers clamp values out of bounds. */
export const replyConfidence = salvaged(z.number(), (raw) => {
  const number = typeof raw === 'string' ? Number.parseFloat(raw) : Number.NaN;
  if (Number.isNaN(number)) return 0.5;
  return String(raw).includes('%') ? number / 100 : number;
});

/** One of a few words, in any case; `otherwise` for any other. */
export function replyWord<const Word extends string>(words: readonly Word[], otherwise: Word) {
  return salvaged<Word>(z.enum(words), (raw) => {
    const said = String(raw).trim().toLowerCase();
    return words.find((word) => word === said) ?? otherwise;
  });
}

/**
 * A list of objects, with null for each entry that is not one. A list without any object fails, so that the model is
 * asked again instead of appearing to have found nothing.
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
