/**
 * What the page may load and do: its own files and its own server. Styles may be inline, because formulas, highlighted
 * code and positioned parts set them in markup; scripts may not.
 */
export function contentSecurityPolicy(connectTo: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src ${connectTo}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** Features of browsers that the page never uses; without those that Chromium does not know on every system and warns of. */
const FEATURES = [
  ...['accelerometer', 'autoplay', 'browsing-topics', 'camera', 'display-capture'],
  ...['encrypted-media', 'fullscreen', 'gamepad', 'geolocation', 'gyroscope', 'hid', 'idle-detection'],
  ...['local-fonts', 'magnetometer', 'microphone', 'midi', 'payment', 'picture-in-picture'],
  ...['publickey-credentials-get', 'screen-wake-lock', 'serial', 'storage-access', 'usb'],
  ...['window-management', 'xr-spatial-tracking'],
];

/** Headers of every file of the page. */
export function pageHeaders(connectTo = "'self'"): Readonly<Record<string, string>> {
  return {
    'content-security-policy': contentSecurityPolicy(connectTo),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': FEATURES.map((feature) => `${feature}=()`).join(', '),
    'x-frame-options': 'DENY',
  };
}
