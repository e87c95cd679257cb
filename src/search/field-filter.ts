import { isDeepStrictEqual } from 'node:util';
import { InvalidInputError } from '../errors/index.ts';
import { parseTimestamp } from '../util/parse-timestamp.ts';

/**
 * Conditions on a value's fields, all of which must hold: a value, or operators such as `{ $gte: 3, $lt: 5 }`. Filters
 * are combined by `$and` and `$or`, which take a list of filters, and `$not`, which takes one.
 */
export type FieldFilter = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, unknown>>;
type Test = (found: unknown) => boolean;

/**
 * `$gt`, `$gte`, `$lt` and `$lte` compare times as times, numbers and numeric texts as numbers, and other texts, such as
 * ISO times, character by character. Other values are neither greater nor less than anything.
 */
const OPERATORS: Readonly<Record<string, (operand: unknown) => Test>> = {
  $eq: (operand) => (found) => equals(found, operand),
  $ne: (operand) => (found) => !equals(found, operand),
  $gt: (operand) => (found) => order(found, operand) > 0,
  $gte: (operand) => (found) => order(found, operand) >= 0,
  $lt: (operand) => (found) => order(found, operand) < 0,
  $lte: (operand) => (found) => order(found, operand) <= 0,
  $in: (operand) => isOneOf('$in', operand),
  $nin: (operand) => {
    const isOne = isOneOf('$nin', operand);
    return (found) => !isOne(found);
  },
};

const COMBINED: Readonly<Record<string, (operand: unknown, depth: number) => (value: Fields) => boolean>> = {
  $and: (operand, depth) => {
    const filters = filtersOf('$and', operand, depth);
    return (value) => filters.every((passes) => passes(value));
  },
  $or: (operand, depth) => {
    const filters = filtersOf('$or', operand, depth);
    return (value) => filters.some((passes) => passes(value));
  },
  $not: (operand, depth) => {
    const passes = nestedFilter('$not', operand, depth);
    return (value) => !passes(value);
  },
};

/** Filters in filters: more than any caller writes. */
const DEEPEST = 20;

/** A filter that was read, with the fields that it names. */
export interface ReadFilter {
  (value: Fields): boolean;
  readonly fields: ReadonlySet<string>;
}

/** @throws InvalidInputError for an unknown operator, which would otherwise match nothing. */
export function readFilter(filter: FieldFilter): ReadFilter {
  const fields = new Set<string>();
  return Object.assign(passing(filter, 0), { fields: namedIn(filter, fields) });
}

/** Collects the names of fields; a filter that was read is nested only a few times. */
function namedIn(filter: FieldFilter, names: Set<string>): ReadonlySet<string> {
  for (const [field, wanted] of Object.entries(filter))
    if (!field.startsWith('$')) names.add(field);
    else for (const each of [wanted].flat()) namedIn(each as FieldFilter, names);
  return names;
}

function passing(filter: FieldFilter, depth: number): (value: Fields) => boolean {
  if (depth > DEEPEST) throw new InvalidInputError(`A filter is nested more than ${DEEPEST} times`);
  const tests = Object.entries(filter).map(([field, wanted]) => {
    if (field.startsWith('$')) return known(COMBINED, field)(wanted, depth + 1);
    const test = testFor(wanted);
    return (value: Fields) => test(Object.hasOwn(value, field) ? value[field] : undefined);
  });
  return (value) => tests.every((passes) => passes(value));
}

function testFor(wanted: unknown): Test {
  if (!isOperators(wanted)) return (found) => equals(found, wanted);
  const tests = Object.entries(wanted).map(([name, operand]) => known(OPERATORS, name)(operand));
  return (found) => tests.every((test) => test(found));
}

function known<T>(operators: Readonly<Record<string, T>>, name: string): T {
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (operator !== undefined) return operator;
  throw new InvalidInputError(
    `A filter has an unknown operator; known: ${Object.keys({ ...OPERATORS, ...COMBINED }).join(', ')}`,
  );
}

function isOperators(wanted: unknown): wanted is Readonly<Record<string, unknown>> {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return false;
  return Object.keys(wanted).some((key) => key.startsWith('$'));
}

function isOneOf(name: string, operand: unknown): Test {
  if (!Array.isArray(operand)) throw new InvalidInputError(`The operator ${name} of a filter takes a list`);
  return (found) => operand.some((each) => equals(found, each));
}

function filtersOf(name: string, operand: unknown, depth: number) {
  if (!Array.isArray(operand)) throw new InvalidInputError(`${name} of a filter takes a list of filters`);
  return operand.map((each) => nestedFilter(name, each, depth));
}

function nestedFilter(name: string, operand: unknown, depth: number) {
  const isFilter = typeof operand === 'object' && operand !== null && !Array.isArray(operand);
  if (!isFilter) throw new InvalidInputError(`${name} of a filter takes filters such as { place: 'Ghent' }`);
  return passing(operand as FieldFilter, depth);
}

/** Negative, 0 or positive; NaN, which fails every comparison, for values without an order. */
function order(found: unknown, operand: unknown): number {
  if (found instanceof Date) return found.getTime() - timeOf(operand);
  const [a, b] = [numberOf(found), numberOf(operand)];
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  if (typeof found !== 'string' || typeof operand !== 'string') return Number.NaN;
  return found < operand ? -1 : found > operand ? 1 : 0;
}

function equals(found: unknown, wanted: unknown): boolean {
  return found instanceof Date ? order(found, wanted) === 0 : isDeepStrictEqual(found, wanted);
}

/** @throws InvalidInputError: a time that cannot be read would match nothing. */
function timeOf(operand: unknown): number {
  const isTime = typeof operand === 'string' || typeof operand === 'number' || operand instanceof Date;
  const time = isTime ? parseTimestamp(operand) : null;
  if (time === null)
    throw new InvalidInputError('A filter compares a time with what is not one; write such as "2024-03-05"');
  return time;
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}
