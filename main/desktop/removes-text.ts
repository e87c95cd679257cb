import { contract } from '../contract.ts';
import { portRequestSchema } from '../server/port-server.ts';

const REMOVING: ReadonlySet<string> = new Set(
  Object.entries(contract).flatMap(([method, { effect }]) => (effect === 'removes' ? [method] : [])),
);

/** Whether a window's message asks for something to be forgotten, or erased from disk. */
export function removesText(message: unknown): boolean {
  const { data } = portRequestSchema.safeParse(message);
  return data?.type === 'request' && REMOVING.has(data.method);
}
