import { FileUnreadableError, MnemisError } from '../errors/index.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'its permissions forbid it',
  EPERM: 'its permissions forbid it',
  EISDIR: 'it is a directory',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links form a cycle',
  EMFILE: 'too many files are open',
  ERR_INVALID_ARG_VALUE: 'its name is not valid',
};

/** The operating system's error in words, from its code only, so that it cannot quote the file. */
export function systemReason(cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException | null)?.code ?? 'unknown error';
  return REASONS[code] ?? `the system reports ${code}`;
}

export function unreadable(path: string, cause: unknown): MnemisError {
  if (MnemisError.isInstance(cause)) return cause;
  return new FileUnreadableError(path, systemReason(cause), cause);
}

/** The reason why these first bytes do not start a UTF-8 text, for common mistakes; null if they may. */
export function foreignStart(bytes: Uint8Array): string | null {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return 'it is UTF-16 text; save it as UTF-8';
  if ((first === 0x1f && second === 0x8b) || (first === 0x50 && second === 0x4b))
    return 'it is compressed; unpack it first';
  return null;
}

/** Only the reason, for a report that names the place itself. */
export function reasonOf(path: string, error: FileUnreadableError): string {
  const [start, end] = [`${path} could not be read: `, '. Nothing of it was imported.'];
  const { message } = error;
  return message.startsWith(start) && message.endsWith(end)
    ? message.slice(start.length, -end.length)
    : 'could not be read';
}
