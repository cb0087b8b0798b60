import { existsSync } from 'node:fs';
import { findOnPath } from 'messaging-gateway-local-stack/processes';
import { findOrInstall } from './find-or-install';

/** The headless shell, which needs a quarter less CPU time, first. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
] as const;
const MACOS = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

function installedBrowser(): string | undefined {
  const named = process.env.CHROMIUM?.trim();
  if (named) return named;
  const [found] = NAMES.flatMap((name) => findOnPath(name, process.env.PATH) ?? []);
  return found ?? (existsSync(MACOS) ? MACOS : undefined);
}

/**
 * The path of Chromium or Chrome: `CHROMIUM`, one on the PATH, or on Debian as root a newly installed one.
 * @throws StackUnavailable
 */
export const findOrInstallBrowser = (): Promise<string> =>
  findOrInstall({
    label: 'Browser',
    package: NAMES[0],
    missing:
      'No browser: put chromium-headless-shell, chromium or google-chrome on the PATH, set CHROMIUM, or run as root on Debian to install it.',
    find: installedBrowser,
  });
