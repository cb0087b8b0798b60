import { ForeignNames } from '../../../common/http/requests/request-shape';

/**
 * Names in other gateways of what a send has under another name here: ignoring one would send at another time, too late, or from
 * another SIM. Compared without case, `_` and `-`.
 */
const NAMES = {
  scheduledAt: [
    'send at, send on, send date, send time, send date time, send later, sending time',
    'schedule, schedule date, schedule time, schedule date time, schedule on, schedule for',
    'scheduled, scheduled date, scheduled time, scheduled date time, scheduled on, scheduled for',
    'schedule at, schedule send time, deliver at, deliver on, delivery time, delivery date, deliver time',
    'dispatch at, dispatch time, start at, start time, start date, date to send, time to send, not before',
  ],
  validForSeconds: [
    'ttl, ttl seconds, time to live, validity, validity period, validity time, validity seconds',
    'validity minutes, validity hours, valid for, lifetime, max age, expires in, expire in, expire after',
  ],
  validUntil: [
    'expires, expire, expires at, expire at, expires on, expiry, expiry date, expiry time, expire date',
    'expiration, expiration date, expiration time, expire time, deadline, valid to, valid till, not after',
  ],
  simSubscriptionId: [
    'sim, sim id, sim number, sim no, sim slot, sim slot id, sim slot index, sim slot number, sim index',
    'sim card, sim card id, sim card number, sim card slot, sim port, use sim, from sim',
    'slot, slot id, slot index, slot number, subscription, subscription id, sub id',
  ],
};

/** For the bodies of sends: names of other gateways are errors that name the field. */
export const ForeignSendNames = (): ClassDecorator =>
  ForeignNames(
    new Map(
      Object.entries(NAMES).flatMap(([field, lines]) =>
        lines.flatMap((line) => line.split(', ')).map((name) => [name.replaceAll(' ', ''), field]),
      ),
    ),
  );
