import { z } from 'zod';
import type { MemoryScope } from '../../engine/memory-scope.ts';
import { CancelledError, InvalidInputError, MnemisError } from '../../errors/index.ts';
import type { Logger } from '../../model/logger.ts';
import { describeIssues, placeOf } from '../../util/describe-issues.ts';
import { SerialQueue } from '../../util/serial-queue.ts';
import { failed, UNEXPECTED } from '../memory-toolset.ts';
import { type Edit, insertAfter, numbered, replaceOnly, snippetAround } from './edit-text.ts';
import { isWithin, parentsOf, ROOT, readPath } from './file-path.ts';
import { isKnownPlace, KnownFiles } from './known-files.ts';
import { listDirectory } from './list-directory.ts';
import { type FileVersion, filesAt, type StoredFile, StoredFiles } from './stored-files.ts';

/** The scope of the files. */
export interface MemoryFilesOptions {
  /** The scope whose files they are; no call can name another. */
  readonly memory: MemoryScope;
  /** Receives failures that the model sees without details. */
  readonly logger?: Logger | undefined;
}

const optionsSchema = z.strictObject({
  memory: z.custom((value) => typeof Object(value).previewForget === 'function', 'is no scope of a memory'),
  logger: z.unknown().optional(),
});

const path = z.string();
const whole = z.number().int();
const commandSchema = z.discriminatedUnion('command', [
  z.object({ command: z.literal('view'), path, view_range: z.tuple([whole, whole]).nullish() }),
  z.object({ command: z.literal('create'), path, file_text: z.string() }),
  z.object({ command: z.literal('str_replace'), path, old_str: z.string(), new_str: z.string().default('') }),
  z.object({ command: z.literal('insert'), path, insert_line: whole, insert_text: z.string() }),
  z.object({ command: z.literal('delete'), path }),
  z.object({ command: z.literal('rename'), old_path: path, new_path: path }),
]);
type Command = z.output<typeof commandSchema>;
type CommandOf<Name extends Command['command']> = Extract<Command, { command: Name }>;

/** Characters of a file, and files of a scope. */
const LONGEST_FILE = 100_000;
const MOST_FILES = 1_000;

/** The files of a scope during one command. */
type Files = ReadonlyMap<string, StoredFile>;
type Call = { readonly signal?: AbortSignal | undefined };

/** Commands on the files of one scope run one after another, whoever gives them. */
const queues = new WeakMap<object, SerialQueue>();

/**
 * The file tree of Anthropic's memory tool (`memory_20250818`) over one scope: files that the model writes, which are
 * turns of memory, and read-only files of what memory knows. Replies are those of Anthropic's documentation, errors
 * included.
 */
export class MemoryFiles {
  readonly #stored: StoredFiles;
  readonly #known: KnownFiles;
  readonly #queue: SerialQueue;
  readonly #logger: Logger | undefined;

  /** @throws InvalidInputError for invalid options. */
  constructor(options: MemoryFilesOptions) {
    const parsed = optionsSchema.safeParse(options);
    if (!parsed.success)
      throw new InvalidInputError(
        `The memory tool cannot use these options: ${describeIssues(parsed.error)}`,
      );
    const { memory, logger } = options;
    this.#stored = new StoredFiles(memory);
    this.#known = new KnownFiles(memory);
    this.#queue = queues.get(memory) ?? new SerialQueue();
    queues.set(memory, this.#queue);
    this.#logger = logger;
  }

  /** Carries out a command of the model and returns the reply to it. Only a cancellation is thrown. */
  async run(given: unknown, { signal }: Call = {}): Promise<string> {
    const parsed = commandSchema.safeParse(given);
    if (!parsed.success) return `Error: The command is not valid: ${describeIssues(parsed.error)}`;
    try {
      return await this.#queue.run(async () => {
        if (signal?.aborted) throw new CancelledError('memory is unchanged', signal.reason);
        return this.#carryOut(parsed.data, { signal });
      });
    } catch (error) {
      if (signal?.aborted || CancelledError.isInstance(error)) throw error;
      if (MnemisError.isInstance(error)) return failed(error).text;
      this.#logger?.warn(`The memory tool failed: ${placeOf(error)}`);
      return failed(UNEXPECTED).text;
    }
  }

  async #carryOut(command: Command, call: Call): Promise<string> {
    const named = command.command === 'rename' ? [command.old_path, command.new_path] : [command.path];
    const paths: string[] = [];
    for (const each of named) {
      const reading = readPath(each);
      if ('refusal' in reading) return reading.refusal;
      if (command.command !== 'view' && reading.path === ROOT)
        return `Error: ${ROOT} is the directory itself, which stays; name a file or a directory in it`;
      if (command.command !== 'view' && isKnownPlace(reading.path)) return readOnly(reading.path);
      paths.push(reading.path);
    }
    const files = await this.#stored.all();
    const [path, to] = paths as [string, string];
    switch (command.command) {
      case 'view':
        return this.#view({ ...command, path }, files);
      case 'create':
        return this.#create({ ...command, path }, files, call);
      case 'str_replace':
      case 'insert':
        return this.#edit({ ...command, path }, files, call);
      case 'delete':
        return this.#delete(path, files, call);
      case 'rename':
        return this.#rename({ from: path, to }, files, call);
    }
  }

  async #view({ path, view_range: range }: CommandOf<'view'>, files: Files): Promise<string> {
    const stored = files.get(path);
    const known = stored === undefined && isKnownPlace(path) ? await this.#known.at(path) : null;
    const text = stored?.content ?? (await known?.read());
    if (text !== undefined) return viewed(path, text, range);
    const listed = [
      ...filesAt(files, path).map((file) => ({ path: file.path, bytes: Buffer.byteLength(file.content) })),
      ...(await this.#known.under(path)).map((file) => ({ path: file.path, bytes: null })),
    ];
    if (path !== ROOT && listed.length === 0)
      return `The path ${path} does not exist. Please provide a valid path.`;
    return listDirectory(path, listed);
  }

  async #create({ path, file_text }: CommandOf<'create'>, files: Files, call: Call): Promise<string> {
    if (filesAt(files, path).length > 0) return `Error: File ${path} already exists`;
    if (files.size >= MOST_FILES)
      return `Error: There are ${files.size} files, which is the most. Delete or merge files that are no longer needed.`;
    const problem = await this.#placeProblem(path, files);
    if (problem !== null) return problem;
    return this.#write([{ path, content: file_text }], `File created successfully at: ${path}`, call);
  }

  async #edit(command: CommandOf<'str_replace' | 'insert'>, files: Files, call: Call): Promise<string> {
    const { path } = command;
    const of = files.get(path);
    if (of === undefined)
      return command.command === 'insert'
        ? `Error: The path ${path} does not exist`
        : `Error: The path ${path} does not exist. Please provide a valid path.`;
    const edit: Edit =
      command.command === 'insert' ? insertAfter(of.content, command) : replaceOnly(of.content, command);
    if ('refusal' in edit) return edit.refusal;
    const { text: content, changedAt } = edit;
    const reply =
      command.command === 'insert'
        ? `The file ${path} has been edited.`
        : `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${snippetAround(content, changedAt)}`;
    return this.#write([{ path, content, of }], reply, call);
  }

  async #delete(path: string, files: Files, { signal }: Call): Promise<string> {
    const found = filesAt(files, path);
    if (found.length === 0) return `Error: The path ${path} does not exist`;
    await this.#stored.remove(found, signal);
    return `Successfully deleted ${path}`;
  }

  async #rename(
    { from, to }: { readonly from: string; readonly to: string },
    files: Files,
    call: Call,
  ): Promise<string> {
    const found = filesAt(files, from);
    if (found.length === 0) return `Error: The path ${from} does not exist`;
    if (filesAt(files, to).length > 0) return `Error: The destination ${to} already exists`;
    if (isWithin(to, from)) return `Error: The destination ${to} is inside of ${from}`;
    const moved = found.map((of) => ({ path: to + of.path.slice(from.length), content: of.content, of }));
    for (const { path } of moved) {
      const reading = readPath(path);
      const problem = 'refusal' in reading ? reading.refusal : await this.#placeProblem(path, files);
      if (problem !== null) return problem;
    }
    return this.#write(moved, `Successfully renamed ${from} to ${to}`, call);
  }

  /** Why no file can be at the path; null if one can. */
  async #placeProblem(path: string, files: Files): Promise<string | null> {
    const file = parentsOf(path).find((parent) => files.has(parent));
    if (file !== undefined) return `Error: ${file} is a file, not a directory`;
    const refusal = await this.#stored.refusalOf(path);
    return refusal === null ? null : `Error: Memory does not take this path: ${refusal}`;
  }

  async #write(versions: readonly FileVersion[], reply: string, { signal }: Call): Promise<string> {
    for (const { path, content } of versions)
      if (content.length > LONGEST_FILE)
        return `Error: The file ${path} would have ${content.length} characters, and a file has at most ${LONGEST_FILE}. Nothing was changed; write several smaller files.`;
    const { refusal, redacted } = await this.#stored.write(versions, signal);
    if (refusal !== null) return `Error: Memory does not take this text: ${refusal}`;
    return redacted.length === 0 ? reply : `${reply}\nBlacked out first: ${redacted.join(', ')}.`;
  }
}

const readOnly = (path: string) =>
  `Error: ${path} is read-only: memory makes about, topics and days from what it is told. Write elsewhere in ${ROOT}, such as ${ROOT}/notes.md; memory reads what you write there.`;

function viewed(path: string, text: string, range: readonly [number, number] | null | undefined): string {
  const lines = text.split('\n');
  const [first, end] = range ?? [1, -1];
  const last = end === -1 ? lines.length : end;
  if (first < 1 || first > lines.length || last < first)
    return `Error: Invalid \`view_range\` parameter: [${first}, ${end}]. It should be within the lines of the file: [1, ${lines.length}]`;
  return `Here's the content of ${path} with line numbers:\n${numbered(lines.slice(first - 1, last), first)}`;
}
