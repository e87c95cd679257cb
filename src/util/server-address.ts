/** Whether the text is an http(s) address without user, password or query, which settings would expose. */
export function isServerAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
  return url.username + url.password + url.search + url.hash === '';
}

export const SERVER_ADDRESS_RULE =
  'it must be an http or https address without a user, a password or a query';
