/** Represents "no time" where a database column must hold a number; no real time equals it. */
export const NO_TIME = Number.MAX_SAFE_INTEGER;

/**
 * The newest schema that this version of Mnemis writes; each number has a migration in `kuzu/migrations`. Since version
 * 6 vectors may be rounded (`encodeVector`), which older versions cannot read.
 */
export const SCHEMA_VERSION = 6;
