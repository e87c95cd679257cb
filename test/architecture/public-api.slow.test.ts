import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiReport, apiReport, checkedInReport } from '../../scripts/api-report.ts';

describe('the public API', () => {
  let report: ApiReport;
  beforeAll(() => {
    report = apiReport();
  });

  it('is as docs/api-report.md has it: write that anew where a change is meant', () => {
    expect(report.text).toBe(checkedInReport());
  });

  it('has words on every name', () => {
    expect(report.undocumented).toEqual([]);
  });
});
