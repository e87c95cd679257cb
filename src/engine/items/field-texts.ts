import type { ItemValue } from './stored-item.ts';

type Step = { readonly name: string } | { readonly place: number } | 'each';

/** One text for each place that the path leads to. The path `$` gives all that the value says as one text. */
export function textsAt(value: ItemValue, path: string): string[] {
  if (path === '$') return nonEmpty([wordsIn(value).join('\n')]);
  let places: unknown[] = [value];
  for (const step of stepsOf(path)) places = places.flatMap((place) => stepInto(place, step));
  return nonEmpty(places.map((place) => wordsIn(place).join('\n')));
}

/** `chapters[*].text` is a name, every one of a list, and a name; `*` is every one of a list or an object. */
function stepsOf(path: string): Step[] {
  return [...path.matchAll(/\[(\*|-?\d+)\]|([^.[\]]+)/g)].map(([, place, name]) => {
    if (place === '*' || name === '*') return 'each';
    return place === undefined ? { name: name! } : { place: Number(place) };
  });
}

function stepInto(place: unknown, step: Step): unknown[] {
  if (typeof place !== 'object' || place === null) return [];
  if (step === 'each') return Object.values(place);
  if ('place' in step) return Array.isArray(place) ? [place.at(step.place)] : [];
  return !Array.isArray(place) && Object.hasOwn(place, step.name)
    ? [(place as Readonly<Record<string, unknown>>)[step.name]]
    : [];
}

/** Names of fields say what a short value means: `likes: tea`. */
function wordsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(wordsIn);
  return Object.entries(value).flatMap(([name, each]) => {
    const words = wordsIn(each);
    return words.length === 0 ? [] : [`${name}: ${words.join(', ')}`];
  });
}

function nonEmpty(texts: readonly string[]): string[] {
  return texts.filter((text) => text.trim() !== '');
}
