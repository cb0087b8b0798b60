import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { JsonClient, RequestError } from '../json-client';
import { dataIn, isRecord } from '../wire';
import { openDriver } from './open-driver';
import { numberIn } from './number-in';
import { folderFrom, PhoneFolder, type StoredRadio } from './phone-folder';

export const PAIR_USAGE = `messaging-gateway-phone pair CODE --url URL [options]

  CODE                    the ten digits of "Pair a phone" in the dashboard
  --url URL               the address of the service (default: $MGW_URL)
  --name NAME             the label of the phone (default: its radio and this computer)
  --dir DIR               the folder of this phone: its key and its ledger (default: $MGW_PHONE_DIR, else
                          /var/lib/messaging-gateway-phone for root, ~/.local/state/messaging-gateway-phone for others)
  --force                 replace the phone that is paired in this folder
  --send-delay SECONDS    between two messages (default: 5 for a modem)
  --radio modem|smsgate-local|virtual  (default: modem)
  --smsdrc FILE           modem: the configuration of its gammu-smsd (default: /etc/gammu-smsdrc)
  --phone-url URL         smsgate-local: the address below "Local server" in the app, such as http://192.168.1.20:8080
  --user USER             smsgate-local: the user below it (default: sms)
  --password PASSWORD     smsgate-local: the password below it (default: $SMSGATE_PASSWORD, which keeps it out of the process list)
`;

/** @throws Error for invalid arguments, or if the service refuses the code. */
export async function pair(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      name: { type: 'string' },
      'send-delay': { type: 'string' },
      dir: { type: 'string' },
      force: { type: 'boolean', default: false },
      radio: { type: 'string', default: 'modem' },
      smsdrc: { type: 'string', default: '/etc/gammu-smsdrc' },
      'phone-url': { type: 'string' },
      user: { type: 'string', default: 'sms' },
      password: { type: 'string' },
    },
  });
  const code = positionals.join('').replace(/[\s-]/g, '');
  if (!/^\d{10}$/.test(code))
    throw new Error('the code must have ten digits: "Pair a phone" in the dashboard shows one');
  const url = values.url ?? environment.MGW_URL;
  if (url === undefined || url === '')
    throw new Error('--url is missing, e.g. --url http://192.168.1.10:3000');
  const radio = radioFrom(values, environment);
  const folder = new PhoneFolder(folderFrom(values.dir, environment));
  if (!values.force && folder.read() !== undefined)
    throw new Error(
      `a phone is paired in ${folder.path}: choose another folder with --dir, or replace it with --force`,
    );
  folder.prepare();
  const sendDelaySeconds = numberIn('--send-delay', values['send-delay'], 0, 3_600);
  const name = values.name ?? `${NAMES[radio.kind]} of ${hostname()}`;
  const pairedAt = Date.now();
  const { baseUrl, apiKey } = await redeem(addressesOf(url), code, name);
  folder.forgetMessages();
  const serial = `${radio.kind}-${randomUUID()}`;
  folder.write({ url: baseUrl, apiKey, serial, name, pairedAt, sendDelaySeconds, radio });
  console.log(`Paired with ${baseUrl} as "${name}". The key is in ${folder.path}.`);
  await printRadio(radio, folder, pairedAt);
  console.log(
    'Next: "messaging-gateway-phone run", or "messaging-gateway-phone install" for a systemd unit.',
  );
}

const NAMES = { modem: 'Modem', 'smsgate-local': 'Phone in the network', virtual: 'Virtual phone' } as const;

interface RadioValues {
  readonly radio: string;
  readonly smsdrc: string;
  readonly 'phone-url'?: string;
  readonly user: string;
  readonly password?: string;
}

function radioFrom(values: RadioValues, environment: NodeJS.ProcessEnv): StoredRadio {
  switch (values.radio) {
    case 'virtual':
      return { kind: 'virtual' };
    case 'modem':
      return { kind: 'modem', smsdrc: resolve(values.smsdrc) };
    case 'smsgate-local': {
      const url = values['phone-url'];
      const password = values.password ?? environment.SMSGATE_PASSWORD;
      if (url === undefined)
        throw new Error('--phone-url is missing, e.g. --phone-url http://192.168.1.20:8080');
      if (!/^http:\/\/[^/]+\/?$/.test(url))
        throw new Error('--phone-url must be like http://192.168.1.20:8080');
      if (password === undefined || password === '')
        throw new Error('the password of the app is missing: set SMSGATE_PASSWORD or give --password');
      return { kind: 'smsgate-local', url, user: values.user, password };
    }
    default:
      throw new Error('--radio must be modem, smsgate-local or virtual');
  }
}

/** The dashboard shows the address for the app, which ends with a path of its own: the service is above it. */
function addressesOf(url: string): readonly string[] {
  const above = url.replace(/\/+$/, '').replace(/^(https?:\/\/[^/]+.*)\/[^/]+$/, '$1');
  return above === url ? [url] : [url, above];
}

async function redeem(
  addresses: readonly string[],
  code: string,
  name: string,
): Promise<{ readonly baseUrl: string; readonly apiKey: string }> {
  const [baseUrl = '', ...others] = addresses;
  const client = new JsonClient({ baseUrl });
  try {
    const data = dataIn(await client.call('POST', 'auth/pairing-codes/redemptions', { code, name }));
    if (!isRecord(data) || typeof data.apiKey !== 'string')
      throw new Error(`${baseUrl} answers without a key: is this the service?`);
    return { baseUrl, apiKey: data.apiKey };
  } catch (error) {
    const status = error instanceof RequestError ? error.status : undefined;
    if (status === 404 && others.length > 0) return await redeem(others, code, name);
    const sentence = SENTENCES.get(status ?? 0);
    throw sentence === undefined ? error : new Error(sentence, { cause: error });
  } finally {
    client.close();
  }
}

const SENTENCES: ReadonlyMap<number, string> = new Map([
  [401, 'the code is wrong, used or older than ten minutes: get a new one'],
  [404, 'there is no service at --url that knows pairing codes'],
  [429, 'too many wrong codes from this address: wait some minutes'],
]);

/** The phone is paired all the same: the radio may come later. */
async function printRadio(radio: StoredRadio, folder: PhoneFolder, pairedAt: number): Promise<void> {
  if (radio.kind === 'virtual') return;
  const driver = openDriver(radio, folder, pairedAt);
  try {
    const { manufacturer, model } = await driver.check();
    console.log(`The radio works: ${manufacturer} ${model}.`);
  } catch (error) {
    console.log(`The radio does not work yet. ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    driver.close();
  }
}
