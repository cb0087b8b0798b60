import { Types } from 'mongoose';
import { DevicesService } from '../../src/devices/devices.service';
import { PhoneStreamService } from '../../src/phones/streams/phone-stream.service';
import { MessagesRepository } from '../../src/messages/messages.repository';
import type { DeviceStream } from '../../src/push/stream/device-stream';
import { StreamHub } from '../../src/push/stream/stream-hub';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { pauseNextCall } from '../support/pause-next-call';
import { RawConnection } from '../support/raw-connection';
import { RawStream } from '../support/raw-stream';
import { TestService } from '../support/service';

const BACKLOG = 500;
const MAX_BUFFERED_BYTES = 1024 * 1024;
const ENCRYPTED = { message: '', encrypted: true, encryptedMessage: 'x'.repeat(2_800) };

describe('streams of phones with a large backlog', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;
  const open: RawStream[] = [];

  // No worker runs.
  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
    service.stopTimers();
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
    jest.restoreAllMocks();
  });
  afterAll(() => service.stop());

  async function openStream(id = device): Promise<RawStream> {
    const stream = await RawStream.open(client, id);
    open.push(stream);
    return stream;
  }

  /** Stores messages that were pushed while the phone was offline. */
  async function storeBacklog(fields: object): Promise<Set<string>> {
    const recipients = Array.from({ length: BACKLOG }, (_, index) => `+4915${10_000_000 + index}`);
    const batch = new Types.ObjectId(await client.send(recipients, { deviceId: device }));
    const redeliverUntil = new Date(service.clock.now().getTime() + 3_600_000);
    const messages = service.collection('messages');
    await messages.updateMany(
      { smsBatch: batch },
      { $set: { ...fields, status: 'dispatched', redeliverUntil }, $unset: { nextDispatchAt: 1 } },
    );
    return new Set((await messages.distinct('_id', { smsBatch: batch })).map(String));
  }

  const redeliver = () => service.get(PhoneStreamService).redeliver();
  const countConnections = () =>
    new Promise<number>((resolve) => {
      service.app.getHttpServer().getConnections((_: unknown, count: number) => {
        resolve(count);
      });
    });
  const streamsOf = (id = device): DeviceStream[] =>
    service
      .get(StreamHub)
      .listOpen()
      .filter(({ deviceId }) => deviceId.equals(id));

  it('send all of it, once', async () => {
    const backlog = await storeBacklog(ENCRYPTED);
    const stream = await openStream();
    await eventually(
      () => [stream.receivedIds.length, stream.isOpen],
      ([length, isOpen]) => length === BACKLOG || !isOpen,
    );
    expect(stream.isOpen).toBe(true);
    expect(new Set(stream.receivedIds)).toEqual(backlog);
  });

  it('send all of it to a phone that reads slowly', async () => {
    const backlog = await storeBacklog(ENCRYPTED);
    const stream = await openStream();
    const slowDown = () => {
      stream.pause();
      setTimeout(() => {
        stream.resume();
      }, 20);
    };
    stream.answer.on('data', slowDown);
    await eventually(
      () => [stream.receivedIds.length, stream.isOpen],
      ([length, isOpen]) => length === BACKLOG || !isOpen,
    );
    expect(stream.isOpen).toBe(true);
    expect(new Set(stream.receivedIds)).toEqual(backlog);
  });

  describe('and that do not read', () => {
    let backlog: Set<string>;
    let stream: RawStream;
    let held: DeviceStream;

    /** The sockets buffer some megabytes before the service does. */
    beforeEach(async () => {
      backlog = await storeBacklog({ message: '\u{1F600}'.repeat(1_600) });
      stream = await openStream();
      stream.pause();
      const [found] = await eventually(
        () => streamsOf(),
        ({ length }) => length === 1,
      );
      if (!found) throw new Error('The stream is not open');
      held = found;
      let since = performance.now();
      await eventually(
        () => {
          void redeliver();
          if (found.bufferedBytes === 0) since = performance.now();
          return performance.now() - since;
        },
        (bufferedMs) => bufferedMs > 1_000,
      );
    });

    it('stay connected, and hold less than a megabyte', async () => {
      for (let minute = 0; minute < 5; minute += 1) void redeliver();
      await service.get(PhoneStreamService).keepAlive();
      expect(held.bufferedBytes).toBeLessThan(MAX_BUFFERED_BYTES);
      expect(stream.isOpen).toBe(true);
      stream.resume();
      await eventually(
        () => new Set(stream.receivedIds).size,
        (size) => size === BACKLOG,
      );
      expect(new Set(stream.receivedIds)).toEqual(backlog);
    });

    it('are removed when their access ends', async () => {
      await service
        .collection('apikeys')
        .updateMany({ user: client.user }, { $set: { revokedAt: new Date() } });
      await service.get(PhoneStreamService).keepAlive();
      await eventually(
        () => streamsOf(),
        ({ length }) => length === 0,
      );
    });
  });

  it('are not added if the phone has disconnected before', async () => {
    const lookup = pauseNextCall(service, DevicesService, 'getStored');
    const phone = new RawConnection(service.url);
    const path = `/api/v1/gateway/devices/${device}/stream`;
    phone.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${client.apiKey}\r\n\r\n`);
    await lookup.reached;
    phone.close();
    await eventually(countConnections, (count) => count === 0);
    const add = jest.spyOn(service.get(StreamHub), 'add');
    lookup.release(false);
    await eventually(
      () => add.mock.results,
      ({ length }) => length === 1,
    );
    await add.mock.results[0]?.value;
    expect(streamsOf()).toEqual([]);
  });

  it('are redelivered to at the same time, each by one run', async () => {
    const devices = [device, await client.newDevice(), await client.newDevice()];
    for (const id of devices) await openStream(id);
    await eventually(
      () => devices.flatMap(streamsOf),
      ({ length }) => length === devices.length,
    );
    await redeliver(); // after those of the connections
    const messages = service.get(MessagesRepository);
    const list = messages.listRedeliverable.bind(messages);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const calls = jest.spyOn(messages, 'listRedeliverable').mockImplementation(async (...args) => {
      await released;
      return list(...args);
    });
    const runs = Promise.all([redeliver(), redeliver()]);
    await eventually(
      () => new Set(calls.mock.calls.map(([, id]) => id.toHexString())),
      ({ size }) => size === devices.length,
    );
    release();
    await runs;
    expect(calls).toHaveBeenCalledTimes(devices.length);
  });
});
