/** The scope is part of the address, so that a server never takes another scope's for its own. */
const baseOf = (scope: string): string => `mnemis://${encodeURIComponent(scope.toWellFormed())}/episode/`;

export function episodeUri(scope: string, id: string): string {
  return `${baseOf(scope)}${encodeURIComponent(id.toWellFormed())}`;
}

/** For clients that make such an address themselves. */
export function episodeUriTemplate(scope: string): string {
  return `${baseOf(scope)}{id}`;
}
