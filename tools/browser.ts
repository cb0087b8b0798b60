import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { aptInstall } from 'messaging-gateway-local-stack/apt';
import { homeFrom } from 'messaging-gateway-local-stack/home';
import { withLock } from 'messaging-gateway-local-stack/lock-file';
import { isDebian, isRoot } from 'messaging-gateway-local-stack/platform';
import { findOnPath } from 'messaging-gateway-local-stack/processes';
import { StackUnavailable } from 'messaging-gateway-local-stack';
import { Progress } from 'messaging-gateway-local-stack/progress';

/** The headless shell, which needs a quarter less CPU time, first. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
] as const;
const MACOS = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

const NO_BROWSER =
  'No browser: put chromium-headless-shell, chromium or google-chrome on the PATH, set CHROMIUM, or run as root on Debian to install it.';

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
export async function findOrInstallBrowser(): Promise<string> {
  const present = installedBrowser();
  if (present !== undefined) return present;
  if (!isDebian() || !isRoot()) throw new StackUnavailable(NO_BROWSER);
  const home = homeFrom(process.env);
  const progress = new Progress('Browser');
  return withLock(
    join(home.path, 'browser.lock'),
    () => undefined,
    async () => {
      const log = join(home.logs, 'browser-install.log');
      const [name] = NAMES;
      const install = () => aptInstall(name, log);
      if (installedBrowser() === undefined) await progress.step(`${name}: installing with apt-get`, install);
      const installed = installedBrowser();
      if (installed === undefined) throw new StackUnavailable(NO_BROWSER);
      return installed;
    },
  );
}
