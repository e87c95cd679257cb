import { isOwnPage } from './link-check.ts';

/** To copy text. Chromium asks for it at each `navigator.clipboard.writeText`. Reading the clipboard is another one. */
const ALLOWED = 'clipboard-sanitized-write';

interface PermissionSession {
  setPermissionRequestHandler(
    handler: (
      contents: unknown,
      permission: string,
      answer: (isAllowed: boolean) => void,
      details: { readonly requestingUrl?: string },
    ) => void,
  ): void;
  setPermissionCheckHandler(
    handler: (contents: unknown, permission: string, origin: string) => boolean,
  ): void;
  setDevicePermissionHandler(handler: () => boolean): void;
}

/** The app's own page may put text on the clipboard. Everything else is denied to every page. */
export function restrictPermissions(session: PermissionSession): void {
  const isAllowed = (permission: string, address: string | undefined) =>
    permission === ALLOWED && isOwnPage(address);
  session.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl }) =>
    answer(isAllowed(permission, requestingUrl)),
  );
  session.setPermissionCheckHandler((_contents, permission, origin) => isAllowed(permission, origin));
  session.setDevicePermissionHandler(() => false);
}
