import { join } from 'node:path';
import { AdbPhone, GALAXY, PIXEL, STAND_IN_ADB } from '../../test/support/stand-in-adb/adb-phone';
import { eventually } from '../../test/support/eventually';
import { Adb, findAdb } from './adb';
import { keepReversed } from './keep-reversed';
import { preparePhone } from './prepare-phone';

const SERIAL = '1A2B3C4D';
const SMS = ['SEND_SMS', 'RECEIVE_SMS', 'READ_SMS', 'READ_PHONE_STATE'];

describe('phone:usb with the stand-in for adb', () => {
  let phone: AdbPhone;
  let done: string[];
  let byHand: string[];

  beforeEach(() => {
    phone = new AdbPhone([PIXEL, GALAXY]);
    process.env.STAND_IN_ADB = phone.folder;
    [done, byHand] = [[], []];
  });

  afterEach(() => {
    delete process.env.STAND_IN_ADB;
    phone.remove();
  });

  const adb = new Adb(join(STAND_IN_ADB, 'adb'), SERIAL);
  const prepare = async (apk?: string) => {
    byHand = await preparePhone(adb, { apk, port: 3000 }, (step) => done.push(step));
  };

  it('finds adb on the PATH or in an Android SDK, or says how to get it', () => {
    expect(findAdb({ PATH: STAND_IN_ADB })).toBe(join(STAND_IN_ADB, 'adb'));
    expect(() => findAdb({ PATH: '/nowhere', HOME: '/nowhere' })).toThrow(
      /^adb is missing, .*apt-get install adb/,
    );
  });

  it('installs, grants, exempts, connects the port and opens the app', async () => {
    await prepare(phone.apk('1.68.0'));
    expect(phone.version).toBe('1.68.0');
    expect(phone.granted).toEqual([...SMS, 'POST_NOTIFICATIONS']);
    expect(phone.isExempt).toBe(true);
    expect(phone.reversed).toEqual(['tcp:3000 tcp:3000']);
    expect(phone.calls.at(-1)).toBe('shell am start -n me.capcom.smsgateway/.MainActivity');
    expect(byHand).toEqual([]);
    expect(done).toEqual([
      'The app is installed, version 1.68.0',
      'The app may send and receive SMS',
      'Android does not put the app to sleep',
      'Port 3000 of the phone leads to this computer',
      'The app is open',
    ]);
  });

  it('uses the app that is there, and can be repeated', async () => {
    phone.install('1.53.0');
    await prepare();
    await prepare();
    expect(byHand).toEqual([]);
    expect(phone.calls.join()).not.toContain('install');
  });

  it('knows that Android 5 has granted everything and optimises nothing', async () => {
    phone.install('1.68.0');
    phone.set('before-android-6');
    await prepare();
    expect(byHand).toEqual([]);
  });

  it.each(['grants-denied', 'grants-ignored'] as const)(
    '%s: goes on, and says what to tap',
    async (fault) => {
      phone.install('1.68.0');
      phone.set(fault);
      await prepare();
      expect(byHand).toEqual([
        expect.stringMatching(
          /^Allow the app SMS and Phone \(Android refused SEND_SMS, .*Allow restricted settings/,
        ),
      ]);
      expect(done).toContain('The app is open');
    },
  );

  it('goes on if the battery stays optimised or the app does not open', async () => {
    phone.install('1.68.0');
    phone.set('stays-optimised');
    phone.refuseAt('shell am start', 'Error: Activity class does not exist.');
    await prepare();
    expect(byHand).toEqual([
      expect.stringMatching(/battery optimisation: Settings → Apps → SMSGate → Battery → Unrestricted/),
      'Open the app SMSGate',
    ]);
  });

  it.each([
    [
      'without the app',
      () => undefined,
      undefined,
      /^the phone does not have the app: download .* --apk app-release\.apk$/,
    ],
    [
      'with an old app',
      () => {
        phone.install('1.52.0');
      },
      undefined,
      /^the app on the phone is version 1\.52\.0, and 1\.53\.0 or newer is needed: download/,
    ],
    [
      'without the file',
      () => undefined,
      '/nowhere/app.apk',
      /^there is no file \/nowhere\/app\.apk: download/,
    ],
    [
      'with a newer app',
      () => {
        phone.refuseAt(
          'install',
          'adb: failed to install app.apk: Failure [INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected]',
        );
      },
      'apk',
      /^the phone has a newer version of the app: .*\(INSTALL_FAILED_VERSION_DOWNGRADE\)$/,
    ],
    [
      'with a port in use',
      () => {
        phone.install('1.68.0');
        phone.refuseAt('reverse tcp:3000', 'adb: error: cannot bind listener: Address already in use');
      },
      undefined,
      /^the phone cannot connect its port 3000 .*\(adb: error: cannot bind listener: Address already in use\)$/,
    ],
  ])('%s it ends and says what to do', async (_what, arrange, apk, sentence) => {
    arrange();
    await expect(prepare(apk === 'apk' ? phone.apk('1.68.0') : apk)).rejects.toThrow(sentence);
    expect(phone.reversed).toEqual([]);
  });

  it.each(['install', 'shell pm grant', 'reverse'])(
    'pulled out at %s it ends and says what to do',
    async (call) => {
      phone.unplugAt(call);
      await expect(prepare(phone.apk('1.68.0'))).rejects.toThrow(
        /^the connection to the phone 1A2B3C4D was lost: .*repeat/,
      );
    },
  );

  it('says that adb cannot start', async () => {
    phone.set('no-daemon');
    await expect(new Adb(join(STAND_IN_ADB, 'adb')).run(['devices', '-l'])).rejects.toThrow(
      /adb start-server/,
    );
  });

  it('says that the phone does not answer in time', async () => {
    await expect(new Adb('/bin/sleep').run(['60'], 50)).rejects.toThrow(/does not answer: unlock it/);
  });

  it('connects the port again after each reconnection', async () => {
    phone.install('1.68.0');
    await prepare();
    const stop = new AbortController();
    const lines: string[] = [];
    const watching = keepReversed(adb, {
      port: 3000,
      everyMs: 10,
      signal: stop.signal,
      log: (line) => lines.push(line),
    });
    for (const times of [1, 2]) {
      phone.unplug();
      await eventually(
        () => lines.length,
        (count) => count === 2 * times - 1,
      );
      phone.connect([PIXEL]);
      await eventually(
        () => lines.length,
        (count) => count === 2 * times,
      );
      expect(phone.reversed).toEqual(['tcp:3000 tcp:3000']);
    }
    stop.abort();
    await watching;
    expect(lines.slice(0, 2)).toEqual([
      expect.stringMatching(/^The phone is gone: plug it in again/),
      'The phone is back, and its port 3000 leads to this computer',
    ]);
  });
});
