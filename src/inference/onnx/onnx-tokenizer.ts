import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { z } from 'zod';
import { ModelFaultError } from '../../errors/index.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import type { Encoding } from './batches.ts';
import type { PairTemplate } from './profile.ts';

/** No text needs more characters per token; longer texts are cut before they are tokenized. */
const CHARACTERS_PER_TOKEN = 32;
const PROBE = 'a';

const tokenSchema = z.union([z.string(), z.looseObject({ content: z.string() })]).nullish();
const tokenizerSchema = z.looseObject({
  model: z.looseObject({ unk_token: z.string().nullish() }),
  added_tokens: z
    .array(z.looseObject({ id: z.number(), content: z.string(), special: z.boolean().optional() }))
    .default([]),
  padding: z.looseObject({ pad_id: z.number().optional() }).nullish(),
});
const configSchema = z.looseObject({ pad_token: tokenSchema, unk_token: tokenSchema });

interface TokenizerFiles {
  readonly model: string;
  readonly tokenizer: string;
  readonly config: string;
  /** Special tokens counted. */
  readonly maxTokens: number;
  /** A token that a text must end with, if the tokenizer does not add it. */
  readonly endToken?: string | undefined;
}

/** The special tokens around one text or two, and the type of each text. */
interface Frame {
  readonly parts: readonly (readonly number[])[];
  readonly partTypes: readonly (readonly number[])[];
  readonly textTypes: readonly number[];
}

/**
 * Converts texts to token ids. Texts are cut, special tokens never are. A special token written in a text is
 * ignored, so that a text cannot end its own turn or pair.
 */
export class OnnxTokenizer {
  readonly padId: number;
  readonly #tokenizer: Tokenizer;
  readonly #maxTokens: number;
  readonly #special: ReadonlySet<number>;
  readonly #single: Frame;
  readonly #pair: Frame | null;
  readonly #model: string;

  private constructor(tokenizer: Tokenizer, settings: TokenizerSettings) {
    this.#tokenizer = tokenizer;
    this.#maxTokens = settings.maxTokens;
    this.#special = settings.special;
    this.padId = settings.padId;
    this.#model = settings.model;
    this.#single = withEnd(this.#known(frameOf(tokenizer, 1)), settings.endId);
    // Tokenizers of language models support no pairs.
    this.#pair = frameOf(tokenizer, 2);
  }

  /** @throws ModelFaultError when the files are no tokenizer. */
  static async read(files: TokenizerFiles): Promise<OnnxTokenizer> {
    const json = await readJson(files.model, files.tokenizer, tokenizerSchema);
    const config = await readJson(files.model, files.config, configSchema);
    try {
      const tokenizer = new Tokenizer(json, config);
      const idOf = (token: string): number | undefined => soleId(tokenizer, token);
      const padToken = textOf(config.pad_token);
      const unknown = json.model.unk_token ?? textOf(config.unk_token);
      const special = json.added_tokens.filter(
        (token) => token.special === true && token.content !== unknown,
      );
      return new OnnxTokenizer(tokenizer, {
        model: files.model,
        maxTokens: files.maxTokens,
        special: new Set(special.map(({ id }) => id)),
        padId: (padToken === undefined ? undefined : idOf(padToken)) ?? json.padding?.pad_id ?? 0,
        endId: files.endToken === undefined ? undefined : idOf(files.endToken),
      });
    } catch (cause) {
      if (ModelFaultError.isInstance(cause)) throw cause;
      throw new ModelFaultError(files.model, 'its tokenizer.json cannot be used', cause);
    }
  }

  encode(text: string): Encoding {
    return this.#assemble(this.#single, [this.#cut(this.#idsOf(text), this.#roomIn(this.#single))]);
  }

  /** For cross-encoders. A query keeps up to half the room, its document gets the rest. */
  encodePairs(query: string, documents: readonly string[]): Encoding[] {
    return this.#encodeBeside(this.#known(this.#pair), query, documents);
  }

  /**
   * For language models. Cuts the end of the document, and the query if it alone would take more than half
   * the room.
   */
  encodeTemplate(template: PairTemplate, query: string, documents: readonly string[]): Encoding[] {
    const parts = [idsIn(this.#tokenizer, template.before), idsIn(this.#tokenizer, template.after)];
    const frame = { parts, partTypes: parts.map((part) => part.map(() => 0)), textTypes: [0] };
    const room = this.#roomIn(frame);
    const asked = this.#shorten(query, Math.floor(room / 2));
    return documents.map((document) => {
      const ids = this.#idsOf(template.query + asked + template.document + document);
      return this.#assemble(frame, [this.#cut(ids, room)]);
    });
  }

  /** The id of a token by its text, if the text is one token. */
  idOf(token: string): number | undefined {
    return soleId(this.#tokenizer, token);
  }

  #encodeBeside(frame: Frame, query: string, documents: readonly string[]): Encoding[] {
    const room = this.#roomIn(frame);
    const asked = this.#idsOf(query);
    return documents.map((document) => {
      const ids = this.#idsOf(document);
      const first = this.#cut(asked, Math.max(room - ids.length, Math.floor(room / 2)));
      return this.#assemble(frame, [first, this.#cut(ids, room - first.length)]);
    });
  }

  #known(frame: Frame | null): Frame {
    if (frame !== null) return frame;
    throw new ModelFaultError(this.#model, 'its tokenizer does not leave its own tokens as they are');
  }

  #shorten(text: string, tokens: number): string {
    const { length } = this.#idsOf(text);
    return length <= tokens ? text : text.slice(0, Math.floor((text.length * tokens) / length));
  }

  #idsOf(text: string): number[] {
    const start = text.slice(0, this.#maxTokens * CHARACTERS_PER_TOKEN).toWellFormed();
    return idsIn(this.#tokenizer, start).filter((id) => !this.#special.has(id));
  }

  #roomIn({ parts }: Frame): number {
    return Math.max(0, this.#maxTokens - parts.flat().length);
  }

  #cut(ids: readonly number[], room: number): readonly number[] {
    return ids.length > room ? ids.slice(0, room) : ids;
  }

  #assemble({ parts, partTypes, textTypes }: Frame, texts: readonly (readonly number[])[]): Encoding {
    const ids: number[] = [];
    const types: number[] = [];
    for (const [at, part] of parts.entries()) {
      ids.push(...part);
      types.push(...partTypes[at]!);
      for (const id of texts[at] ?? []) {
        ids.push(id);
        types.push(textTypes[at]!);
      }
    }
    return { ids, types };
  }
}

interface TokenizerSettings {
  readonly model: string;
  readonly maxTokens: number;
  readonly special: ReadonlySet<number>;
  readonly padId: number;
  readonly endId: number | undefined;
}

/** The package's types do not resolve under NodeNext, so its result is typed here. */
function encode(tokenizer: Tokenizer, text: string, options: object): RawEncoding {
  return tokenizer.encode(text, options);
}

interface RawEncoding {
  readonly ids: readonly number[];
  readonly token_type_ids?: readonly number[];
}

function idsIn(tokenizer: Tokenizer, text: string): number[] {
  const { ids } = encode(tokenizer, text, { add_special_tokens: false });
  // A byte that the vocabulary lacks has no id, whatever the declared type says.
  return ids.filter((id) => Number.isInteger(id));
}

function soleId(tokenizer: Tokenizer, token: string): number | undefined {
  const ids = idsIn(tokenizer, token);
  return ids.length === 1 ? ids[0] : undefined;
}

/** Finds the tokens that a tokenizer adds around its texts, by encoding a text with known tokens; null if it fails. */
function frameOf(tokenizer: Tokenizer, texts: 1 | 2): Frame | null {
  const probe = idsIn(tokenizer, PROBE);
  const { ids, token_type_ids: types = [] } = encode(tokenizer, PROBE, {
    text_pair: texts === 2 ? PROBE : null,
    return_token_type_ids: true,
  });
  const starts: number[] = [];
  for (let from = 0; starts.length < texts; from = starts.at(-1)! + probe.length) {
    const start = ids.findIndex((_, at) => at >= from && probe.every((id, place) => ids[at + place] === id));
    if (start === -1 || probe.length === 0) return null;
    starts.push(start);
  }
  const edges = [0, ...starts.map((start) => start + probe.length)];
  const between = (values: readonly number[]) =>
    edges.map((edge, at) => values.slice(edge, starts[at] ?? values.length));
  const filled = ids.map((_, at) => types[at] ?? 0);
  return {
    parts: between(ids),
    partTypes: between(filled),
    textTypes: starts.map((start) => filled[start]!),
  };
}

function withEnd(frame: Frame, endId: number | undefined): Frame {
  const [before = [], after = []] = frame.parts;
  if (endId === undefined || after.at(-1) === endId) return frame;
  const [beforeTypes = [], afterTypes = []] = frame.partTypes;
  return { ...frame, parts: [before, [...after, endId]], partTypes: [beforeTypes, [...afterTypes, 0]] };
}

function textOf(token: z.infer<typeof tokenSchema>): string | undefined {
  return typeof token === 'string' ? token : token?.content;
}

async function readJson<Schema extends z.ZodType>(
  model: string,
  path: string,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const text = await readFile(path, 'utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ModelFaultError(model, `${path} is not JSON`, cause);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ModelFaultError(model, `${path}: ${describeIssues(parsed.error)}`);
}
