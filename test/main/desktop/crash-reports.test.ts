import { EventEmitter } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CrashReports, describeCrash, isRemoving, removesText } from '../../../main/desktop/crash-reports.ts';
import { LogFile } from '../../../main/desktop/log-file.ts';
import { UsageError } from '../../../main/errors.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';

const folder = freshFolder();

const SECRET = 'Ann moved to Lisbon\n    at her sister’s';

describe('describeCrash', () => {
  it('tells where an error was thrown, never what it says', () => {
    const told = describeCrash(new RangeError(SECRET, { cause: new Error(SECRET) }));
    expect(told).toMatch(/^RangeError\n +at .*crash-reports\.test/);
    expect(told).not.toMatch(/Lisbon|sister/);
  });

  it('tells codes of ours and of the system', () => {
    expect(describeCrash(new UsageError('x'))).toMatch(/^UsageError \(usage\)\n/);
    const missing = Object.assign(new Error(SECRET), { code: 'ENOENT' });
    expect(describeCrash(missing)).toMatch(/^Error \(ENOENT\)\n/);
    expect(describeCrash(Object.assign(new Error('x'), { code: SECRET }))).toMatch(/^Error\n/);
  });

  it('tells nothing of what is no error, or of a message that was changed', () => {
    expect(describeCrash(SECRET)).toBe('a thrown string');
    const changed = new Error('before');
    changed.stack = SECRET;
    expect(describeCrash(changed)).toBe('Error');
    const named = new Error('x');
    named.name = SECRET;
    expect(describeCrash(named)).toMatch(/^Error\n/);
  });
});

describe('CrashReports', () => {
  it('notes errors that nobody catches, in a file of the user alone', () => {
    const reports = new CrashReports(join(folder, 'noted'));
    const program = new EventEmitter();
    reports.watch('engine', program);
    program.emit('uncaughtExceptionMonitor', new TypeError(SECRET), 'uncaughtException');
    program.emit('unhandledRejection', 7);
    const path = join(reports.folder, 'crashes.log');
    const log = readFileSync(path, 'utf8');
    expect(log).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z engine: TypeError\n +at /);
    expect(log).toMatch(/Z engine: a thrown number\n$/);
    expect(log).not.toContain('Lisbon');
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('keeps the newest dumps, for a month', () => {
    const reports = new CrashReports(join(folder, 'dumps'));
    reports.open();
    const now = Date.now();
    const pending = join(reports.dumps, 'pending');
    mkdirSync(pending);
    for (let day = 0; day < 40; day += 5) {
      const path = join(pending, `${day}.dmp`);
      writeFileSync(path, 'x');
      utimesSync(path, new Date(), new Date(now - day * 86_400_000));
    }
    writeFileSync(join(reports.dumps, 'settings.dat'), 'x');
    reports.open({ most: 10, days: 30 }, now + 1);
    const left = () =>
      readdirSync(pending)
        .map((name) => Number.parseInt(name, 10))
        .sort((a, b) => a - b);
    expect(left()).toEqual([0, 5, 10, 15, 20, 25]);
    reports.open({ most: 2, days: 30 }, now + 1);
    expect(left()).toEqual([0, 5]);
    reports.removeDumps();
    expect(left()).toEqual([]);
    expect(existsSync(join(reports.dumps, 'settings.dat'))).toBe(true);
  });

  it('removes the other dumps where one cannot be read or removed', () => {
    const reports = new CrashReports(join(folder, 'stuck'));
    reports.open();
    symlinkSync(join(folder, 'nothing'), join(reports.dumps, 'a.dmp'));
    mkdirSync(join(reports.dumps, 'b.dmp')); // a folder is not removed as a file
    writeFileSync(join(reports.dumps, 'c.dmp'), 'x');
    expect(() => reports.removeDumps()).not.toThrow();
    expect(readdirSync(reports.dumps)).toEqual(['b.dmp']);
    expect(() => reports.open({ most: 0, days: 0 }, Date.now() + 1)).not.toThrow();
  });

  it('removes dumps with what a window asks to forget or erase', () => {
    const ask = (method: string) => removesText({ id: 1, type: 'request', method, input: '{}' });
    expect(['forget', 'compact', 'deleteConversation'].map(ask)).toEqual([true, true, true]);
    expect(['forget', 'search'].map(isRemoving)).toEqual([true, false]);
    expect(['previewForget', 'search', 'toString'].map(ask)).toEqual([false, false, false]);
    expect([{ id: 1, type: 'cancel' }, null, 'forget'].map(removesText)).toEqual([false, false, false]);
  });
});

describe('LogFile', () => {
  it('drops its older half when it is full', () => {
    const path = join(folder, 'full.log');
    const log = new LogFile(path, 2_000);
    for (let line = 0; line < 200; line++) log.write(`line ${line}`);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(statSync(path).size).toBeLessThanOrEqual(2_000);
    expect(lines.at(-1)).toMatch(/Z line 199$/);
    expect(lines.every((line) => /^\S+Z line \d+$/.test(line))).toBe(true);
  });

  it('does not fail where nothing can be written', () => {
    const blocked = join(folder, 'a-file');
    writeFileSync(blocked, 'x');
    expect(() => new LogFile(join(blocked, 'x.log')).write('line')).not.toThrow();
    const reports = new CrashReports(blocked);
    expect(() => reports.open()).not.toThrow();
  });
});
