import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { Types } from 'mongoose';
import { DevicesService } from '../../src/devices/devices.service';
import { PhoneStreamService } from '../../src/phones/streams/phone-stream.service';
import { StreamRedelivery } from '../../src/phones/streams/stream-redelivery.service';
import { WaitingMessagesRepository } from '../../src/gateway/routing/waiting-messages.repository';
import { MessageRedeliveryRepository } from '../../src/messages/message-redelivery.repository';
import type { DeviceStream } from '../../src/push/stream/device-stream';
import { StreamHub } from '../../src/push/stream/stream-hub';
import { afterLooks } from '../support/after-looks';
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
  async function storeBacklog(fields: object, count = BACKLOG): Promise<Set<string>> {
    const recipients = Array.from({ length: count }, (_, index) => `+4915${10_000_000 + index}`);
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

  it('are not added if the phone has disconnected before', async () => {
    device = await client.registerDevice();
    const lookup = pauseNextCall(service, DevicesService, 'getStored');
    const address = '127.0.0.9';
    let socket: Socket | undefined;
    (service.app.getHttpServer() as Server).on('connection', (opened: Socket) => {
      if (opened.remoteAddress === address) socket = opened;
    });
    const phone = new RawConnection(service.url, address);
    const path = `/api/v1/gateway/devices/${device}/stream`;
    phone.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${client.apiKey}\r\n\r\n`);
    await lookup.reached;
    if (!socket) throw new Error('The phone is not connected');
    const closed = once(socket, 'close');
    phone.close();
    await closed;
    const add = jest.spyOn(service.get(StreamHub), 'add');
    lookup.release(false);
    await eventually(
      () => add.mock.results,
      ({ length }) => length === 1,
    );
    await add.mock.results[0]?.value;
    expect(streamsOf()).toEqual([]);
  });

  describe('and others', () => {
    let devices: string[];
    let streams: RawStream[];

    beforeEach(async () => {
      devices = [device, await client.newDevice(), await client.newDevice()];
      streams = [];
      const runs = jest.spyOn(service.get(StreamRedelivery), 'redeliverTo');
      for (const id of devices) streams.push(await openStream(id));
      // A look for a stream does nothing while that of its connection runs.
      const ofConnections = await eventually(
        () => runs.mock.results.filter((_, index) => runs.mock.calls[index]?.[0].isOpen),
        ({ length }) => length === devices.length,
      );
      for (const { value } of ofConnections) await value;
      runs.mockRestore();
    });

    /** Stores messages that this phone has not acknowledged. @returns their ids. */
    async function storeFor(id: string, count: number, fields: object = {}): Promise<Set<string>> {
      device = id;
      const ids = await storeBacklog(fields, count);
      device = devices[0] ?? '';
      return ids;
    }
    const received = (stream: RawStream | undefined) => new Set(stream?.receivedIds);
    const until = (stream: RawStream | undefined, ids: ReadonlySet<string>) =>
      eventually(
        () => received(stream),
        (all) => [...ids].every((id) => all.has(id)),
      );

    it('are redelivered to at the same time, each by one run', async () => {
      for (const id of devices) await storeFor(id, 1);
      const messages = service.get(MessageRedeliveryRepository);
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

    it('get what they have missed within a minute, in which those without anything share reads', async () => {
      const missed = await storeFor(devices[2] ?? '', 1);
      const messages = service.get(MessageRedeliveryRepository);
      const looks = jest.spyOn(messages, 'listUnacknowledgedDevices');
      const reads = jest.spyOn(messages, 'listRedeliverable');
      await redeliver();
      await until(streams[2], missed);
      expect([looks.mock.calls.length, reads.mock.calls.length]).toEqual([1, 1]);
      const next = [await storeFor(devices[0] ?? '', 1), await storeFor(devices[1] ?? '', 1)];
      const now = performance.now();
      for (let second = 1; second <= 60; second += 1)
        await service.get(PhoneStreamService).visitDue(now + second * 1_000);
      await until(streams[0], next[0] ?? new Set());
      await until(streams[1], next[1] ?? new Set());
    });

    it('are not hidden by one with more messages than are examined together', async () => {
      const messages = service.get(MessageRedeliveryRepository);
      const list = messages.listUnacknowledgedDevices.bind(messages);
      jest
        .spyOn(messages, 'listUnacknowledgedDevices')
        .mockImplementation((phones, window) => list(phones, window, 3));
      await storeFor(devices[0] ?? '', 5);
      const [cancelled] = await storeFor(devices[1] ?? '', 1, { cancelRequestedAt: new Date() });
      const missed = await storeFor(devices[2] ?? '', 1);
      await redeliver();
      await until(streams[2], missed);
      await eventually(
        () => streams[1]?.cancelledIds,
        (ids) => ids?.[0] === cancelled,
      );
    });

    it('are not hidden by one that more messages wait for than are read together', async () => {
      const waiting = service.get(WaitingMessagesRepository);
      const now = service.clock.now();
      const later = new Date(now.getTime() + 3_600_000);
      const waits = {
        waitingFor: { reason: 'phone_unreachable' },
        nextDispatchAt: later,
        giveUpAt: later,
      };
      for (const [index, id] of devices.entries()) await storeFor(id, index === 0 ? 9 : 1);
      await service
        .collection('messages')
        .updateMany(
          { user: client.user },
          { $set: { ...waits, status: 'pending' }, $unset: { redeliverUntil: 1 } },
        );
      const phones = devices.map((id) => ({ _id: new Types.ObjectId(id), user: client.user }));
      expect(new Set((await waiting.listWaitedFor(phones, 2)).map(String))).toEqual(new Set(devices));
      await waiting.makeDueForPhones(phones, now, 3);
      const due = { user: client.user, nextDispatchAt: now };
      expect(new Set((await service.collection('messages').distinct('device', due)).map(String))).toEqual(
        new Set(devices),
      );
    });

    it('get all of it on a stream that is opened during a look', async () => {
      const missed = await storeFor(devices[1] ?? '', 3);
      const look = pauseNextCall(service, MessageRedeliveryRepository, 'listUnacknowledgedDevices');
      const looking = redeliver();
      await look.reached;
      const opened = await openStream(devices[1]);
      const late = await storeFor(devices[1] ?? '', 2);
      look.release(false);
      await looking;
      await until(opened, missed);
      await afterLooks(
        [service],
        () => received(opened),
        (all) => [...late].every((id) => all.has(id)),
      );
      expect(streams[1]?.isOpen).toBe(false);
    });

    it('are looked at again when a look has failed', async () => {
      const missed = await storeFor(devices[1] ?? '', 1);
      jest
        .spyOn(service.get(MessageRedeliveryRepository), 'listUnacknowledgedDevices')
        .mockRejectedValueOnce(new Error('database away'));
      await redeliver();
      expect(received(streams[1])).toEqual(new Set());
      await redeliver();
      await until(streams[1], missed);
    });
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

  it('hold up no other stream when their phones stop reading', async () => {
    const backlog = await storeBacklog({ message: '\u{1F600}'.repeat(1_600) });
    const stream = await openStream();
    await eventually(
      () => new Set(stream.receivedIds).size,
      (size) => size === backlog.size,
    );
    const reading = await openStream(await client.newDevice());
    stream.pause();
    // Later than in all tests above: time is not set back. The sockets buffer what the first visits send.
    const now = performance.now() + 3_600_000;
    for (let minute = 1; minute <= 12; minute += 1) {
      await service.get(PhoneStreamService).visitDue(now + minute * 60_000);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    await eventually(
      () => reading.text.match(/: still here/g) ?? [],
      ({ length }) => length >= 12,
    );
  });
});
