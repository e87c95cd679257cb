import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newToken } from '../../../main/http/loopback-access.ts';
import { head, request, ServerLab } from './server-fixture.ts';

const PAGE = 'http://localhost:5173';

describe('access to the server', () => {
  let lab: ServerLab;
  beforeAll(async () => {
    lab = await ServerLab.open({ origins: [PAGE], limits: { bodyBytes: 2_000 } });
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  const statusOf = async (
    ...args: Parameters<typeof request> extends [ServerLab, ...infer Rest] ? Rest : never
  ) => Number((await lab.raw(request(lab, ...args))).slice(9, 12));

  it('is open to a program with the token', async () => {
    const reply = await lab.raw(request(lab, '{}'));
    expect(reply).toMatch(/^HTTP\/1\.1 200 /);
    expect(reply).not.toContain(lab.token);
    expect(reply).not.toMatch(/access-control/i);
    expect(await statusOf('{}', { host: `localhost:${lab.server.port}` })).toBe(200);
  });

  it.each([
    ['none', { authorization: '' }],
    ['a wrong one', { authorization: `Bearer ${newToken()}` }],
    ['a part of it', { authorization: 'Bearer part' }],
    ['another scheme', { authorization: `Basic ${newToken()}` }],
  ])('is denied without the token: %s', async (_, headers) => {
    const reply = await lab.raw(request(lab, '{}', headers));
    expect(reply).toMatch(/^HTTP\/1\.1 401 /);
    expect(reply).toContain('"code":"unauthorized"');
  });

  it('does not accept the token in another scheme, in parts, or in the address', async () => {
    expect(await statusOf('{}', { authorization: `Basic ${lab.token}` })).toBe(401);
    expect(await statusOf('{}', { authorization: `Bearer ${lab.token.slice(0, -1)}` })).toBe(401);
    expect(await statusOf('{}', { authorization: `Bearer ${lab.token} x` })).toBe(401);
    expect(await statusOf('{}', { authorization: '' }, `/v1/health?token=${lab.token}`)).toBe(401);
  });

  it.each(['evil.example', 'evil.example:80', '127.0.0.1', '127.0.0.1:1', '0.0.0.0', '[::1]', ''])(
    'is denied to a request for another host (DNS rebinding): "%s"',
    async (host) => expect(await statusOf('{}', { host })).toBe(421),
  );

  it.each([
    'https://evil.example',
    'null',
    'http://localhost:5174',
    'http://localhost:5173.evil.example',
    'file://',
  ])('is denied to pages of another origin, with or without a preflight: %s', async (origin) => {
    expect(await statusOf('{}', { origin })).toBe(403);
    const preflight = await lab.raw(request(lab, '', { origin }).replace('POST', 'OPTIONS'));
    expect(preflight).toMatch(/^HTTP\/1\.1 403 /);
    expect(preflight).not.toMatch(/access-control-allow/i);
  });

  it('is open to an allowed page, and to that page alone', async () => {
    const preflight = await lab.raw(
      request(lab, '', { origin: PAGE, authorization: '' }).replace('POST', 'OPTIONS'),
    );
    expect(preflight).toMatch(/^HTTP\/1\.1 204 /);
    expect(preflight).toContain(`access-control-allow-origin: ${PAGE}`);
    expect(await statusOf('{}', { origin: PAGE })).toBe(200);
    expect(await statusOf('{}', { origin: PAGE, authorization: '' })).toBe(401);
  });

  it('can be allowed to pages of this machine only', async () => {
    for (const origin of ['https://evil.example', '*', 'http://localhost:5173/path', 'null'])
      await expect(ServerLab.open({ origins: [origin] })).rejects.toMatchObject({ code: 'invalid-setting' });
  });

  it('starts with a proof of the server’s identity, which reveals nothing else', async () => {
    expect(await statusOf('{"nonce":"0123456789abcdef"}', { authorization: '' }, '/v1/hello')).toBe(200);
    expect(await statusOf('{"nonce":"short"}', { authorization: '' }, '/v1/hello')).toBe(400);
    expect(await statusOf(`{"nonce":"${'x'.repeat(1_100)}"}`, { authorization: '' }, '/v1/hello')).toBe(413);
    expect(await statusOf('{"nonce":"0123456789abcdef"}', { host: 'evil.example' }, '/v1/hello')).toBe(421);
  });

  it.each([
    '/',
    '/v1',
    '/v1/',
    '/v1/nothing',
    '/v1/../v1/health',
    '/v1/..%2f..%2fetc%2fpasswd',
    '/../../etc/passwd',
    '/v1/health/',
    '/v1/health?x=1',
    '//evil/v1/health',
    'http://evil.example/v1/health',
    '/v1/constructor',
    '/v1/__proto__',
    '/v1/toString',
    '/v1/close',
  ])('is denied at the unknown path %s', async (path) => expect(await statusOf('{}', {}, path)).toBe(404));

  it('takes POST and JSON only', async () => {
    const get = await lab.raw(`${head(lab).replace('POST', 'GET')}\r\n`);
    expect(get).toMatch(/^HTTP\/1\.1 405 /);
    expect(await statusOf('{}', { 'content-type': 'text/plain' })).toBe(415);
    expect(await statusOf('{}', { 'content-type': 'application/json; charset=utf-8' })).toBe(200);
  });

  it.each(['', '{', '{"a":}', '[1,2', 'secret-word', '\u0000'])('rejects invalid JSON: %j', async (body) => {
    const reply = await lab.raw(request(lab, body));
    expect(reply).toMatch(/^HTTP\/1\.1 400 /);
    expect(reply).toContain('"code":"invalid-json"');
    expect(reply).not.toContain('secret-word');
  });

  it('rejects bytes that are not text', async () => {
    const reply = await lab.raw(
      `${head(lab, { 'content-length': 4 })}\r\n`,
      Buffer.from([0x22, 0xff, 0xfe, 0x22]),
    );
    expect(reply).toContain('"code":"invalid-json"');
  });

  it.each([
    'null',
    '[]',
    '"text"',
    '7',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
  ])('rejects invalid input and keeps working: %s', async (body) => {
    const reply = await lab.raw(request(lab, body));
    expect(reply).toMatch(/^HTTP\/1\.1 400 /);
    expect(reply).toContain('"code":"invalid-input"');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('reads no more of a body than its limit, whatever length the client declares', async () => {
    const announced = await lab.raw(`${head(lab, { 'content-length': 1e9 })}\r\n`, '{');
    expect(announced).toMatch(/^HTTP\/1\.1 413 /);
    const chunked = `${head(lab, { 'transfer-encoding': 'chunked' })}\r\n`;
    const chunk = `400\r\n${'x'.repeat(0x400)}\r\n`;
    expect(await lab.raw(chunked, chunk, chunk)).toMatch(/^HTTP\/1\.1 413 /);
    expect(await lab.raw(`${head(lab, { 'x-long': 'x'.repeat(20_000) })}\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
    expect((await lab.client.health({})).protocol).toBe(1);
  });

  it('reveals neither internal errors nor the request', async () => {
    const reply = await lab.raw(
      request(lab, '{"scope":"ana","query":"private words","oops":1}', {}, '/v1/search'),
    );
    expect(reply).toContain('"code":"invalid-input"');
    expect(reply).not.toMatch(/private|oops/);
  });
});
