import { expect, it } from 'vitest';
import { readTurn } from '../../src/ingest/admit/read-turn.ts';
import { ROLES, TRUST_LEVELS } from '../../src/model/nodes.ts';

const trustOf = (more: object) => {
  const reading = readTurn({ content: 'x', at: 1, ...more }, 0);
  return reading.ok ? reading.turn.trust : reading.reason;
};

it('tool results get low trust, everything else the default', () => {
  expect(ROLES.map((role) => [role, trustOf({ role })])).toEqual([
    ['user', 'normal'],
    ['assistant', 'normal'],
    ['system', 'normal'],
    ['tool', 'low'],
    ['other', 'normal'],
  ]);
  expect(trustOf({})).toBe('normal');
});

it('unless the caller sets a trust', () => {
  for (const trust of TRUST_LEVELS) for (const role of ROLES) expect(trustOf({ role, trust })).toBe(trust);
  expect(trustOf({ trust: 'full' })).toMatch(/^trust/);
});
