import { TIME_PRECISIONS } from '../model/time-interval.ts';
import type { ColumnType } from './schema.ts';
import { NO_TIME } from './schema.ts';

/** Why a value does not fit its column, or null. The reason never holds the value: it may be the user's text. */
export function misfit(column: ColumnType, value: unknown): string | null {
  switch (column.type) {
    case 'name':
    case 'text':
      return typeof value === 'string' ? null : 'is not a text';
    case 'optionalName':
      return value === null || typeof value === 'string' ? null : 'is neither a text nor null';
    case 'integer':
      return Number.isSafeInteger(value) ? null : 'is not a whole number';
    case 'time':
      return isTime(value) ? null : 'is not a time in whole milliseconds';
    case 'optionalTime':
      return value === null || isTime(value) ? null : 'is neither a time in whole milliseconds nor null';
    case 'boolean':
      return typeof value === 'boolean' ? null : 'is not a boolean';
    case 'number':
      return Number.isFinite(value) ? null : 'is not a finite number';
    case 'code':
      return column.values.includes(String(value)) ? null : `is none of ${column.values.join(', ')}`;
    case 'json':
      return column.schema.safeParse(value).success ? null : 'does not fit its schema';
    case 'interval':
      return value === null || isInterval(value) ? null : 'is neither a time interval nor null';
    case 'vector':
      return value instanceof Float32Array ? null : 'is not a Float32Array';
  }
}

function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && value !== NO_TIME;
}

function isInterval(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const interval = value as { start?: unknown; end?: unknown; precision?: unknown; text?: unknown };
  return (
    isTime(interval.start) &&
    isTime(interval.end) &&
    TIME_PRECISIONS.some((precision) => precision === interval.precision) &&
    typeof interval.text === 'string'
  );
}
