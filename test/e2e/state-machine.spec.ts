import fc from 'fast-check';
import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { BATCH_STATUSES, batchProgress } from '../../src/messages/batch-progress';
import { plausibleTime } from '../../src/common/phone-time';
import { CONTRADICTED, laterStatusOf } from '../../src/messages/later-reports';
import { Message } from '../../src/messages/message.schema';
import { canTransition, OUTGOING_STATUSES, OutgoingStatus } from '../../src/messages/message-status';
import { MessagesRepository } from '../../src/messages/messages.repository';
import { ReportsRepository } from '../../src/messages/reports/reports.repository';
import { ReportsService } from '../../src/messages/reports/reports.service';
import { parseReport } from '../../src/messages/reports/status-report';
import { TestService } from '../support/service';

const STATUSES = [
  'SENT',
  'sent',
  'DELIVERED',
  'Delivered',
  'FAILED',
  'DELIVERY_FAILED',
  'CANCELLED',
  '$weird',
];

const report = fc.record({
  status: fc.constantFrom(...STATUSES),
  errorCode: fc.option(fc.constantFrom('0', '4', '$x'), { nil: undefined }),
  sentAt: fc.option(fc.date({ min: new Date(1), max: new Date(2e12), noInvalidDate: true }), {
    nil: undefined,
  }),
});

/** The status before the first report: pending if the report precedes the push result, or unknown after a day. */
const start = fc.constantFrom<OutgoingStatus>('pending', 'dispatched', 'unknown');

describe('reports on a message in any order, repeated and concurrent', () => {
  let service: TestService;
  const account = accountScope(new Types.ObjectId());
  const device = new Types.ObjectId();

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
  });
  afterAll(() => service.stop());

  async function newMessage(status: OutgoingStatus): Promise<Types.ObjectId> {
    const now = new Date();
    const message: Message = {
      _id: new Types.ObjectId(),
      user: account.user,
      device,
      direction: 'sent',
      status,
      message: 'Hello',
      recipient: '+4915112345678',
      peerNumber: '+4915112345678',
      raised: [],
      outbox: [],
      createdAt: now,
      updatedAt: now,
    };
    await service.get(MessagesRepository).insert([message]);
    return message._id;
  }

  async function read(id: Types.ObjectId): Promise<Message> {
    const message = await service.get(MessagesRepository).find(account, id, device);
    if (!message) throw new Error('The message is gone');
    return message;
  }

  const firstFinal = (statuses: readonly string[]) =>
    statuses.map((status) => status.toLowerCase()).find((status) => ['delivered', 'failed'].includes(status));

  it('never revert the status, keep the first final one, and raise each event once', async () => {
    await fc.assert(
      fc.asyncProperty(
        start,
        fc.array(report, { minLength: 1, maxLength: 8 }),
        async (from, reportStatuses) => {
          const id = await newMessage(from);
          let before: OutgoingStatus = from;
          for (const each of reportStatuses) {
            await service.get(ReportsService).apply(account, device, id, each);
            const after = (await read(id)).status as OutgoingStatus;
            expect(after === before || canTransition(before, after)).toBe(true);
            before = after;
          }
          const message = await read(id);
          const reported = reportStatuses.map(({ status }) => status.toLowerCase());
          const final = firstFinal(reported);
          if (final) expect(message.status).toBe(final);
          else expect(message.status).toBe(reported.includes('sent') ? 'sent' : 'unknown');
          expect(new Set(message.raised).size).toBe(message.raised.length);
          // The outbox has exactly the raised events.
          const waiting = message.outbox.map(({ event, reportedStatus }) =>
            reportedStatus === undefined ? event : `${event}:${reportedStatus}`,
          );
          expect(waiting).toEqual(message.raised);
          expect(message.raised.filter((key) => key === 'MESSAGE_FAILED').length).toBe(
            final === 'failed' ? 1 : 0,
          );
          expect(message.raised.includes('MESSAGE_DELIVERED')).toBe(final === 'delivered');
          const sentBeforeFailure =
            final === 'failed' ? reported.slice(0, reported.indexOf('failed')) : reported;
          expect(message.raised.includes('MESSAGE_SENT')).toBe(sentBeforeFailure.includes('sent'));
          // The times match the status.
          expect(message.failedAt !== undefined).toBe(message.status === 'failed');
          expect(message.deliveredAt !== undefined).toBe(message.status === 'delivered');
          // What contradicts the final status is kept beside it, each status once.
          const later = final ? reported.slice(reported.indexOf(final) + 1) : [];
          const contradictions = later.flatMap((status) => laterStatusOf(status) ?? []);
          expect((message.laterReports ?? []).map(({ status }) => status)).toEqual([
            ...new Set(contradictions.filter((status) => CONTRADICTED[status] === final)),
          ]);
          // No reported time that can be right is lost.
          expect(message.sentAt !== undefined).toBe(
            reportStatuses.some(
              ({ status, sentAt }) =>
                status.toLowerCase() === 'sent' || plausibleTime(sentAt?.getTime(), service.clock.now()),
            ),
          );
        },
      ),
      { numRuns: 150 },
    );
  });

  it('have the same result when they are concurrent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(report, { minLength: 2, maxLength: 8 }), async (reports) => {
        const id = await newMessage('dispatched');
        await Promise.all(
          reports.map((each) => service.get(ReportsService).apply(account, device, id, each)),
        );
        const message = await read(id);
        const reported = new Set(reports.map(({ status }) => status.toLowerCase()));
        const finals = ['delivered', 'failed'].filter((status) => reported.has(status));
        if (finals.length > 0) expect(finals).toContain(message.status);
        else expect(message.status).toBe(reported.has('sent') ? 'sent' : 'unknown');
        expect([message.failedAt !== undefined, message.deliveredAt !== undefined]).toEqual([
          message.status === 'failed',
          message.status === 'delivered',
        ]);
        expect(new Set(message.raised).size).toBe(message.raised.length);
        expect(
          message.raised.filter((key) => ['MESSAGE_DELIVERED', 'MESSAGE_FAILED'].includes(key)).length,
        ).toBe(finals.length > 0 ? 1 : 0);
        expect(message.outbox.length).toBe(message.raised.length);
      }),
      { numRuns: 60 },
    );
  });

  it('raise one event for each unknown status and store its code', async () => {
    const id = await newMessage('dispatched');
    const reportStatus = (status: string, errorCode?: string) =>
      service.get(ReportsService).apply(account, device, id, { status, errorCode });
    await reportStatus('DELIVERY_FAILED', '0');
    await reportStatus('delivery_failed', '0');
    await reportStatus('SENT');
    await reportStatus('CANCELLED', '7');
    const message = await read(id);
    expect(message.status).toBe('sent');
    expect(message.errorCode).toBe('7');
    expect(message.raised).toEqual([
      'UNKNOWN_STATE:delivery_failed',
      'MESSAGE_SENT',
      'UNKNOWN_STATE:cancelled',
    ]);
  });

  it('raise events for up to twenty unknown statuses, and still for known ones', async () => {
    const id = await newMessage('dispatched');
    const odd = Array.from({ length: 25 }, (_, index) => `odd ${index}`);
    for (const status of [...odd, 'SENT', 'DELIVERED']) {
      await service.get(ReportsService).apply(account, device, id, { status });
    }
    expect((await read(id)).raised).toEqual([
      ...odd.slice(0, 20).map((status) => `UNKNOWN_STATE:${status}`),
      'MESSAGE_SENT',
      'MESSAGE_DELIVERED',
    ]);
  });

  it('count each message once for its device, even with two concurrent processes', async () => {
    const other = await TestService.start({ environment: { APP_ROLES: 'api' }, shared: service });
    try {
      const ids = await Promise.all(Array.from({ length: 200 }, () => newMessage('dispatched')));
      const marks = () =>
        service
          .collection('messages')
          .find({ _id: { $in: ids } })
          .project<{ countedAt: Date; finalCountedAt: Date }>({ countedAt: 1, finalCountedAt: 1 })
          .sort({ _id: 1 })
          .toArray();
      const reportAll = () =>
        Promise.all(
          ids.flatMap((id) =>
            [
              { repository: service.get(ReportsRepository), status: 'SENT' },
              { repository: other.get(ReportsRepository), status: 'DELIVERED' },
            ].map(({ repository, status }) => {
              const now = new Date();
              const report = parseReport({ status }, now);
              return repository.apply([{ user: account.user, device, id, report, now, cause: {} }]);
            }),
          ),
        );
      await reportAll();
      const first = await marks();
      // Each is the start of its write, and a write that started earlier may be applied later.
      const times = first.flatMap(({ countedAt, finalCountedAt }) => [countedAt, finalCountedAt]);
      expect(times.filter((time) => time instanceof Date)).toHaveLength(400);
      await reportAll();
      expect(await marks()).toEqual(first);
    } finally {
      await other.stop();
    }
  });

  it('raise the missing sent event after a delivery, and none after a failure', async () => {
    const delivered = await newMessage('dispatched');
    const failed = await newMessage('dispatched');
    for (const status of ['DELIVERED', 'FAILED', 'SENT', 'SENT', 'odd']) {
      await service.get(ReportsService).apply(account, device, delivered, { status });
    }
    for (const status of ['FAILED', 'SENT', 'DELIVERED', 'odd']) {
      await service.get(ReportsService).apply(account, device, failed, { status, errorCode: '4' });
    }
    expect(await read(delivered)).toMatchObject({
      status: 'delivered',
      raised: ['MESSAGE_DELIVERED', 'MESSAGE_SENT'],
      sentAt: expect.any(Date) as Date,
    });
    expect(await read(failed)).toMatchObject({
      status: 'failed',
      errorCode: '4',
      errorMessage: expect.stringContaining('no service') as string,
      raised: ['MESSAGE_FAILED'],
    });
  });
});

describe('the progress of a batch', () => {
  const messages = fc.array(
    fc.record({ status: fc.constantFrom(...OUTGOING_STATUSES), settledAt: fc.constant(new Date(5)) }),
    { minLength: 1, maxLength: 20 },
  );

  it('follows from its messages', () => {
    fc.assert(
      fc.property(messages, (batch) => {
        const { status, successCount, failureCount, completedAt } = batchProgress(batch);
        const has = (...statuses: string[]) => batch.filter((each) => statuses.includes(each.status)).length;
        expect(BATCH_STATUSES).toContain(status);
        expect(successCount).toBe(has('sent', 'delivered'));
        expect(failureCount).toBe(has('failed'));
        expect(completedAt !== undefined).toBe(has('pending', 'dispatched') === 0);
        expect(status === 'pending').toBe(has('pending') === batch.length);
        expect(status === 'completed').toBe(successCount === batch.length);
        expect(status === 'failed').toBe(failureCount === batch.length);
      }),
    );
  });
});
