import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The folder to put on the PATH. */
export const STAND_IN_ADB = __dirname;

/** Each is one line of `adb devices -l`. */
export const PIXEL = '1A2B3C4D device usb:1-1 product:oriole model:Pixel_6 device:oriole transport_id:1';
export const GALAXY = 'R58M123ABC device usb:1-2 product:a12 model:SM_A125F device:a12 transport_id:2';

/** What the phone does instead of obeying. */
export type Fault = 'no-daemon' | 'grants-denied' | 'grants-ignored' | 'stays-optimised' | 'before-android-6';

/** The state of the stand-in for adb: files in a folder, which it reads and writes at each call. */
export class AdbPhone {
  readonly folder = mkdtempSync(join(tmpdir(), 'stand-in-adb-'));

  /** @param devices lines of `adb devices -l`. */
  constructor(devices: readonly string[] = [PIXEL]) {
    this.connect(devices);
    for (const name of ['granted', 'exempt', 'reversed', 'calls']) this.write(name, '');
    const requested = ['SEND_SMS', 'RECEIVE_SMS', 'READ_SMS', 'READ_PHONE_STATE', 'POST_NOTIFICATIONS'];
    this.write('requested', requested.map((name) => `android.permission.${name}\n`).join(''));
  }

  /** The variables of a process that finds the stand-in. */
  get environment(): { readonly PATH: string; readonly STAND_IN_ADB: string } {
    return { PATH: `${STAND_IN_ADB}${delimiter}${process.env.PATH ?? ''}`, STAND_IN_ADB: this.folder };
  }

  /** The calls so far, without the serial. */
  get calls(): string[] {
    return this.lines('calls').map((call) => call.replace(/^-s \S+ /, ''));
  }

  get granted(): string[] {
    return this.lines('granted').map((name) => name.replace('android.permission.', ''));
  }

  get reversed(): string[] {
    return this.lines('reversed');
  }

  get isExempt(): boolean {
    return this.lines('exempt').length > 0;
  }

  get version(): string | undefined {
    const file = join(this.folder, 'version');
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  }

  /** An APK of the app. */
  apk(version: string): string {
    this.write('app-release.apk', `APK ${version}\n`);
    return join(this.folder, 'app-release.apk');
  }

  install(version: string): void {
    this.write('version', `${version}\n`);
  }

  connect(devices: readonly string[]): void {
    this.write('devices', devices.map((line) => `${line}\n`).join(''));
  }

  /** Android forgets the ports of a phone that is unplugged. */
  unplug(): void {
    this.connect([]);
    this.write('reversed', '');
  }

  unplugAt(call: string): void {
    this.write('unplug-at', `${call}\n`);
  }

  refuseAt(call: string, text: string): void {
    this.write('refuse-at', `${call}\n${text}\n`);
  }

  set(fault: Fault): void {
    appendFileSync(join(this.folder, fault), '');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  private lines(name: string): string[] {
    return readFileSync(join(this.folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  }

  private write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }
}
