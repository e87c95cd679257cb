import { findJsonError } from './find-json-error.ts';

export type JsonReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

/** Parses text that must still pass a schema. The reason says where it broke, never what stood there. */
export function parseJson(text: string): JsonReading {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, reason: describeBreak(text) };
  }
}

function describeBreak(text: string): string {
  if (text.trim() === '') return 'it is empty';
  const offset = findJsonError(text) ?? text.length;
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const place = `line ${countLines(text, offset)}, column ${offset - lineStart + 1}`;
  return offset < text.length ? `it is not JSON from ${place} on` : `it ends too early, at ${place}`;
}

function countLines(text: string, end: number): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
