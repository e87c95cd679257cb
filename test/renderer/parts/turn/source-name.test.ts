import { expect, it } from 'vitest';
import { sessionName } from '../../../../renderer/parts/turn/source-name.ts';

it.each([
  ['markdown/VTuMN3XbqWABLcBENJSimn garden.md', 'garden.md'],
  ['pdf/VTuMN3XbqWABLcBENJSimn the plan.pdf', 'the plan.pdf'],
  ['text/notes/today.txt', 'notes/today.txt'],
  ['Family group', 'Family group'],
  ['markdown/', 'markdown/'],
])('names the session %j %j', (session, name) => {
  expect(sessionName(session)).toBe(name);
});
