import { z } from 'zod';
import { configSchema } from '../../config.ts';
import { type FormField, formFieldSchema, preferencesSchema } from '../../contract/settings.ts';

/** The fields of the settings' forms, from the schemas that check settings and preferences; `backups.keep` is a part. */
export function formFields(): Record<string, FormField> {
  const shape = { ...configSchema.shape, ...preferencesSchema.shape };
  return Object.fromEntries(
    Object.entries(shape).flatMap(([name, schema]) => fieldsOf(name, jsonOf(schema))),
  );
}

const jsonOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

/** Of a union the first form: the others are texts of flags and the environment. */
function fieldsOf(name: string, schema: z.core.JSONSchema._JSONSchema): [string, FormField][] {
  if (typeof schema === 'boolean') return [];
  const { properties = {}, ...field } = schema.anyOf?.[0] ?? schema;
  const [type] = [field.type].flat();
  return [
    [name, formFieldSchema.parse({ ...field, type })],
    ...Object.entries(properties).flatMap(([part, of]) => fieldsOf(`${name}.${part}`, of)),
  ];
}
