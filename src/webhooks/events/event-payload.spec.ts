import { Types } from 'mongoose';
import { MESSAGE_EVENTS } from '../../messages/message-event';
import { eventBody, eventPayload, type EventSubject } from './event-payload';

const at = new Date('2026-01-31T09:00:00Z');
const subject: EventSubject = {
  _id: new Types.ObjectId(),
  device: new Types.ObjectId(),
  message: 'A "quoted" text, {"idempotencyKey":"x"} and \u{1F600}',
  sender: '+447700900123',
  recipient: '+447700900124',
  smsBatch: new Types.ObjectId(),
  receivedAt: at,
  sentAt: at,
  deliveredAt: at,
  failedAt: at,
  errorCode: '4',
};

describe('eventBody', () => {
  it.each(MESSAGE_EVENTS)('equals the JSON of eventPayload for %s', (event) => {
    for (const message of [subject, { ...subject, encrypted: true }]) {
      const entry = { event, ...(event === 'UNKNOWN_STATE' && { reportedStatus: 'odd' }) };
      const write = eventBody(entry, message);
      for (const subscription of [new Types.ObjectId(), new Types.ObjectId()]) {
        const key = new Types.ObjectId().toHexString();
        expect(write(subscription, key)).toBe(
          JSON.stringify(eventPayload(entry, message, subscription, key)),
        );
      }
    }
  });
});
