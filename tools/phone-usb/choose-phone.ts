import { PhoneUsbError, unauthorized } from './phone-usb-error';

export interface ConnectedPhone {
  readonly serial: string;
  /** As adb names it: `device` for one that can be used. */
  readonly state: string;
  readonly model: string | undefined;
}

const HEADING = 'List of devices attached';
const LINE = /^(\(no serial number\)|\S+)\s+(no permissions|\S+)(.*)$/;

/** @param text the output of `adb devices -l`. */
export function readPhones(text: string): ConnectedPhone[] {
  const lines = text.split(/\r?\n/);
  return lines.slice(lines.indexOf(HEADING) + 1).flatMap((line) => {
    const [, serial, state, rest = ''] = LINE.exec(line) ?? [];
    if (serial === undefined || state === undefined || serial === '*') return [];
    return [{ serial, state, model: /\bmodel:(\S+)/.exec(rest)?.[1]?.replaceAll('_', ' ') }];
  });
}

/**
 * The phone to set up: the one with the serial, else the only one that can be used.
 * @throws PhoneUsbError
 */
export function choosePhone(phones: readonly ConnectedPhone[], serial?: string): ConnectedPhone {
  if (serial !== undefined) {
    const named = phones.find((phone) => phone.serial === serial);
    if (!named) throw new PhoneUsbError(`no phone has the serial ${serial}: ${whatIsConnected(phones)}`);
    return usable(named);
  }
  const [first, ...others] = phones.filter(({ state }) => state === 'device');
  if (first && others.length > 0)
    throw new PhoneUsbError(
      `several phones are connected, choose one with --serial: ${[first, ...others].map(nameOf).join(', ')}`,
    );
  const phone = first ?? phones[0];
  if (!phone)
    throw new PhoneUsbError(
      'no phone is connected: use a cable that carries data, and switch on Settings → Developer options → USB debugging ' +
        '(the developer options appear after seven taps on Settings → About phone → Build number)',
    );
  return usable(phone);
}

function usable(phone: ConnectedPhone): ConnectedPhone {
  const name = `the phone ${nameOf(phone)}`;
  switch (phone.state) {
    case 'device':
      return phone;
    case 'unauthorized':
    case 'authorizing':
      throw new PhoneUsbError(unauthorized(name));
    case 'no permissions':
      throw new PhoneUsbError(
        `this computer may not open ${name}: on Debian and Ubuntu run "sudo apt-get install ` +
          'android-sdk-platform-tools-common" and "adb kill-server", and plug the phone in again',
      );
    case 'offline':
    case 'connecting':
      throw new PhoneUsbError(
        `${name} does not answer: unlock it, unplug it and plug it in again; if that does not help, run "adb kill-server"`,
      );
    default:
      throw new PhoneUsbError(
        `${name} is in the mode "${phone.state}": restart it, and run this command again`,
      );
  }
}

const nameOf = ({ serial, model }: ConnectedPhone): string =>
  model === undefined ? serial : `${serial} (${model})`;

const whatIsConnected = (phones: readonly ConnectedPhone[]): string =>
  phones.length === 0 ? 'none is connected' : `connected are ${phones.map(nameOf).join(', ')}`;
