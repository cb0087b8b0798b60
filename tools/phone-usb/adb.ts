import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findOnPath } from 'messaging-gateway-local-stack/processes';
import { type AdbAnswer, connectionFault, PhoneUsbError } from './phone-usb-error';

const ANSWER_MS = 30_000;
const MAX_OUTPUT_BYTES = 16_000_000;

/** Where Android Studio puts its tools, below the home directory. */
const SDK_FOLDERS = ['Android/Sdk', 'Library/Android/sdk', 'AppData/Local/Android/Sdk'];

/**
 * The path of adb: on the PATH, or in an Android SDK.
 * @throws PhoneUsbError
 */
export function findAdb(environment: NodeJS.ProcessEnv): string {
  const onPath = findOnPath('adb', environment.PATH) ?? findOnPath('adb.exe', environment.PATH);
  if (onPath !== undefined) return onPath;
  const home = environment.HOME ?? homedir();
  const { ANDROID_HOME = '', ANDROID_SDK_ROOT = '' } = environment;
  const found = [ANDROID_HOME, ANDROID_SDK_ROOT, ...SDK_FOLDERS.map((folder) => join(home, folder))]
    .filter((sdk) => sdk !== '')
    .flatMap((sdk) => ['adb', 'adb.exe'].map((name) => join(sdk, 'platform-tools', name)))
    .find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new PhoneUsbError(
    'adb is missing, the program that talks to phones over USB: install it with "sudo apt-get install adb" (Debian, ' +
      'Ubuntu), "brew install android-platform-tools" (macOS) or "winget install Google.PlatformTools" (Windows), and ' +
      'run this command again',
  );
}

/** Runs adb, for one phone if its serial is given. */
export class Adb {
  constructor(
    private readonly program: string,
    private readonly serial?: string,
  ) {}

  for(serial: string): Adb {
    return new Adb(this.program, serial);
  }

  /** @throws PhoneUsbError if the phone is gone, or adb does not answer in time. */
  async run(args: readonly string[], withinMs = ANSWER_MS): Promise<AdbAnswer> {
    const answer = await this.tryToRun(args, withinMs);
    const fault = connectionFault(answer, this.serial);
    if (fault !== undefined) throw new PhoneUsbError(fault);
    return answer;
  }

  /** The answer as it is: a phone that is gone is one. */
  tryToRun(args: readonly string[], withinMs = ANSWER_MS): Promise<AdbAnswer> {
    const target = this.serial === undefined ? [] : ['-s', this.serial];
    const options = { timeout: withinMs, maxBuffer: MAX_OUTPUT_BYTES };
    return new Promise((resolve, reject) => {
      const child = execFile(this.program, [...target, ...args], options, (error, output, errors) => {
        if (error instanceof Error && child.pid === undefined) reject(error);
        else resolve({ code: child.exitCode ?? undefined, text: `${output}\n${errors}`.trim() });
      });
    });
  }
}
