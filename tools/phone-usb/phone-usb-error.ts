export interface AdbAnswer {
  /** Undefined if adb was stopped after its time. */
  readonly code: number | undefined;
  /** Standard output and standard error. */
  readonly text: string;
}

/** One sentence that says what to do. */
export class PhoneUsbError extends Error {
  override readonly name = 'PhoneUsbError';
}

/** What stands between adb and the phone. @returns undefined if adb reached it. */
export function connectionFault({ code, text }: AdbAnswer, serial = ''): string | undefined {
  const phone = serial === '' ? 'the phone' : `the phone ${serial}`;
  if (code === undefined)
    return `${phone} does not answer: unlock it, unplug it and plug it in again; if that does not help, run "adb kill-server"`;
  if (code === 0) return undefined;
  if (/device unauthorized|device still authorizing/.test(text)) return unauthorized(phone);
  if (
    /device (.+ )?not found|no devices\/emulators found|device offline|error: closed|protocol fault/.test(
      text,
    )
  )
    return `the connection to ${phone} was lost: check the cable, plug it in again and repeat this command`;
  if (/cannot connect to daemon|failed to start daemon/.test(text))
    return 'adb cannot start its background service: run "adb kill-server", then "adb start-server", which shows the reason';
  return undefined;
}

export function unauthorized(phone: string): string {
  return `${phone} does not trust this computer yet: unlock it and confirm "Allow USB debugging?"; if it does not ask, unplug it and plug it in again`;
}

const INSTALL_FAULTS: Readonly<Record<string, string>> = {
  INSTALL_FAILED_UPDATE_INCOMPATIBLE:
    'the phone has the app with another signature: uninstall it on the phone, which forgets its settings, and run this command again',
  INSTALL_FAILED_VERSION_DOWNGRADE:
    'the phone has a newer version of the app: run this command without --apk to use it, or uninstall it on the phone first',
  INSTALL_FAILED_INSUFFICIENT_STORAGE:
    'the phone has no room for the app: delete something on it and run this command again',
  INSTALL_FAILED_USER_RESTRICTED:
    'the phone refuses apps over USB: switch on Developer options → Install via USB, confirm the installation on its screen, and run this command again',
  INSTALL_FAILED_ABORTED:
    'the installation was refused on the phone: run this command again and confirm it there',
  INSTALL_FAILED_VERIFICATION_FAILURE:
    'Play Protect refused the app: switch off Developer options → Verify apps over USB, and run this command again',
  INSTALL_FAILED_OLDER_SDK: 'the Android of the phone is too old for the app, which needs Android 5 or newer',
};

/** @param text what `adb install` printed. */
export function installFault(file: string, text: string): string {
  const code = /\b(INSTALL_[A-Z_]+)/.exec(text)?.[1];
  const known = code === undefined ? undefined : INSTALL_FAULTS[code];
  if (known !== undefined) return `${known} (${code})`;
  if (code?.startsWith('INSTALL_PARSE_FAILED') === true || code === 'INSTALL_FAILED_INVALID_APK')
    return `${file} is not a whole APK: download it again (${code})`;
  return `the phone did not install ${file}: ${lastLine(text)}`;
}

/** The line that says what failed. */
export function lastLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').at(-1) ?? 'adb gives no reason';
}
