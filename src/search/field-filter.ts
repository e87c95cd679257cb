import { isDeepStrictEqual } from 'node:util';
import { InvalidInputError } from '../errors/index.ts';

/** Conditions on a value's fields: a value, or operators such as `{ $gte: 3, $lt: 5 }`, all of which must hold. */
export type FieldFilter = Readonly<Record<string, unknown>>;
type Test = (found: unknown) => boolean;

/**
 * `$gt`, `$gte`, `$lt` and `$lte` compare numbers and numeric texts as numbers, and other texts, such as ISO times,
 * character by character. Other values are neither greater nor less than anything.
 */
const OPERATORS: Readonly<Record<string, (operand: unknown) => Test>> = {
  $eq: (operand) => (found) => isDeepStrictEqual(found, operand),
  $ne: (operand) => (found) => !isDeepStrictEqual(found, operand),
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

/** @throws InvalidInputError for an unknown operator, which would otherwise match nothing. */
export function readFilter(filter: FieldFilter): (value: Readonly<Record<string, unknown>>) => boolean {
  const tests = Object.entries(filter).map(([field, wanted]) => ({ field, test: testFor(wanted) }));
  return (value) =>
    tests.every(({ field, test }) => test(Object.hasOwn(value, field) ? value[field] : undefined));
}

function testFor(wanted: unknown): Test {
  if (!isOperators(wanted)) return (found) => isDeepStrictEqual(found, wanted);
  const tests = Object.entries(wanted).map(([name, operand]) => {
    const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
    if (operator === undefined)
      throw new InvalidInputError(
        `A filter has an unknown operator; known: ${Object.keys(OPERATORS).join(', ')}`,
      );
    return operator(operand);
  });
  return (found) => tests.every((test) => test(found));
}

function isOperators(wanted: unknown): wanted is Readonly<Record<string, unknown>> {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return false;
  return Object.keys(wanted).some((key) => key.startsWith('$'));
}

function isOneOf(name: string, operand: unknown): Test {
  if (!Array.isArray(operand)) throw new InvalidInputError(`The operator ${name} of a filter takes a list`);
  return (found) => operand.some((each) => isDeepStrictEqual(found, each));
}

/** Negative, 0 or positive; NaN, which fails every comparison, for values without an order. */
function order(found: unknown, operand: unknown): number {
  const [a, b] = [numberOf(found), numberOf(operand)];
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  if (typeof found !== 'string' || typeof operand !== 'string') return Number.NaN;
  return found < operand ? -1 : found > operand ? 1 : 0;
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}
