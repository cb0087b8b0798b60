import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DummyModem } from 'messaging-gateway-phone/dummy-modem';
import { installGammu } from '../../tools/install-gammu';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { PackedPhone } from '../support/packed-phone';
import type { RunningProgram } from '../support/running-program';
import { TestService } from '../support/service';

/** The whole figures: MODEM_MESSAGES=500 MODEM_RECEIVED=50. */
const MESSAGES = Number(process.env.MODEM_MESSAGES ?? 40);
const RECEIVED = Number(process.env.MODEM_RECEIVED ?? 8);
/** gammu-smsd sends about one a second. */
const WITHIN_MS = 120_000 + MESSAGES * 3_000;

interface MessageJson {
  readonly _id: string;
  readonly status: string;
  readonly recipient: string;
}

/** The package as it is installed, a real gammu-smsd with gammu's dummy driver, and the service. */
describe('the package messaging-gateway-phone with a modem', () => {
  let service: TestService;
  let packed: PackedPhone;
  let client: TestClient;
  let modem: DummyModem;
  let running: RunningProgram | undefined;
  let folders = 0;

  beforeAll(async () => {
    await installGammu();
    [service, packed] = await Promise.all([TestService.start(), PackedPhone.install()]);
  });
  beforeEach(async () => {
    client = await service.newAccount();
    modem = new DummyModem();
    await modem.start();
  });
  afterEach(async () => {
    await running?.stop('SIGKILL');
    running = undefined;
    await modem.remove();
  });
  afterAll(async () => {
    await service.stop();
    packed.remove();
  });

  async function newCode(): Promise<string> {
    const person = await service.signIn(client);
    const answer = await person.post('/auth/pairing-codes', {});
    expect(answer.status).toBe(201);
    return (answer.body as { data: { code: string } }).data.code;
  }
  function newFolder(): string {
    folders += 1;
    const folder = join(packed.folder, `phone-${folders}`);
    mkdirSync(folder);
    return folder;
  }
  const pair = (code: string, dir: string, ...more: string[]) =>
    packed.call('pair', code, '--url', `${service.url}/sms`, '--smsdrc', modem.file, '--dir', dir, ...more);
  const device = async (): Promise<{ _id: string; connection: string; model: string }> => {
    const answer = await client.get('/gateway/devices');
    const [found] = (answer.body as { data: { _id: string; connection: string; model: string }[] }).data;
    if (found === undefined) throw new Error('there is no device');
    return found;
  };
  const messagesOf = async (id: string, type: 'sent' | 'received'): Promise<MessageJson[]> => {
    const found: MessageJson[] = [];
    for (let page = 1; ; page += 1) {
      const answer = await client.get(`/gateway/devices/${id}/messages?type=${type}&limit=100&page=${page}`);
      const { data } = answer.body as { data: MessageJson[] };
      found.push(...data);
      if (data.length < 100) return found;
    }
  };

  it('is paired by a code, runs, sends, receives and says how it is', async () => {
    const dir = newFolder();
    const unpaired = await packed.call('run', '--dir', dir);
    expect(unpaired).toMatchObject({
      code: 1,
      error: expect.stringContaining('no phone is paired') as string,
    });
    const wrong = await pair('0000000000', dir);
    expect(wrong).toMatchObject({ code: 1, error: expect.stringContaining('the code is wrong') as string });
    const code = await newCode();
    const paired = await pair(code.replace(/(\d{4})/, '$1 '), dir, '--name', 'Stick');
    expect(paired).toMatchObject({ code: 0, error: '' });
    expect(paired.output).toContain(`Paired with ${service.url} as "Stick"`);
    expect(statSync(join(dir, 'phone.json')).mode & 0o777).toBe(0o600);
    const twice = await pair(await newCode(), dir);
    expect(twice).toMatchObject({ code: 1, error: expect.stringContaining('--force') as string });

    const idle = await packed.call('status', '--dir', dir);
    expect(idle.code).toBe(1);
    expect(idle.output).toMatch(/PROBLEM process {2}does not run/);
    running = packed.run(dir);
    await running.waitForOutput(/connected, waiting for messages/);
    const well = await packed.call('status', '--dir', dir);
    expect(well.output).toMatch(/^(ok .*\n){5}$/);
    expect(well.code).toBe(0);
    const second = await packed.call('run', '--dir', dir);
    expect(second).toMatchObject({
      code: 1,
      error: expect.stringContaining('another process runs') as string,
    });

    const { _id, model } = await device();
    expect(model).toMatch(/^Gammu/);
    const batch = await client.send(['+447700900123'], { deviceId: _id });
    const untilStatus = (status: string) =>
      eventually(
        () => client.batch(_id, batch),
        ({ messages }) => messages.every((message) => message.status === status),
      );
    await untilStatus('sent');
    modem.report('+447700900123', 'Delivered');
    await untilStatus('delivered');
    modem.receive('+447700900456', 'Long answer 👍 '.repeat(12));
    const received = await eventually(
      () => messagesOf(_id, 'received'),
      ({ length }) => length > 0,
    );
    expect(received).toMatchObject([{ sender: '+447700900456', message: 'Long answer 👍 '.repeat(12) }]);

    const unit = await packed.call('install', '--dir', dir, '--user', 'sms');
    expect(unit.output).toContain(`run --dir ${dir}\nUser=sms\n`);
    expect(unit.output).toContain(`ReadWritePaths=${dir} ${modem.folder}`);
    await running.stop();
  });

  it(
    'sends each message once and uploads each text once, whoever is killed',
    async () => {
      const dir = newFolder();
      expect(await pair(await newCode(), dir, '--send-delay', '0')).toMatchObject({ code: 0 });
      running = packed.run(dir);
      await running.waitForOutput(/connected, waiting for messages/);
      const { _id } = await device();
      const recipients = Array.from({ length: MESSAGES }, (_, index) => `+4477009${10_000 + index}`);
      await client.send(recipients, { deviceId: _id });
      const sent = () => Number(modem.query('SELECT count(DISTINCT CreatorID) AS n FROM sentitems')[0]?.n);
      for (let kill = 1; kill <= 3; kill += 1) {
        const share = kill / 4;
        for (let index = 0; index < RECEIVED / 4; index += 1)
          modem.receive(`+44770080${kill}${100 + index}`, `Answer ${kill}.${index}`);
        await eventually(sent, (count) => count >= MESSAGES * share, WITHIN_MS);
        if (kill === 2) {
          await modem.kill();
          await modem.start();
        } else {
          await running.stop('SIGKILL');
          running = packed.run(dir);
        }
      }
      for (let index = 0; index < RECEIVED - 3 * Math.ceil(RECEIVED / 4); index += 1)
        modem.receive(`+447700809${100 + index}`, `Last answer ${index}`);
      const isSent = ({ status }: MessageJson) => status === 'sent';
      const isHandedOver = ({ status }: MessageJson) => status === 'dispatched';
      // One message can be in doubt: that which gammu-smsd was sending when it was killed.
      const messages = await eventually(
        () => messagesOf(_id, 'sent'),
        (all) =>
          all.filter(isSent).length >= MESSAGES - 1 &&
          all.every((each) => isSent(each) || isHandedOver(each)),
        WITHIN_MS,
      );
      expect(messages).toHaveLength(MESSAGES);
      const open = messages.filter(isHandedOver);
      await eventually(
        () => modem.query('SELECT * FROM outbox'),
        (rows) => rows.length === 0,
      );
      const rows = modem.query('SELECT DestinationNumber FROM sentitems').map((row) => row.DestinationNumber);
      expect(new Set(rows).size).toBe(rows.length);
      // What the modem was given, with that which was cut off in between.
      expect(modem.transmissions - rows.length).toBeLessThanOrEqual(open.length);
      const received = await eventually(
        () => messagesOf(_id, 'received'),
        ({ length }) => length >= RECEIVED,
      );
      expect(received).toHaveLength(RECEIVED);
    },
    4 * WITHIN_MS,
  );
});
