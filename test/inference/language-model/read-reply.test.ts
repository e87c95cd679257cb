import { AIMessageChunk } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ChatReply, readMessage } from '../../../src/inference/language-model/backends/chat-backend.ts';
import { readReply } from '../../../src/inference/language-model/reading/read-reply.ts';
import { replyShape } from '../../../src/inference/language-model/reading/reply-shape.ts';

const PLAIN: ChatReply = {
  text: '',
  toolArguments: undefined,
  declined: null,
  truncated: false,
  usage: null,
};

function read(schema: z.ZodType, reply: string | Partial<ChatReply>) {
  const whole = { ...PLAIN, ...(typeof reply === 'string' ? { text: reply } : reply) };
  return readReply({ schema }, whole, replyShape({ name: 'test', schema }));
}

const people = z.object({
  people: z.array(
    z.object({ name: z.string(), age: z.coerce.number().optional(), note: z.string().nullable() }),
  ),
  mood: z.enum(['good', 'bad']).default('good'),
});

describe('readReply', () => {
  it('keeps only the complete items of a truncated streamed tool call', () => {
    const message = new AIMessageChunk({
      content: '',
      tool_call_chunks: [{ name: 'test', args: '{"names":["Ann","Bob","Chri', index: 0, id: 'call' }],
      response_metadata: { finish_reason: 'length' },
    });
    const reading = read(z.object({ names: z.array(z.string()) }), readMessage(message));
    expect(reading).toEqual({ fits: true, truncated: true, value: { names: ['Ann', 'Bob'] } });
  });

  it('reads null as missing, and keeps it where the schema allows it', () => {
    const reading = read(people, '{"people":[{"name":"Ann","age":null,"note":null}],"mood":null}');
    expect(reading).toEqual({
      fits: true,
      truncated: false,
      value: { people: [{ name: 'Ann', note: null }], mood: 'good' },
    });
  });

  it('removes null in unions, records and recursive schemas too', () => {
    interface Tree {
      name: string;
      age?: number | undefined;
      children: Tree[];
    }
    const tree: z.ZodType<Tree> = z.object({
      name: z.string(),
      age: z.number().optional(),
      get children() {
        return z.array(tree);
      },
    });
    const schema = z.object({
      tree,
      either: z.union([z.object({ a: z.string().optional() }), z.object({ b: z.number() })]),
      record: z.record(z.string(), z.object({ c: z.string().optional() })),
    });
    const text = JSON.stringify({
      tree: { name: 'a', age: null, children: [{ name: 'b', age: null, children: [] }] },
      either: { a: null },
      record: { any: { c: null } },
    });
    expect(read(schema, text)).toMatchObject({
      value: {
        tree: { name: 'a', children: [{ name: 'b', children: [] }] },
        either: {},
        record: { any: {} },
      },
    });
  });

  it('reads numbers from text only if the schema coerces', () => {
    expect(read(people, '{"people":[{"name":"Ann","age":"41","note":null}]}')).toMatchObject({
      value: { people: [{ age: 41 }] },
    });
    expect(read(z.object({ age: z.number() }), '{"age":"41"}')).toMatchObject({
      fits: false,
      fault: 'content',
    });
    expect(read(z.object({ age: z.coerce.number() }), '{"age":null}')).toMatchObject({ fits: false });
  });

  it.each([
    ['a tool call written as text', { name: 'test', arguments: { people: [] } }],
    ['a property around it', { result: { people: [] } }],
    ['parameters instead of arguments', { function: 'test', parameters: { people: [] } }],
  ])('finds the object in %s', (_what, value) => {
    expect(read(people, JSON.stringify(value))).toMatchObject({ fits: true, value: { people: [] } });
  });

  it('accepts a bare list if the schema has only one list', () => {
    const schema = z.object({ names: z.array(z.string()).default([]) });
    expect(read(schema, '["Ann"]')).toMatchObject({ value: { names: ['Ann'] } });
    expect(read(people, '[{"name":"Ann"}]')).toMatchObject({ fits: false });
  });

  it('does not read another object as an empty reply', () => {
    const schema = z.object({
      names: z.array(z.string()).default([]),
      facts: z.array(z.string()).default([]),
    });
    expect(read(schema, '{"other":1}')).toMatchObject({ fits: false });
    expect(read(schema, '{"names":["Ann"],"facts":["x')).toMatchObject({
      truncated: true,
      value: { facts: [] },
    });
    expect(read(schema, '{"names')).toMatchObject({ fits: false });
    expect(read(schema, '{}')).toMatchObject({ fits: true });
  });

  it('reads the arguments of a tool call, also broken JSON', () => {
    expect(read(people, { toolArguments: { people: [] } })).toMatchObject({ fits: true });
    expect(read(people, { toolArguments: '{"people":[],}' })).toMatchObject({ fits: true });
    expect(read(people, { toolArguments: '{"people":[{"name":"A","note":null},{"na' })).toMatchObject({
      truncated: true,
      value: { people: [{ name: 'A' }] },
    });
  });

  it('reports what does not fit the schema, without the text of the reply', () => {
    const schema = z.strictObject({ a: z.object({ b: z.number() }), c: z.record(z.string(), z.number()) });
    const reading = read(schema, '{"a":{"b":"secret"},"c":{"private":"hidden"},"extra":1}');
    expect(reading).toMatchObject({
      fits: false,
      fault: 'content',
      issues: [
        expect.stringMatching(/^a\.b: .*expected number/),
        expect.stringMatching(/^c\.\*: .*expected number/),
        'has a property that the schema does not know',
      ],
    });
    expect(JSON.stringify(reading)).not.toMatch(/secret|private|hidden|extra/);
  });

  it.each([
    ['syntax', '{"people": [{"name" => "Ann"}]}'],
    ['content', '{"people": 1}'],
    ['content', '{"unfinished": "and nothing bef'],
    ['nothing', 'I would rather not.'],
    ['nothing', ''],
  ])('reports the fault %s: %j', (fault, text) =>
    expect(read(people, text)).toMatchObject({ fits: false, fault }),
  );

  it.each(['{"__proto__":{"people":[]}}', '{"constructor":{"people":[]},"toString":1}'])(
    'ignores %s',
    (text) => {
      read(people, text);
      expect(({} as Record<string, unknown>).people).toBeUndefined();
    },
  );
});

describe('replyShape', () => {
  it('requires every property and allows null for optional ones', () => {
    const { schema, strict, properties } = replyShape({ name: 'a b/c', schema: people });
    expect(strict).toBe(true);
    expect(schema).toEqual({
      type: 'object',
      additionalProperties: false,
      required: ['people', 'mood'],
      properties: {
        mood: { anyOf: [{ type: 'string', enum: ['good', 'bad'] }, { type: 'null' }] },
        people: {
          type: 'array',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['name', 'age', 'note'],
            properties: {
              name: { type: 'string' },
              age: { anyOf: [{ type: 'number' }, { type: 'null' }] },
              note: { type: ['string', 'null'] },
            },
          },
        },
      },
    });
    expect([...properties].sort()).toEqual(['age', 'mood', 'name', 'note', 'people']);
  });

  it('reports a schema that exceeds what providers enforce', () => {
    const shapeOf = (schema: z.ZodType) => replyShape({ name: 'x', schema: z.object({ a: schema }) });
    expect(shapeOf(z.record(z.string(), z.string())).strict).toBe(false);
    expect(shapeOf(z.unknown()).strict).toBe(false);
    expect(shapeOf(z.discriminatedUnion('k', [z.object({ k: z.literal('p') })])).strict).toBe(true);
  });

  it('has a name that providers accept', () => {
    const schema = z.object({ a: z.string() });
    expect(replyShape({ name: `${'è b/'.repeat(30)}`, schema }).name).toMatch(/^[\w-]{64}$/);
  });

  it('rejects a schema that is not an object schema', () => {
    for (const schema of [z.array(z.string()), z.string(), z.union([z.object({}), z.string()])])
      expect(() => replyShape({ name: 'x', schema })).toThrow(
        expect.objectContaining({ code: 'invalid-input' }),
      );
  });
});
