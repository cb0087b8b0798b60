import { connectionFault, installFault } from './phone-usb-error';

describe('what phone:usb says of adb', () => {
  it.each([
    [
      1,
      "adb: device '1A2B3C4D' not found",
      /^the connection to the phone 1A2B3C4D was lost: check the cable/,
    ],
    [1, "adb: error: failed to get feature set: device '1A2B3C4D' not found", /was lost/],
    [1, 'adb: no devices/emulators found', /was lost/],
    [1, 'adb: device offline', /was lost/],
    [1, 'error: closed', /was lost/],
    [
      1,
      "adb: device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set",
      /confirm "Allow USB debugging\?"/,
    ],
    [
      1,
      '* failed to start daemon\nerror: cannot connect to daemon',
      /run "adb kill-server", then "adb start-server"/,
    ],
    [undefined, '', /^the phone 1A2B3C4D does not answer: unlock it/],
    [255, 'java.lang.SecurityException: Package not found', undefined],
    [0, 'device offline', undefined],
  ])('%s %j', (code, text, sentence) => {
    const fault = connectionFault({ code, text }, '1A2B3C4D');
    if (sentence === undefined) expect(fault).toBeUndefined();
    else expect(fault).toMatch(sentence);
  });

  it.each([
    [
      'INSTALL_FAILED_UPDATE_INCOMPATIBLE: Package me.capcom.smsgateway signatures do not match',
      /uninstall it on the phone/,
    ],
    ['INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected', /newer version .*without --apk/],
    ['INSTALL_FAILED_INSUFFICIENT_STORAGE', /no room/],
    ['INSTALL_FAILED_USER_RESTRICTED: Install canceled by user', /Install via USB/],
    ['INSTALL_FAILED_ABORTED: User rejected permissions', /confirm it there/],
    ['INSTALL_FAILED_VERIFICATION_FAILURE', /Verify apps over USB/],
    ['INSTALL_FAILED_OLDER_SDK: Failed parse during installPackageLI', /Android 5 or newer/],
    ['INSTALL_PARSE_FAILED_NOT_APK: Failed to parse', /^app\.apk is not a whole APK: download it again/],
    ['INSTALL_FAILED_INVALID_APK', /download it again/],
    [
      'INSTALL_FAILED_SOMETHING_NEW: reason',
      /did not install app\.apk: .*INSTALL_FAILED_SOMETHING_NEW: reason/,
    ],
  ])('%s', (reason, sentence) => {
    const fault = installFault(
      'app.apk',
      `Performing Streamed Install\nadb: failed to install app.apk: Failure [${reason}]`,
    );
    expect(fault).toMatch(sentence);
    expect(fault).toContain(/INSTALL_\w+/.exec(reason)?.[0]);
    expect(fault).not.toContain('\n');
  });

  it('says that adb gives no reason', () => {
    expect(installFault('app.apk', '')).toBe('the phone did not install app.apk: adb gives no reason');
  });
});
