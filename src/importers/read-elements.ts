import { FileUnreadableError } from '../errors/file-unreadable-error.ts';
import { breathe } from '../util/breathe.ts';
import type { ImportFile } from './files/import-file.ts';
import { type JsonElement, JsonElements } from './files/json-elements.ts';
import { parseJson } from './parse-json.ts';
import type { ReadContext } from './read-context.ts';
import { MAX_JSON_BYTES } from './read-json-file.ts';
import { foreignStart } from './unreadable.ts';

/** An element of a file's list, from 1, or why it cannot be had. `alone`: the file is no list, but this one value. */
export type ReadElement =
  | { readonly number: number; readonly alone: boolean; readonly value: unknown }
  | { readonly number: number; readonly problem: string };

/**
 * Streams the elements of a JSON file. One that breaks off gives what is whole before the break.
 *
 * Throws FileUnreadableError where nothing can be had of it.
 */
export async function* readElements(file: ImportFile, context: ReadContext): AsyncGenerator<ReadElement> {
  const elements = new JsonElements(MAX_JSON_BYTES);
  let given = 0;
  for await (const element of cut(file, elements, context)) {
    const read = readElement(element, elements.isList);
    if ('problem' in read && given === 0 && (!elements.isList || !elements.isJson))
      throw new FileUnreadableError(context.path, `${context.in(file)}it ${forWhole(read.problem)}`);
    given++;
    yield read;
    await breathe();
  }
}

function forWhole(problem: string): string {
  if (problem.startsWith('is larger')) return `${problem}; export fewer chats, or chat by chat`;
  return problem.startsWith('the file') ? 'ends too early' : problem.replace(/^it /, '');
}

async function* cut(
  file: ImportFile,
  elements: JsonElements,
  context: ReadContext,
): AsyncGenerator<JsonElement> {
  let number = 1;
  let started = false;
  try {
    for await (const chunk of file.open()) {
      context.advance(chunk.length);
      const foreign = started ? null : foreignStart(chunk);
      if (foreign !== null) throw new FileUnreadableError(context.path, `${context.in(file)}${foreign}`);
      started = true;
      for (const element of elements.push(chunk)) {
        number = element.number + 1;
        yield element;
      }
      if (!elements.isJson) break;
    }
  } catch (error) {
    if (number === 1 || !FileUnreadableError.isInstance(error)) throw error;
    yield { number, problem: 'the rest of the file could not be read: it is damaged' };
    return;
  }
  if (!elements.isJson && number === 1)
    throw new FileUnreadableError(context.path, `${context.in(file)}it is not JSON from line 1, column 1 on`);
  if (!elements.hasBegun) throw new FileUnreadableError(context.path, `${context.in(file)}it is empty`);
  yield* elements.end();
}

function readElement(element: JsonElement, isList: boolean): ReadElement {
  if ('problem' in element) return element;
  const json = parseJson(element.text);
  if (json.ok) return { number: element.number, alone: !isList, value: json.value };
  return { number: element.number, problem: json.reason };
}
