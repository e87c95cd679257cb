import { z } from 'zod';
import type { Attachment } from '../nodes.ts';

const LONGEST_DESCRIPTION = 500;
const LONGEST_URI = 2_000;
const MOST_ATTACHMENTS = 15;

const text = z.string().optional().catch(undefined);
const media = z
  .looseObject({ url: text, file_url: text, fileUri: text, media_type: text, mimeType: text, format: text })
  .extend({ filename: text, displayName: text, file_name: text })
  .optional()
  .catch(undefined);

/**
 * A block of a message's content, as LangChain, OpenAI (chat and responses), Anthropic, the AI SDK (`ModelMessage` and
 * the parts of a `UIMessage`) and Gemini write it.
 */
const blockSchema = z.looseObject({
  type: z.string().default(''),
  text,
  refusal: text,
  thought: z.boolean().optional().catch(undefined),
  ...{ title: text, name: text, filename: text, mediaType: text, mimeType: text, mime_type: text },
  ...{ url: text, file_url: text, image: text, data: text },
  image_url: z
    .union([z.string().transform((url) => ({ url })), z.looseObject({ url: text })])
    .optional()
    .catch(undefined),
  ...{ source: media, file: media, input_audio: media, inlineData: media, fileData: media, metadata: media },
  content: z.unknown().optional(),
  output: z.unknown().optional(),
});
type Block = z.output<typeof blockSchema>;

const TEXT: ReadonlySet<string> = new Set(['', 'text', 'input_text', 'output_text', 'refusal']);
const RESULT: ReadonlySet<string> = new Set(['tool_result', 'tool-result', 'function_call_output']);

/** What a message says: its text, or the texts among its blocks. */
export function textOfContent(content: unknown): string {
  return blocksOf(content).reduce(
    (said, { type, text, refusal, thought }) =>
      TEXT.has(type) && thought !== true ? joined(said, text ?? refusal ?? '') : said,
    '',
  );
}

/** The results of tools among the blocks of a message; of plain text, the text. */
export function resultsIn(content: unknown): string {
  if (typeof content === 'string') return content;
  return blocksOf(content)
    .filter(({ type }) => RESULT.has(type))
    .map(({ content: given, output }) => textOfResult(given ?? output))
    .join('\n');
}

function textOfResult(result: unknown): string {
  const { value } = z.looseObject({ value: z.unknown().optional() }).safeParse(result).data ?? {};
  const told = value ?? result;
  const words = textOfContent(told);
  return words === '' && typeof told === 'object' ? JSON.stringify(told) : words;
}

/** Pictures and files among the blocks of a message, by name, address or kind; never their bytes. */
export function attachmentsIn(content: unknown): Attachment[] {
  if (typeof content === 'string') return [];
  return blocksOf(content)
    .flatMap((block) => attachmentOf(block) ?? [])
    .slice(0, MOST_ATTACHMENTS);
}

const IS_MEDIA = /^(?:input_)?(?:image|audio|video|file|document)(?:_url)?$/;

function attachmentOf(block: Block): Attachment | null {
  const parts = [
    block.file,
    block.source,
    block.fileData,
    block.inlineData,
    block.input_audio,
    block.image_url,
  ];
  const part = parts.find((each) => each !== undefined);
  const isGemini = block.inlineData !== undefined || block.fileData !== undefined;
  if (!IS_MEDIA.test(block.type) && !isGemini) return null;
  const within = media.parse(part);
  const mediaType =
    block.mediaType ?? block.mimeType ?? block.mime_type ?? within?.media_type ?? within?.mimeType ?? '';
  const links = [block.url, block.file_url, block.image, block.data, within?.url, within?.fileUri];
  const uri = links.find((link) => link !== undefined && /^https?:/.test(link) && link.length <= LONGEST_URI);
  const names = [block.title, block.name, block.filename, block.metadata?.filename, within?.filename];
  const words = [...names, within?.displayName, uri, mediaType].find(
    (each) => each !== undefined && each.trim() !== '',
  );
  const [major] = mediaType.split('/');
  const kind = block.type.replace(/^input_|_url$/g, '');
  return {
    kind: kind === 'file' || kind === '' ? (/^(?:image|audio|video)$/.test(major!) ? major! : 'file') : kind,
    description: (words ?? kind).slice(0, LONGEST_DESCRIPTION),
    ...(uri === undefined ? {} : { uri }),
  };
}

function blocksOf(content: unknown): Block[] {
  if (typeof content === 'string') return [{ type: '', text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((each: unknown) => {
    if (typeof each === 'string') return blocksOf(each);
    return blockSchema.safeParse(each).data ?? [];
  });
}

/** Pieces of one sentence follow each other with their own blanks; other blocks stand in lines of their own. */
function joined(before: string, after: string): string {
  const isApart = /[\p{L}\p{N}.!?:”"’)\]]$/u.test(before) && /^[\p{L}\p{N}“"‘([#*-]/u.test(after);
  return isApart ? `${before}\n${after}` : before + after;
}
