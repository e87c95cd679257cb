import { InvalidInputError } from '../../errors/invalid-input-error.ts';

/** Kùzu is given whole numbers and texts only; fractions travel as text and are CAST (docs/kuzu-defects.md, defects 1 and 2). */
export type KuzuValue = string | number;
export type KuzuRecord = Readonly<Record<string, KuzuValue>>;
export type KuzuParameter = KuzuValue | readonly KuzuValue[] | readonly KuzuRecord[];
export type KuzuParameters = Readonly<Record<string, KuzuParameter>>;

/** Names that a statement asks for. Statements never hold data, so a `$` is always a parameter. */
export function parameterNames(statement: string): ReadonlySet<string> {
  return new Set([...statement.matchAll(/\$([A-Za-z_]\w*)/g)].map((match) => match[1]!));
}

/**
 * Refuses what Kùzu would misread or crash on, and gives it the rest in one fixed form.
 *
 * @throws InvalidInputError naming the parameter, never its value.
 */
export function checkParameters(
  names: ReadonlySet<string>,
  parameters: KuzuParameters,
): Record<string, KuzuParameter> {
  for (const name of names) if (parameters[name] === undefined) refuse(name, 'is missing'); // defect 4
  for (const name of Object.keys(parameters)) if (!names.has(name)) refuse(name, 'is not in the statement');
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, check(name, value)]));
}

function check(name: string, value: unknown): KuzuParameter {
  if (!Array.isArray(value)) return checkValue(name, value);
  if (value.length === 0) return refuse(name, 'is an empty list'); // defect 3
  const first: unknown = value[0];
  return isRecord(first) ? checkRecords(name, first, value) : checkList(name, value);
}

function checkList(name: string, list: readonly unknown[]): KuzuValue[] {
  const type = typeof list[0];
  return list.map((value) => {
    if (typeof value !== type) refuse(name, 'mixes types'); // defects 1 and 2
    return checkValue(name, value);
  });
}

function checkRecords(name: string, first: KuzuRecord, list: readonly unknown[]): KuzuRecord[] {
  const keys = Object.keys(first);
  return list.map((record) => {
    if (!isRecord(record) || Object.keys(record).length !== keys.length) return refuse(name, 'mixes shapes');
    const ordered: Record<string, KuzuValue> = {};
    for (const key of keys) {
      const value = checkValue(`${name}.${key}`, record[key]);
      if (typeof value !== typeof first[key]) refuse(`${name}.${key}`, 'mixes types');
      ordered[key] = value; // the first record's key order: defect 2
    }
    return ordered;
  });
}

function checkValue(name: string, value: unknown): KuzuValue {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  return refuse(name, 'is neither a text nor a whole number'); // Date (defect 5), NaN, null, nested lists, …
}

function isRecord(value: unknown): value is KuzuRecord {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function refuse(name: string, reason: string): never {
  throw new InvalidInputError(`The statement's parameter ${name} ${reason}`);
}
