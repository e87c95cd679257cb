import { FileUnreadableError, MnemisError } from '../errors/index.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'its permissions forbid it',
  EPERM: 'its permissions forbid it',
  EISDIR: 'it is a directory',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links run in a circle',
  EMFILE: 'too many files are open',
  ERR_INVALID_ARG_VALUE: 'its name is not valid',
};

/** What the operating system said, in words; codes alone, so no text of the file can slip in. */
export function systemReason(cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException | null)?.code ?? 'unknown error';
  return REASONS[code] ?? `the system reports ${code}`;
}

export function unreadable(path: string, cause: unknown): MnemisError {
  if (MnemisError.isInstance(cause)) return cause;
  return new FileUnreadableError(path, systemReason(cause), cause);
}

/** Why these first bytes cannot begin a UTF-8 text, for the mistakes that people make; null if they can. */
export function foreignStart(bytes: Uint8Array): string | null {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return 'it is UTF-16 text; save it as UTF-8';
  if ((first === 0x1f && second === 0x8b) || (first === 0x50 && second === 0x4b))
    return 'it is compressed; unpack it first';
  return null;
}

/** The reason alone, for a report that names the place itself. */
export function reasonOf(path: string, error: FileUnreadableError): string {
  const [start, end] = [`${path} could not be read: `, '. Nothing of it was imported.'];
  const { message } = error;
  return message.startsWith(start) && message.endsWith(end)
    ? message.slice(start.length, -end.length)
    : 'could not be read';
}
