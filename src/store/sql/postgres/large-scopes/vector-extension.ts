import { quoted, type SqlDatabase, type SqlSession } from '../../sql-database.ts';

/** The extension `vector` of a database. */
export interface VectorExtension {
  /** Quoted name of the SQL schema that holds its types and operators. */
  readonly schema: string;
  /** Whether an index goes on searching where it found too few rows (0.8.0 and newer). */
  readonly scansOn: boolean;
}

/** `halfvec` came with it. */
const OLDEST = [0, 7] as const;
const FIRST_THAT_SCANS_ON = [0, 8] as const;

/** Finds the extension, or installs it where the server has it and the role may; otherwise the reason. */
export async function findVectorExtension(database: SqlDatabase): Promise<VectorExtension | string> {
  const found = (await database.read(null, installed)) ?? (await install(database));
  if (typeof found === 'string') return found;
  const { version, schema } = found;
  if (isOlder(version, OLDEST))
    return `its extension vector is of version ${version}, and 0.7.0 or newer is needed (ALTER EXTENSION vector UPDATE).`;
  return { schema, scansOn: !isOlder(version, FIRST_THAT_SCANS_ON) };
}

interface Installed {
  readonly version: string;
  readonly schema: string;
}

async function installed(session: SqlSession): Promise<Installed | null> {
  const [row] = await session.all(
    "SELECT extversion, nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'vector'",
  );
  return row === undefined ? null : { version: String(row.extversion), schema: quoted(String(row.nspname)) };
}

async function install(database: SqlDatabase): Promise<Installed | string> {
  const [row] = await database.read(null, (session) =>
    session.all("SELECT 1 AS found FROM pg_available_extensions WHERE name = 'vector'"),
  );
  if (row === undefined) return 'the server lacks the extension vector (pgvector).';
  try {
    return await database.write(null, async (session) => {
      await session.run('CREATE EXTENSION IF NOT EXISTS vector');
      return (await installed(session))!;
    });
  } catch {
    return 'the extension vector is not installed, and this role may not do it (CREATE EXTENSION vector).';
  }
}

function isOlder(version: string, [major, minor]: readonly [number, number]): boolean {
  const [first = 0, second = 0] = version.split('.').map(Number);
  return first < major || (first === major && second < minor);
}

/** The greatest number of half precision. */
const GREATEST = 65_504;
/** Half precision has between three and four digits. */
const DIGITS = 5;

/** The longest vector that the index of pgvector takes in half precision. */
export const LONGEST_INDEXED = 4_000;

/** The text of a `halfvec`; null for a vector that half precision cannot hold. */
export function halfVector(vector: Float32Array): string | null {
  const numbers: string[] = [];
  for (const value of vector) {
    if (!(Math.abs(value) <= GREATEST)) return null;
    numbers.push(value === 0 ? '0' : value.toPrecision(DIGITS));
  }
  return `[${numbers.join(',')}]`;
}
