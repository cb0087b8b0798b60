import { choosePhone, readPhones } from './choose-phone';

const HEADING = 'List of devices attached\n';
const PIXEL =
  '1A2B3C4D               device usb:1-1 product:oriole model:Pixel_6 device:oriole transport_id:1\n';
const GALAXY = 'R58M123ABC             device 2-1 product:a12 model:SM_A125F device:a12 transport_id:2\n';
const NO_RULES =
  '1A2B3C4D               no permissions (user in plugdev group; are your udev rules wrong?); see [http://developer.android.com/tools/device.html] usb:1-1 transport_id:1\n';

const choose = (lines: string, serial?: string) => choosePhone(readPhones(HEADING + lines), serial).serial;

describe('the phone that phone:usb sets up', () => {
  it('reads the list of adb, also while its daemon starts', () => {
    const text =
      '* daemon not running; starting now at tcp:5037\n* daemon started successfully\n' +
      `${HEADING}${PIXEL}192.168.1.20:5555      offline transport_id:4\n${NO_RULES}(no serial number)     unauthorized usb:1-3\n\n`;
    expect(readPhones(text.replaceAll('\n', '\r\n'))).toEqual([
      { serial: '1A2B3C4D', state: 'device', model: 'Pixel 6' },
      { serial: '192.168.1.20:5555', state: 'offline', model: undefined },
      { serial: '1A2B3C4D', state: 'no permissions', model: undefined },
      { serial: '(no serial number)', state: 'unauthorized', model: undefined },
    ]);
    expect(readPhones(`${HEADING}\n`)).toEqual([]);
  });

  it.each([
    ['the only one', PIXEL, undefined],
    ['the only one that can be used', `R58M123ABC\tunauthorized\n${PIXEL}`, undefined],
    ['the one with the serial', GALAXY + PIXEL, '1A2B3C4D'],
  ])('is %s', (_what, lines, serial) => {
    expect(choose(lines, serial)).toBe('1A2B3C4D');
  });

  it.each([
    [
      'none',
      '',
      undefined,
      /^no phone is connected: use a cable that carries data, and switch on .*USB debugging/,
    ],
    [
      'one that does not trust the computer',
      'X1\tunauthorized\n',
      undefined,
      /^the phone X1 .*confirm "Allow USB debugging\?"/,
    ],
    ['one that is asked', 'X1\tauthorizing\n', undefined, /^the phone X1 .*confirm "Allow USB debugging\?"/],
    ['one that is offline', 'X1\toffline\n', undefined, /^the phone X1 does not answer: .*plug it in again/],
    [
      'one without rules for USB',
      NO_RULES,
      undefined,
      /^this computer may not open the phone 1A2B3C4D: .*apt-get install/,
    ],
    [
      'one that is not started',
      'X1\tfastbootd\n',
      undefined,
      /^the phone X1 is in the mode "fastbootd": restart it/,
    ],
    ['several', PIXEL + GALAXY, undefined, /--serial: 1A2B3C4D \(Pixel 6\), R58M123ABC \(SM A125F\)$/],
    ['another serial', PIXEL, 'X9', /^no phone has the serial X9: connected are 1A2B3C4D \(Pixel 6\)$/],
    ['a serial without phones', '', 'X9', /^no phone has the serial X9: none is connected$/],
    ['a serial that cannot be used', `X1\tunauthorized\n${PIXEL}`, 'X1', /^the phone X1 does not trust/],
  ])('with %s: what to do', (_what, lines, serial, sentence) => {
    expect(() => choose(lines, serial)).toThrow(sentence);
  });
});
