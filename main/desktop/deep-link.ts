import { z } from 'zod';
import { appId, scope } from '../contract/common.ts';

/** The scheme of links into the app, which any page or program can open. */
export const LINK_SCHEME = 'mnemis';
const LONGEST_LINK = 8_000;
const DEFAULT_SCOPE = 'default';

/** Text for the field of a new chat. Control characters other than line ends have no use there. */
const question = z
  .string()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  .transform((text) => text.replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, ' ').trim())
  .pipe(z.string().min(1).max(2_000));

/** What a link may ask for. No link changes anything: none sends, forgets or imports. */
const linkSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('chat'), id: appId }),
  z.strictObject({ kind: z.literal('ask'), q: question }),
  z.strictObject({
    kind: z.literal('entity'),
    id: z.string().regex(/^[\w-]{1,100}$/),
    scope: scope.default(DEFAULT_SCOPE),
  }),
  z.strictObject({ kind: z.literal('browse') }),
  z.strictObject({ kind: z.literal('timeline') }),
  z.strictObject({ kind: z.literal('review') }),
]);
type Link = z.output<typeof linkSchema>;

/**
 * The place of the app that a link names, such as `/c/ID`; null for a text that is no link of ours, or none of these:
 * `mnemis://chat/ID`, `mnemis://ask?q=TEXT`, `mnemis://entity/ID?scope=SCOPE`, `mnemis://browse`, `mnemis://timeline`,
 * `mnemis://review`.
 */
export function placeOfLink(address: string): string | null {
  if (address.length > LONGEST_LINK || !URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.protocol !== `${LINK_SCHEME}:` || url.username + url.password + url.port + url.hash !== '')
    return null;
  const names = Array.from(url.searchParams.keys());
  const isAmbiguous = new Set(names).size !== names.length || names.includes('kind') || names.includes('id');
  if (isAmbiguous) return null;
  const [id, ...more] = url.pathname.split('/').filter((part) => part !== '');
  if (more.length > 0) return null;
  const { data } = linkSchema.safeParse({
    ...Object.fromEntries(url.searchParams),
    kind: url.host,
    ...(id !== undefined && { id }),
  });
  return data === undefined ? null : placeOf(data);
}

/** The place of the first link among a program's arguments: Windows and Linux pass a link that way. */
export function placeInArguments(words: readonly string[]): string | null {
  const link = words.find((word) => word.startsWith(`${LINK_SCHEME}:`));
  return link === undefined ? null : placeOfLink(link);
}

function placeOf(link: Link): string {
  switch (link.kind) {
    case 'chat':
      return `/c/${link.id}`;
    case 'ask':
      return `/?ask=${encodeURIComponent(link.q)}`;
    case 'entity':
      return `/entity/${encodeURIComponent(link.scope)}/${link.id}`;
    default:
      return `/${link.kind}`;
  }
}
