import { isTooOld, readInstalledApp } from './installed-app';

const PACKAGE = `Packages:
  Package [me.capcom.smsgateway] (1f2e3d4):
    versionCode=200 minSdk=21 targetSdk=33
    versionName=1.68.0
    requested permissions:
      android.permission.SEND_SMS
      android.permission.READ_SMS
`;

describe('the app on the phone', () => {
  it('is read with its version and its permissions', () => {
    const text = `${PACKAGE}
      runtime permissions:
        android.permission.SEND_SMS: granted=true, flags=[ USER_SET]
        android.permission.READ_SMS: granted=false`;
    expect(readInstalledApp(text)).toEqual({ version: '1.68.0', granted: ['SEND_SMS'] });
  });

  it('has what it requests before Android 6', () => {
    expect(readInstalledApp(PACKAGE)?.granted).toEqual(['SEND_SMS', 'READ_SMS']);
  });

  it('is absent, or does not tell its version', () => {
    expect(readInstalledApp('Unable to find package: me.capcom.smsgateway')).toBeUndefined();
    expect(readInstalledApp('  Package [me.capcom.smsgateway] (1f2e3d4):\n')?.version).toBeUndefined();
  });

  it.each([
    ['1.52.9', true],
    ['0.99.0', true],
    ['1.53.0', false],
    ['1.68.0', false],
    ['2.0.0', false],
    ['1.100', false],
    ['NaN', false],
  ])('%s is too old: %s', (version, expected) => {
    expect(isTooOld(version)).toBe(expected);
  });
});
