import { existsSync } from 'node:fs';
import type { Adb } from './adb';
import {
  APP,
  type InstalledApp,
  isTooOld,
  OLDEST_VERSION,
  PERMISSIONS,
  readInstalledApp,
  RELEASES,
} from './installed-app';
import { installFault, lastLine, PhoneUsbError } from './phone-usb-error';

const INSTALL_MS = 300_000;

interface Steps {
  done(step: string): void;
  byHand(step: string): void;
}

export interface Preparation {
  /** The APK to install; undefined if the phone has the app. */
  readonly apk: string | undefined;
  readonly port: number;
}

/**
 * Installs the app, lets it send and run in the background, connects the port of the service and opens the app. Can be
 * repeated.
 * @param done called with each step that is done.
 * @returns what the phone refuses, for a person to do on its screen.
 * @throws PhoneUsbError
 */
export async function preparePhone(
  adb: Adb,
  { apk, port }: Preparation,
  done: (step: string) => void,
): Promise<string[]> {
  const leftToDo: string[] = [];
  const steps: Steps = { done, byHand: (step) => leftToDo.push(step) };
  if (apk !== undefined) await install(adb, apk);
  const app = await installedApp(adb);
  if (!app) {
    throw new PhoneUsbError(
      `the phone does not have the app: download app-release.apk from ${RELEASES}, and run this command again with --apk app-release.apk`,
    );
  }
  if (app.version !== undefined && isTooOld(app.version)) {
    throw new PhoneUsbError(
      `the app on the phone is version ${app.version}, and ${OLDEST_VERSION} or newer is needed: download app-release.apk from ${RELEASES}, and run this command again with --apk app-release.apk`,
    );
  }
  steps.done(`The app is installed${app.version === undefined ? '' : `, version ${app.version}`}`);
  await grant(adb, steps);
  await exemptFromBatteryOptimisation(adb, steps);
  await reversePort(adb, port);
  steps.done(`Port ${port} of the phone leads to this computer`);
  const opened = await adb.run(['shell', 'am', 'start', '-n', `${APP}/.MainActivity`]);
  if (opened.code === 0 && !/^Error/m.test(opened.text)) steps.done('The app is open');
  else steps.byHand('Open the app SMSGate');
  return leftToDo;
}

/** @throws PhoneUsbError */
async function install(adb: Adb, apk: string): Promise<void> {
  if (!existsSync(apk))
    throw new PhoneUsbError(`there is no file ${apk}: download app-release.apk from ${RELEASES}`);
  const { code, text } = await adb.run(['install', '-r', apk], INSTALL_MS);
  // Older versions of adb exit with 0 after a failure.
  if (code !== 0 || !/^Success$/m.test(text)) throw new PhoneUsbError(installFault(apk, text));
}

async function installedApp(adb: Adb): Promise<InstalledApp | undefined> {
  const { text } = await adb.run(['shell', 'dumpsys', 'package', APP]);
  return readInstalledApp(text);
}

/** Android answers some grants that it ignores with success, so what it has granted is read afterwards. */
async function grant(adb: Adb, steps: Steps): Promise<void> {
  // Before Android 13 there is no POST_NOTIFICATIONS, and before 6 permissions are granted by the installation.
  for (const name of [...PERMISSIONS, 'POST_NOTIFICATIONS'])
    await adb.run(['shell', 'pm', 'grant', APP, `android.permission.${name}`]);
  const app = await installedApp(adb);
  const refused = PERMISSIONS.filter((name) => app?.granted.includes(name) !== true);
  if (refused.length === 0) steps.done('The app may send and receive SMS');
  else {
    steps.byHand(
      `Allow the app SMS and Phone (Android refused ${refused.join(', ')}): Settings → Apps → SMSGate → ⋮ → Allow restricted ` +
        'settings, then Permissions. On Xiaomi, Redmi and POCO, switch on Developer options → USB debugging (Security settings), ' +
        'on OPPO, OnePlus and realme Disable permission monitoring, and run this command again instead',
    );
  }
}

async function exemptFromBatteryOptimisation(adb: Adb, steps: Steps): Promise<void> {
  await adb.run(['shell', 'dumpsys', 'deviceidle', 'whitelist', `+${APP}`]);
  const { text } = await adb.run(['shell', 'dumpsys', 'deviceidle', 'whitelist']);
  // Android 5 optimises nothing.
  if (text.includes(`,${APP},`) || text.includes("Can't find service"))
    steps.done('Android does not put the app to sleep');
  else
    steps.byHand(
      'Take the app out of battery optimisation: Settings → Apps → SMSGate → Battery → Unrestricted',
    );
}

/** The phone's own 127.0.0.1 leads to this computer, until it is unplugged. @throws PhoneUsbError */
export async function reversePort(adb: Adb, port: number): Promise<void> {
  const { code, text } = await adb.run(['reverse', `tcp:${port}`, `tcp:${port}`]);
  if (code === 0) return;
  throw new PhoneUsbError(
    `the phone cannot connect its port ${port} to this computer: restart the phone, or start the service with another PORT (${lastLine(text)})`,
  );
}
