import { randomUUID } from 'node:crypto';
import { Types } from 'mongoose';
import { connectionEvent } from '../../src/devices/connection/connection-transition';
import { ConnectionRecorder } from '../../src/devices/connection/connection-recorder.service';
import type { OperationalEntry } from '../../src/devices/events/operational-event';
import { AccountNoticesRepository } from '../../src/notices/account-notices.repository';
import { NoticesRepository } from '../../src/notices/notices.repository';
import { NoticesScheduler } from '../../src/notices/notices.scheduler';
import { PhonesScheduler } from '../../src/phones/phones.scheduler';
import { AutoPauseScheduler } from '../../src/webhooks/pausing/auto-pause.scheduler';
import { SubscriptionPauseService } from '../../src/webhooks/pausing/subscription-pause.service';
import { OperationalEventsScheduler } from '../../src/webhooks/relay/operational-events.scheduler';
import type { TestClient } from '../support/client';
import { crashAtCall } from '../support/crash-at-call';
import { eventually } from '../support/eventually';
import { MailServer } from '../support/mail-server';
import { pauseNextCall } from '../support/pause-next-call';
import { raiseSimUnhealthy } from '../support/raise-sim-unhealthy';
import { TestService } from '../support/service';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const SETTINGS = {
  mail: true,
  phoneOffline: true,
  phoneBack: true,
  simUnhealthy: true,
  webhookPaused: true,
  planNearlyUsed: true,
  offlineAfterMinutes: 10,
};
const REFUSED_URL = 'http://127.0.0.1:8099/hook';

describe('notices by mail', () => {
  let mails: MailServer;
  let first: TestService;
  let second: TestService;
  let owner: TestClient;
  let device: string;

  beforeAll(async () => {
    mails = await MailServer.start();
    const environment = {
      SMTP_URL: mails.url,
      MAIL_FROM: 'Gateway <gateway@example.com>',
      PUBLIC_URL: 'https://sms.example.com',
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    };
    first = await TestService.start({ environment });
    second = await TestService.start({
      shared: first,
      environment: { ...environment, APP_ROLES: 'scheduler' },
    });
    for (const service of [first, second]) service.stopTimers();
    first.clock.stop();
  });
  beforeEach(async () => {
    owner = await first.newAccount('Ada');
    device = await owner.registerDevice({ name: 'Front desk' });
  });
  afterEach(async () => {
    for (const name of ['devices', 'notices', 'accountnotices']) await first.collection(name).deleteMany({});
  });
  afterAll(async () => {
    await second.stop();
    await first.stop();
    await mails.close();
  });

  const both = (sweep: (service: TestService) => Promise<void>) => Promise.all([first, second].map(sweep));
  const relay = () => both((service) => service.get(OperationalEventsScheduler).sweep());
  const send = () => both((service) => service.get(NoticesScheduler).sendMails());
  /** Lets time pass, as the timers of both processes would. */
  const pass = async (ms: number, step = 10 * MINUTE) => {
    for (let left = ms; left > 0; left -= step) {
      first.clock.advance(Math.min(left, step));
      await send();
    }
  };
  const startNextDay = () => {
    const midnight = new Date(first.clock.now());
    midnight.setUTCHours(24, 0, 0, 0);
    first.clock.advance(midnight.getTime() - first.clock.now().getTime());
  };
  const received = () => mails.mailsTo(`${owner.user.toHexString()}@example.com`);
  /**
   * Without the encoding of what is no plain word, such as quotes. A mail whose delivery is not confirmed within 5 s, on a busy machine, comes
   * again, with the same id.
   */
  const subjects = () =>
    [...new Map(received().map((mail) => [messageIdOf(mail), mail])).values()].map(({ text }) => {
      const [, subject = ''] = /^Subject: (.*)$/m.exec(text) ?? [];
      const [, encoded] = /^=\?UTF-8\?Q\?(.*)\?=$/.exec(subject) ?? [];
      return encoded?.replaceAll('_', ' ').replaceAll('=22', '"') ?? subject;
    });
  const messageIds = () => received().map(messageIdOf);
  const read = async () =>
    ((await owner.get('/auth/notices').expect(200)).body as { data: Record<string, unknown> }).data;
  const set = async (settings: object) =>
    (await first.signIn(owner)).put('/auth/notices', { ...SETTINGS, ...settings });

  const eventOf = (event: 'DEVICE_OFFLINE' | 'DEVICE_ONLINE', id: string): OperationalEntry => {
    const now = first.clock.now();
    const phone = { _id: new Types.ObjectId(id), name: 'Front desk', brand: 'google', model: 'Pixel 8' };
    const state = event === 'DEVICE_ONLINE' ? 'online' : 'offline';
    return connectionEvent(event, phone, { state, since: now }, 0, now);
  };
  const raise = async (event: 'DEVICE_OFFLINE' | 'DEVICE_ONLINE', id = device) => {
    const entry = eventOf(event, id);
    await first
      .collection('devices')
      .updateOne(
        { _id: new Types.ObjectId(id) },
        { $set: { relayDueAt: entry.at }, $push: { outbox: entry } as object },
      );
    await first.get(OperationalEventsScheduler).sweep();
  };
  const subscribe = async () => {
    const answer = await owner.post('/webhooks', {
      name: 'Orders',
      deliveryUrl: REFUSED_URL,
      signingSecret: 'a secret of 20 characters and more',
      events: ['MESSAGE_RECEIVED'],
    });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return new Types.ObjectId((answer.body as { data: { _id: string } }).data._id);
  };

  it('tell of a phone that misses its heartbeats and is back, once each, although two processes look', async () => {
    const heartbeat = () => owner.post(`/gateway/devices/${device}/heartbeat`).expect(200);
    const check = async () => {
      await first.get(ConnectionRecorder).flush();
      await both((service) => service.get(PhonesScheduler).checkConnections());
    };
    // With a stream, so that a heartbeat is enough to be online.
    await first.collection('devices').deleteMany({});
    device = await owner.newDevice({ name: 'Front desk' });
    await heartbeat();
    await check();
    first.clock.advance(60 * MINUTE);
    await check();
    first.clock.advance(2 * MINUTE);
    await check();
    await relay();
    await pass(6 * MINUTE, 3 * MINUTE);
    expect(received()).toEqual([]);
    await pass(6 * MINUTE, 3 * MINUTE);
    expect(subjects()).toEqual(['Front desk cannot be reached']);
    expect(received()[0]?.text).toContain('Hello Ada,');
    expect(received()[0]?.text).toContain('https://sms.example.com/dashboard/account');
    expect(await read()).toEqual({
      ...SETTINGS,
      mailState: 'on',
      lastMail: { at: expect.any(String) as string, result: 'sent' },
    });

    await heartbeat();
    await check();
    await relay();
    await pass(9 * MINUTE, 3 * MINUTE);
    expect(subjects()).toHaveLength(1);
    await pass(20 * MINUTE);
    expect(subjects()).toEqual(['Front desk cannot be reached', 'Front desk is back']);
  });

  it('are silent of a phone that comes and goes 100 times', async () => {
    for (let times = 0; times < 50; times++) {
      await raise('DEVICE_OFFLINE');
      first.clock.advance(8 * MINUTE);
      await first.get(NoticesScheduler).sendMails();
      await raise('DEVICE_ONLINE');
      first.clock.advance(MINUTE);
    }
    await pass(HOUR);
    expect(received()).toEqual([]);
  });

  it('are one if a phone that its owner was told of comes and goes', async () => {
    await raise('DEVICE_OFFLINE');
    await pass(20 * MINUTE);
    for (let times = 0; times < 3; times++) {
      await raise('DEVICE_ONLINE');
      await pass(5 * MINUTE);
      await raise('DEVICE_OFFLINE');
      await pass(15 * MINUTE);
    }
    expect(subjects()).toEqual(['Front desk cannot be reached']);
  });

  it('are one digest for 1,000 phones that go offline at once', async () => {
    const stored = await first.collection('devices').findOne({});
    const phones = Array.from({ length: 999 }, () => {
      const _id = new Types.ObjectId();
      const entry = eventOf('DEVICE_OFFLINE', _id.toHexString());
      return { ...stored, _id, serial: randomUUID(), outbox: [entry], relayDueAt: entry.at };
    });
    await first.collection('devices').insertMany(phones);
    await raise('DEVICE_OFFLINE');
    await pass(40 * MINUTE);
    expect(subjects()).toEqual(['1000 phones cannot be reached']);
    expect(received()[0]?.text).toContain('and 980 more');
  });

  it('repeat a mail with the same Message-ID if the process dies between sending and noting it', async () => {
    await raise('DEVICE_OFFLINE');
    first.clock.advance(12 * MINUTE);
    crashAtCall(AccountNoticesRepository, 'end')(first, 'before');
    await first.get(NoticesScheduler).sendMails();
    await first.get(NoticesScheduler).sendMails();
    await second.get(NoticesScheduler).sendMails();
    expect(received()).toHaveLength(1);
    await pass(HOUR);
    expect(received()).toHaveLength(2);
    expect(new Set(messageIds()).size).toBe(1);
    expect(messageIds()[0]).toMatch(/^<[0-9a-f]{24}@example\.com>$/);
  });

  it.each([
    ['the mail was stored', AccountNoticesRepository, 'store'],
    ['its notices were marked', AccountNoticesRepository, 'setNoted'],
  ] as const)('come once if the process dies after %s', async (_, type, method) => {
    await raise('DEVICE_OFFLINE');
    first.clock.advance(12 * MINUTE);
    crashAtCall(type, method)(first, 'after');
    await first.get(NoticesScheduler).sendMails();
    expect(received()).toEqual([]);
    await pass(2 * HOUR);
    expect(subjects()).toEqual(['Front desk cannot be reached']);
  });

  it('come once if another process has sent them since they were read', async () => {
    const other = await owner.registerDevice({ name: 'Back office' });
    for (const [phone, told] of [
      [device, ['Front desk cannot be reached']],
      [other, ['Front desk cannot be reached', 'Front desk cannot be reached']],
    ] as const) {
      await raise('DEVICE_OFFLINE', phone);
      first.clock.advance(12 * MINUTE);
      const store = pauseNextCall(second, AccountNoticesRepository, 'store');
      const late = second.get(NoticesScheduler).sendMails();
      await store.reached;
      await first.get(NoticesScheduler).sendMails();
      expect(subjects()).toEqual(told);
      store.release(false);
      await late;
      await pass(HOUR);
      expect(subjects()).toEqual(told);
    }
  });

  it('come once if the process dies while it records the event', async () => {
    const entry = eventOf('DEVICE_OFFLINE', device);
    const update = { $set: { relayDueAt: entry.at }, $push: { outbox: entry } as object };
    await first.collection('devices').updateOne({ _id: new Types.ObjectId(device) }, update);
    crashAtCall(NoticesRepository, 'record')(first, 'after');
    await first.get(OperationalEventsScheduler).sweep();
    first.clock.advance(MINUTE);
    await relay();
    await pass(HOUR);
    expect(subjects()).toEqual(['Front desk cannot be reached']);
  });

  it('wait while the mail server is slow, and no other process sends them meanwhile', async () => {
    await raise('DEVICE_OFFLINE');
    first.clock.advance(12 * MINUTE);
    mails.isUnresponsive = true;
    const attempt = first.get(NoticesScheduler).sendMails();
    await eventually(
      () => mails.ignoredConnections,
      (count) => count === 1,
    );
    await second.get(NoticesScheduler).sendMails();
    expect(mails.ignoredConnections).toBe(1);
    await attempt;
    mails.isUnresponsive = false;
    await pass(MINUTE);
    expect(subjects()).toEqual(['Front desk cannot be reached']);
  });

  it('are repeated for a day while there is no mail server, and then given up', async () => {
    const gone = await MailServer.start();
    const environment = { SMTP_URL: gone.url, MAIL_FROM: 'gateway@example.com', APP_ROLES: 'scheduler' };
    await gone.close();
    const service = await TestService.start({ shared: first, environment });
    service.stopTimers();
    try {
      await raise('DEVICE_OFFLINE');
      first.clock.advance(12 * MINUTE);
      const sendMails = () => service.get(NoticesScheduler).sendMails();
      const stored = () => first.collection('accountnotices').findOne({ _id: owner.user });
      await sendMails();
      for (let hours = 0; hours < 23; hours++) {
        first.clock.advance(HOUR);
        await sendMails();
      }
      expect((await stored())?.outgoing).toMatchObject({ attempts: 24 });
      first.clock.advance(HOUR);
      await sendMails();
      expect(await stored()).not.toHaveProperty('outgoing');
      expect(await read()).toMatchObject({ lastMail: { result: 'failed' } });
      await pass(HOUR);
      expect(received()).toEqual([]);
    } finally {
      await service.stop();
    }
  });

  it.each([
    [
      'the address is not verified',
      () => first.collection('accounts').updateOne({ _id: owner.user }, { $unset: { emailVerifiedAt: 1 } }),
    ],
    ['the topic is switched off', () => set({ phoneOffline: false })],
    ['mails are switched off', () => set({ mail: false })],
    ['the phone was deleted', () => owner.delete(`/gateway/devices/${device}`)],
    ['the phone is disabled', () => owner.patch(`/gateway/devices/${device}`, { enabled: false })],
  ])('do not come if %s', async (_, prepare) => {
    await raise('DEVICE_OFFLINE');
    await prepare();
    await pass(HOUR);
    expect(received()).toEqual([]);
    await first
      .collection('accounts')
      .updateOne({ _id: owner.user }, { $set: { emailVerifiedAt: new Date() } });
    await pass(HOUR);
    expect(received()).toEqual([]);
  });

  it('come after the time that the owner sets, also for what has happened before', async () => {
    expect((await set({ offlineAfterMinutes: 120 })).status).toBe(200);
    await raise('DEVICE_OFFLINE');
    await pass(HOUR);
    expect(received()).toEqual([]);
    const answer = await set({ offlineAfterMinutes: 30 });
    expect(answer.body).toEqual({ data: { ...SETTINGS, offlineAfterMinutes: 30, mailState: 'on' } });
    await pass(5 * MINUTE);
    expect(subjects()).toEqual(['Front desk cannot be reached']);
  });

  it.each([
    ['offlineAfterMinutes', 0],
    ['offlineAfterMinutes', 1_441],
    ['offlineAfterMinutes', 1.5],
    ['phoneBack', 'no'],
    ['simUnhealthy', undefined],
  ])('refuse a setting %s of %s', async (field, value) => {
    const answer = await set({ [field]: value });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(field);
    expect(await read()).toMatchObject(SETTINGS);
  });

  it('can be changed by their owner alone', async () => {
    const answer = await owner.put('/auth/notices', SETTINGS);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'SESSION_REQUIRED' });
  });

  it('tell of each unhealthy SIM, but not of one that repeats within ten minutes', async () => {
    const simInfo = { sims: [{ subscriptionId: 1, simSlotIndex: 0 }] };
    await owner.post(`/gateway/devices/${device}/heartbeat`, { simInfo }).expect(200);
    const { data } = (await owner.get('/gateway/sims')).body as { data: { _id: string }[] };
    const sim = String(data[0]?._id);
    await owner.patch(`/gateway/sims/${sim}`, { label: 'Work' }).expect(200);
    for (const ms of [5 * MINUTE, 5 * MINUTE, HOUR, 0]) {
      await raiseSimUnhealthy(first, sim);
      await relay();
      await pass(ms);
    }
    await pass(HOUR);
    expect(subjects()).toEqual(['Messages of the SIM "Work" fail', 'Messages of the SIM "Work" fail']);
  });

  it('tell of a webhook that the service paused, also if the process dies in between', async () => {
    const id = await subscribe();
    await first.get(SubscriptionPauseService).pause(id, { deliveryUrl: REFUSED_URL }, 'Paused: 410 Gone');
    crashAtCall(NoticesRepository, 'record')(first, 'after');
    await first.get(AutoPauseScheduler).notePauses();
    await both((service) => service.get(AutoPauseScheduler).notePauses());
    expect(
      (await first.collection('webhooksubscriptions').findOne({ _id: id }))?.pauseNoticeDueAt,
    ).toBeUndefined();
    await pass(HOUR);
    expect(subjects()).toEqual(['The webhook "Orders" was paused']);
    expect(received()[0]?.text).toContain('410 Gone');
  });

  it('do not tell of a webhook that its owner paused', async () => {
    const id = await subscribe();
    await owner.patch(`/webhooks/${id.toHexString()}`, { isActive: false }).expect(200);
    await both((service) => service.get(AutoPauseScheduler).notePauses());
    await pass(HOUR);
    expect(received()).toEqual([]);
  });

  it('tell once a day of a plan that is nearly used', async () => {
    startNextDay();
    const use = async (dayCount: number) => {
      const day = first.clock.now().toISOString().slice(0, 10);
      await first
        .collection('usages')
        .updateOne(
          { _id: owner.user },
          { $set: { day, month: day.slice(0, 7), dayCount, monthCount: dayCount } },
          { upsert: true },
        );
      await both((service) => service.get(NoticesScheduler).checkPlans());
      await pass(20 * MINUTE);
    };
    await first
      .collection('plans')
      .updateOne({ _id: 'free' } as object, { $set: { dailyLimit: 50, monthlyLimit: 10_000 } });
    await first.collection('accounts').updateOne({ _id: owner.user }, { $set: { plan: 'free' } });
    for (const count of [39, 40, 45, 50]) await use(count);
    expect(subjects()).toEqual(['The daily limit of your plan is nearly used']);
    expect(received()[0]?.text).toContain('40 of 50 messages');
    await pass(24 * HOUR, HOUR);
    await use(41);
    expect(subjects()).toHaveLength(2);
  });

  it('are 20 on a day at most; what comes later is in one mail on the next', async () => {
    startNextDay();
    const phones = [device];
    while (phones.length < 24) phones.push(await owner.registerDevice({ name: `Phone ${phones.length}` }));
    for (const phone of phones) {
      await raise('DEVICE_OFFLINE', phone);
      await pass(25 * MINUTE);
    }
    expect(subjects()).toHaveLength(20);
    expect(received().at(-1)?.text).toContain('the last mail of today');
    await pass(16 * HOUR, HOUR);
    expect(subjects().slice(20)).toEqual(['4 phones cannot be reached']);
  });
});

const messageIdOf = ({ text }: { readonly text: string }) => /^Message-ID: (.*)$/im.exec(text)?.[1];
