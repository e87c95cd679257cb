import { expect, it } from 'vitest';
import { architecturePage, checkedInPage } from '../../scripts/walks.ts';

it('draws the walks of docs/architecture.md as the imports are: node --import tsx scripts/walks.ts', () => {
  expect(checkedInPage()).toBe(architecturePage());
});
