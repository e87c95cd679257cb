import { DiskFullError, MnemisError, StoreReadError, StoreWriteError } from '../../../errors/index.ts';

/** How a connection ends, and states of a server that pass: shutdown, start, failover, a deadlock. */
const PASSING =
  /^(?:08...|57P0[123]|40001|40P01|25006|53300|ECONN(?:REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|EHOSTUNREACH|ENETUNREACH)$/;
const BROKEN = /connection (?:terminated|ended|error|timeout)|timeout (?:expired|exceeded)|not queryable/i;
const DISK_FULL = '53100';
/** Messages of these classes quote values: data exception, integrity constraint violation. */
const QUOTES_VALUES = /^2[23]/;

/** Whether the same transaction can succeed on a new connection. */
export function isPassing(error: unknown): boolean {
  const { code, message } = described(error);
  return PASSING.test(code) || (code === '' && BROKEN.test(message));
}

export function asPostgresError(location: string, error: unknown, doing: 'read' | 'write'): MnemisError {
  if (MnemisError.isInstance(error)) return error;
  const { code, message } = described(error);
  if (code === DISK_FULL) return new DiskFullError(location, error);
  const reason = `${location}: ${QUOTES_VALUES.test(code) ? `error ${code}` : message}`;
  return doing === 'write' ? new StoreWriteError(reason, error) : new StoreReadError(reason, error);
}

function described(error: unknown): { code: string; message: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return described(error.errors[0]); // all addresses of a name
  const { code, message } = error as { code?: unknown; message?: unknown };
  return { code: typeof code === 'string' ? code : '', message: String(message ?? error) };
}
